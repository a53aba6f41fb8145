/** What the messages to the test agent `script` say, one step a line. The clients in other languages have the same. */
export const SCRIPTS = {
  send: 'artifact a a text\ncomplete done',
  poll: 'working\nsleep 300\ncomplete done',
  stream: 'working\nchunks 5 20\ncomplete done',
  subscribe: 'working\nchunks 10 100\ncomplete done',
  cancel: 'working\nhang',
  ask: 'input which one?',
  answer: 'complete done',
  push: 'working\nsleep 500\ncomplete done',
};

/** One result a line: what the runner reads. */
const tell = (interfaceName, scene, status, reason) =>
  console.log(JSON.stringify({ interface: interfaceName, scene, status, ...(reason === undefined ? {} : { reason }) }));

/** Plays every scene of a driver and tells how each went; `skipped` says why some are not. */
export async function play(interfaceName, driver, skipped) {
  for (const [scene, act] of Object.entries(driver)) {
    if (skipped[scene] !== undefined) tell(interfaceName, scene, 'skipped', skipped[scene]);
    else
      await act().then(
        () => tell(interfaceName, scene, 'passed'),
        (error) => tell(interfaceName, scene, 'failed', error.message),
      );
  }
}
