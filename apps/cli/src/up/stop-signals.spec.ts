import { stopSignals } from './stop-signals.js';

describe('stopSignals', () => {
  const before = new Map((['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => [name, process.listeners(name)]));
  afterEach(() => {
    for (const [name, listeners] of before) {
      for (const listener of process.listeners(name)) if (!listeners.includes(listener)) process.off(name, listener);
    }
  });

  it('takes what follows at once for the same keystroke, and what comes later for impatience', async () => {
    let time = 0;
    let hurried = false;
    const signals = stopSignals(() => time);
    void signals.second.then(() => (hurried = true));
    expect(signals.stopping()).toBe(false);
    process.emit('SIGINT', 'SIGINT');
    await signals.first;
    expect(signals.stopping()).toBe(true);
    time = 100;
    process.emit('SIGINT', 'SIGINT');
    await Promise.resolve();
    expect(hurried).toBe(false);
    time = 2000;
    process.emit('SIGTERM', 'SIGTERM');
    await signals.second;
    expect(hurried).toBe(true);
  });
});
