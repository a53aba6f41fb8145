import { addressed } from './addressee.js';

describe('addressed', () => {
  it.each([
    [{ id: 't' }, undefined, undefined],
    [{ id: 't', tenant: 'echo' }, 'echo', undefined],
    [{ id: 't', tenant: 'echo/acme' }, 'echo', 'acme'],
  ])('reads %j', (request, agentId, tenant) => {
    expect(addressed(request)).toEqual({ agentId, tenant, input: { id: 't' } });
  });

  it.each(['/', 'echo/', '/acme', 'echo/acme/more', 'a b', '../x', 'x'.repeat(65), 'echo/a b'])('refuses %j', (tenant) => {
    expect(() => addressed({ tenant })).toThrow(
      expect.objectContaining({ name: 'InvalidParamsError', fieldViolations: [expect.objectContaining({ field: 'tenant' })] }),
    );
  });
});
