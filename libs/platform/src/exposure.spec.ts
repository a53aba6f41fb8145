import { ConfigError } from './config/config.js';
import { requireSafeAddress } from './exposure.js';

describe('requireSafeAddress', () => {
  it.each(['127.0.0.1', '127.3.2.1', '::1', 'localhost', 'LocalHost'])('%s is this machine: nobody else comes in', (host) => {
    expect(() => requireSafeAddress({ host, auth: undefined, insecure: false })).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'chorus.example.com', '127.0.0.1.example.com', 'localhost.example.com'])(
    '%s needs authentication, or the word of whoever runs it',
    (host) => {
      const fault = (): void => requireSafeAddress({ host, auth: undefined, insecure: false });
      expect(fault).toThrow(ConfigError);
      expect(fault).toThrow(`HOST is ${host}`);
      expect(() => requireSafeAddress({ host, auth: ['apikey'], insecure: false })).not.toThrow();
      expect(() => requireSafeAddress({ host, auth: undefined, insecure: true })).not.toThrow();
    },
  );
});
