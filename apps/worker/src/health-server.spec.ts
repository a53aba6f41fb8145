import { type LogFields, SILENT } from '#core';
import { Server } from 'node:http';
import { jest } from '@jest/globals';
import { HealthServer } from './health-server.js';

describe('HealthServer', () => {
  const well = { live: () => undefined, ready: () => undefined };

  it('outlives connections that it cannot accept', async () => {
    const warned: (LogFields | undefined)[] = [];
    const listen = jest.spyOn(Server.prototype, 'listen');
    const health = new HealthServer(well, '127.0.0.1', 0, { ...SILENT, warn: (_, fields) => void warned.push(fields) });
    const port = await health.start();
    const server = listen.mock.contexts[0] as Server;
    listen.mockRestore();
    for (let n = 0; n < 2; n += 1) server.emit('error', Object.assign(new Error('no descriptor'), { code: 'EMFILE' }));
    expect(warned).toHaveLength(2);
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
    await health.stop();
  });
});
