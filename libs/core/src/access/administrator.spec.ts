import { InvalidParamsError, PermissionDeniedError, SCOPES, type Scope } from '#protocol';
import { permitAdministration, permitAgent, tenantMeant } from './administrator.js';
import type { Caller } from './caller.js';

const administrator = (tenant?: string, agents?: readonly string[], scopes: readonly Scope[] = ['admin']): Caller => ({
  principal: { id: 'root' },
  tenant,
  scopes: new Set(scopes),
  agents: agents && new Set(agents),
});

it('only the scope admin permits administration', () => {
  expect(() => permitAdministration(administrator())).not.toThrow();
  const others = SCOPES.filter((scope) => scope !== 'admin');
  expect(() => permitAdministration(administrator('acme', undefined, others))).toThrow(PermissionDeniedError);
});

describe('tenantMeant', () => {
  it.each<[string, string | undefined, string | undefined, string]>([
    ['its own, unnamed', 'acme', undefined, 'acme'],
    ['its own, named', 'acme', 'acme', 'acme'],
    ['the one without a name', '', '', ''],
    ['the one without a name, unnamed', '', undefined, ''],
    ['any, by one for every tenant', undefined, 'acme', 'acme'],
    ['the one without a name, by one for every tenant', undefined, '', ''],
  ])('%s', (_what, own, named, meant) => {
    expect(tenantMeant(administrator(own), named)).toBe(meant);
  });

  it.each<[string, string | undefined, string | undefined, new (...args: never[]) => Error]>([
    ['another tenant', 'acme', 'umbrella', PermissionDeniedError],
    ['the one without a name, by that of another', 'acme', '', PermissionDeniedError],
    ['another, by that of the one without a name', '', 'acme', PermissionDeniedError],
    ['nobody said which', undefined, undefined, InvalidParamsError],
    ['the word for every tenant is none', undefined, '*', InvalidParamsError],
  ])('refused: %s', (_what, own, named, error) => {
    expect(() => tenantMeant(administrator(own), named)).toThrow(error);
  });
});

it('a credential for some agents is for these, named', () => {
  expect(() => permitAgent(administrator('acme'), undefined)).not.toThrow();
  expect(() => permitAgent(administrator('acme', ['echo']), 'echo')).not.toThrow();
  expect(() => permitAgent(administrator('acme', ['echo']), 'research')).toThrow(PermissionDeniedError);
  expect(() => permitAgent(administrator('acme', ['echo']), undefined)).toThrow(PermissionDeniedError);
});
