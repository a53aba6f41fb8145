import type { SecurityScheme } from '#protocol';
import { legacyProtoSecurityOf, legacySecurityOf, securityOf, securityOfBoth } from './security.js';

const tokenUrl = 'https://idp.test/token';
const scopes = { push: 'Be told' };
const schemes: Record<string, SecurityScheme> = {
  program: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes } } } },
  device: { oauth2SecurityScheme: { flows: { deviceCode: { deviceAuthorizationUrl: 'https://idp.test/d', tokenUrl, scopes } } } },
};
const mtls = { mtlsSecurityScheme: { description: 'A certificate' } };
const list = ['tasks:write', 'tasks:read'];
const legacy = { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes } } };

describe('the security of a card', () => {
  it('has each scheme as one that is enough', () => {
    expect(securityOf(schemes)).toEqual({
      securitySchemes: schemes,
      securityRequirements: [{ schemes: { program: { list } } }, { schemes: { device: { list } } }],
    });
  });

  it('leaves out of what clients of 0.3 read the flow that they do not know, and the requirement with it', () => {
    expect(legacySecurityOf(securityOf(schemes))).toEqual({
      securitySchemes: { program: legacy },
      security: [{ program: list }],
    });
    expect(legacyProtoSecurityOf(securityOf(schemes))).toEqual({
      securitySchemes: { program: schemes['program'] },
      security: [{ schemes: { program: { list } } }],
    });
    expect(securityOfBoth(securityOf(schemes))).toEqual({
      securitySchemes: { program: { ...schemes['program'], ...legacy } },
      securityRequirements: [{ schemes: { program: { list } } }],
      security: [{ program: list }],
    });
  });

  it('has client certificates under the name that 0.3 has for them', () => {
    expect(legacySecurityOf(securityOf({ mtls }))).toEqual({
      securitySchemes: { mtls: { type: 'mutualTLS', description: 'A certificate' } },
      security: [{ mtls: list }],
    });
  });

  it('is nothing where nobody is asked', () => {
    for (const form of [legacySecurityOf, legacyProtoSecurityOf, securityOfBoth]) expect(form(securityOf())).toEqual({});
  });
});
