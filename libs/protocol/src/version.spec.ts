import { VersionNotSupportedError } from './errors.js';
import { negotiateVersion } from './version.js';

describe('negotiateVersion', () => {
  it.each([
    ['1.0', ['1.0'], '1.0'],
    ['1.0.1', ['1.0'], '1.0'],
    [' 1.0 ', ['1.0'], '1.0'],
    ['0.3', ['1.0', '0.3'], '0.3'],
    ['0.3.0', ['1.0', '0.3'], '0.3'],
    ['', ['1.0', '0.3'], '0.3'],
    [undefined, ['1.0', '0.3'], '0.3'],
  ])('%j of %j is %s', (value, supported, expected) => {
    expect(negotiateVersion(value, supported)).toBe(expected);
  });

  it.each(['9.9', '1', '1.1', '2.0', '1.0.1.2', '01.0', 'v1.0', '1.0, 0.3', '1.0-beta', '0.3'])('refuses %j by name', (value) => {
    expect(() => negotiateVersion(value, ['1.0'])).toThrow(VersionNotSupportedError);
    expect(() => negotiateVersion(value, ['1.0'])).toThrow(`A2A version ${value} is not supported; supported: 1.0`);
  });

  it.each([undefined, '', ' '])('tells a client that sends %j what to send', (value) => {
    expect(() => negotiateVersion(value, ['1.0'])).toThrow(
      'No A2A-Version was sent, which means 0.3; supported: 1.0. Send `A2A-Version: 1.0`',
    );
  });
});
