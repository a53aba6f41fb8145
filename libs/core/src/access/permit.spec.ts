import { OPERATIONS, PermissionDeniedError, SCOPES, type OperationName, type Scope } from '#protocol';
import { ANYONE, type Caller } from './caller.js';
import { permit } from './permit.js';

const operations = Object.keys(OPERATIONS) as OperationName[];

const holder = (scopes: readonly Scope[], agents?: readonly string[]): Caller => ({
  principal: { id: 'p' },
  tenant: 't',
  scopes: new Set(scopes),
  agents: agents && new Set(agents),
});

describe('permit', () => {
  it.each(operations)('%s needs its own scope, and no other is enough', (operation) => {
    const { scope } = OPERATIONS[operation];
    const others = SCOPES.filter((other) => other !== scope);
    expect(() => permit(holder([scope]), operation, 'echo')).not.toThrow();
    expect(() => permit(holder(others), operation, 'echo')).toThrow(PermissionDeniedError);
  });

  it('names the missing scope, for the log of whoever has to give it', () => {
    const denied = (): void => permit(holder(['tasks:read']), 'sendMessage', 'echo');
    expect(denied).toThrow(
      expect.objectContaining({
        message: 'SendMessage needs a credential with the scope tasks:write',
        info: { scope: 'tasks:write' },
        challenge: 'Bearer error="insufficient_scope", scope="tasks:write"',
      }),
    );
  });

  it('an agent that is not granted is denied, and only that', () => {
    const caller = holder(SCOPES, ['echo']);
    expect(() => permit(caller, 'getTask', 'echo')).not.toThrow();
    expect(() => permit(caller, 'getTask', 'research')).toThrow(PermissionDeniedError);
  });

  it('without authentication anyone may do anything', () => {
    for (const operation of operations) expect(() => permit(ANYONE, operation, 'echo')).not.toThrow();
  });
});
