import { A2AClient, sendParams, stateOf, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { describeWithNginx, Nginx } from '../support/nginx.js';
import { RestClient } from '../support/rest-client.js';

/** nginx gives an upstream up that says nothing for 60 s, unless it is told otherwise. */
const SILENCE_MS = 90_000;

async function collect(stream: AsyncIterable<Received>): Promise<Received[]> {
  const frames: Received[] = [];
  for await (const frame of stream) frames.push(frame);
  return frames;
}

describeWithNginx('behind nginx, an agent that says nothing for 90 s', (program) => {
  const cluster = useCluster({ apis: 2, workers: 1 });
  let nginx: Nginx;
  beforeAll(async () => {
    nginx = await Nginx.before(program, cluster.apiUrls());
  }, 60_000);
  afterAll(() => nginx?.stop());

  it('with the settings that nginx has by itself, streams outlast it; as it is deployed, a blocking send does too', async () => {
    const text = `working\nsleep ${SILENCE_MS}\ncomplete done`;
    const plain = new A2AClient(nginx.plainUrl).agent('script');
    const deployed = new A2AClient(nginx.deployedUrl).agent('script');
    const rest = new RestClient(`${nginx.plainUrl}/agents/script`);
    const { id } = await plain.sendForTask(text, { returnImmediately: true });
    const [sent, ...streams] = await Promise.all([
      deployed.sendForTask(text),
      collect(plain.stream(text)),
      collect(plain.subscribe(id)),
      collect(rest.events('POST', '/message:stream', sendParams(text))),
      collect(deployed.stream(text)),
    ]);
    expect(stateOf(sent)).toBe('TASK_STATE_COMPLETED');
    for (const frames of streams) {
      expect(frames.at(-1)?.response.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(frames.map((frame) => frame.id)).toEqual(frames.map((_, i) => (frames[0]?.id as number) + i));
    }
  });
});
