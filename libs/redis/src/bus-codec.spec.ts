import type { BusMessage, TaskEvent } from '#core';
import { decodeMessage, encodeMessage } from './bus-codec.js';

const event = (more: Partial<TaskEvent> = {}): TaskEvent => ({
  taskId: 't',
  sequence: 1,
  kind: 'status',
  state: 'TASK_STATE_WORKING',
  turn: 1,
  endsTurn: false,
  payload: '{"statusUpdate":{}}',
  ...more,
});

describe('bus codec', () => {
  it.each<[string, BusMessage]>([
    ['head', { type: 'head', taskId: 't', sequence: 12 }],
    ['cancel', { type: 'cancel', taskId: 't' }],
    ['no events', { type: 'events', taskId: 't', events: [] }],
    [
      'events with and without a message',
      {
        type: 'events',
        taskId: 't',
        events: [
          event({ kind: 'accepted', message: '{"messageId":"m\\n\u2028"}' }),
          event({ sequence: 2, endsTurn: true, withoutMetadata: true }),
          event({ sequence: 3, kind: 'artifact' }),
        ],
      },
    ],
  ])('gives back %s as it was', (_, message) => {
    expect(decodeMessage(encodeMessage(message))).toEqual(message);
  });

  it('keeps events apart whose JSON has raw line breaks', () => {
    const payload = '{\n"a": 1\n}';
    const decoded = decodeMessage(
      encodeMessage({ type: 'events', taskId: 't', events: [event({ payload }), event({ sequence: 2 })] }),
    );
    expect(decoded).toEqual({ type: 'events', taskId: 't', events: [event({ payload: '{"a":1}' }), event({ sequence: 2 })] });
  });

  it('knows that it does not know another version, and refuses what is no message', () => {
    expect(decodeMessage('{"v":2,"t":"new","id":"t"}')).toBeUndefined();
    for (const text of [
      '',
      'null',
      'hello',
      '{"v":1,"t":"events","id":"t"}',
      '{"v":1,"t":"events","id":"t","e":[[1,"status","S",1,0,0]]}',
    ]) {
      expect(() => decodeMessage(text)).toThrow();
    }
  });
});
