/** How a field of the card's messages is written when it holds its type's default value (section 8.4.1). */
export type Presence =
  /** `REQUIRED`: always there. */
  | 'required'
  /** `optional`, or of a message type: there when it was set, whatever to. */
  | 'explicit'
  /** Any other: there unless it is the default. */
  | 'implicit';

export type Shape =
  | 'string'
  | 'boolean'
  /** google.protobuf.Struct: every value is what it is. */
  | 'struct'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly message: Fields };

export interface Field {
  readonly presence: Presence;
  readonly shape: Shape;
}

export type Fields = Readonly<Record<string, Field>>;

const required = (shape: Shape): Field => ({ presence: 'required', shape });
const explicit = (shape: Shape): Field => ({ presence: 'explicit', shape });
const implicit = (shape: Shape): Field => ({ presence: 'implicit', shape });
const message = (fields: Fields): Shape => ({ message: fields });

const TEXT: Shape = 'string';
const TEXTS: Shape = { list: TEXT };
const SCOPES: Shape = { map: TEXT };

const SECURITY_REQUIREMENT = message({ schemes: implicit({ map: message({ list: implicit(TEXTS) }) }) });
const SECURITY_REQUIREMENTS = implicit({ list: SECURITY_REQUIREMENT });

const OAUTH_FLOWS = message({
  authorizationCode: explicit(
    message({
      authorizationUrl: required(TEXT),
      tokenUrl: required(TEXT),
      refreshUrl: implicit(TEXT),
      scopes: required(SCOPES),
      pkceRequired: implicit('boolean'),
    }),
  ),
  clientCredentials: explicit(message({ tokenUrl: required(TEXT), refreshUrl: implicit(TEXT), scopes: required(SCOPES) })),
  implicit: explicit(message({ authorizationUrl: implicit(TEXT), refreshUrl: implicit(TEXT), scopes: implicit(SCOPES) })),
  password: explicit(message({ tokenUrl: implicit(TEXT), refreshUrl: implicit(TEXT), scopes: implicit(SCOPES) })),
  deviceCode: explicit(
    message({
      deviceAuthorizationUrl: required(TEXT),
      tokenUrl: required(TEXT),
      refreshUrl: implicit(TEXT),
      scopes: required(SCOPES),
    }),
  ),
});

const SECURITY_SCHEME = message({
  apiKeySecurityScheme: explicit(message({ description: implicit(TEXT), location: required(TEXT), name: required(TEXT) })),
  httpAuthSecurityScheme: explicit(
    message({ description: implicit(TEXT), scheme: required(TEXT), bearerFormat: implicit(TEXT) }),
  ),
  oauth2SecurityScheme: explicit(
    message({ description: implicit(TEXT), flows: required(OAUTH_FLOWS), oauth2MetadataUrl: implicit(TEXT) }),
  ),
  openIdConnectSecurityScheme: explicit(message({ description: implicit(TEXT), openIdConnectUrl: required(TEXT) })),
  mtlsSecurityScheme: explicit(message({ description: implicit(TEXT) })),
});

/** AgentCard of `a2a.proto` 1.0.1 (section 4.4) without `signatures`, which are not part of what is signed. */
export const AGENT_CARD: Fields = {
  name: required(TEXT),
  description: required(TEXT),
  supportedInterfaces: required({
    list: message({
      url: required(TEXT),
      protocolBinding: required(TEXT),
      tenant: implicit(TEXT),
      protocolVersion: required(TEXT),
    }),
  }),
  provider: explicit(message({ url: required(TEXT), organization: required(TEXT) })),
  version: required(TEXT),
  documentationUrl: explicit(TEXT),
  capabilities: required(
    message({
      streaming: explicit('boolean'),
      pushNotifications: explicit('boolean'),
      extensions: implicit({
        list: message({
          uri: implicit(TEXT),
          description: implicit(TEXT),
          required: implicit('boolean'),
          params: explicit('struct'),
        }),
      }),
      extendedAgentCard: explicit('boolean'),
    }),
  ),
  securitySchemes: implicit({ map: SECURITY_SCHEME }),
  securityRequirements: SECURITY_REQUIREMENTS,
  defaultInputModes: required(TEXTS),
  defaultOutputModes: required(TEXTS),
  skills: required({
    list: message({
      id: required(TEXT),
      name: required(TEXT),
      description: required(TEXT),
      tags: required(TEXTS),
      examples: implicit(TEXTS),
      inputModes: implicit(TEXTS),
      outputModes: implicit(TEXTS),
      securityRequirements: SECURITY_REQUIREMENTS,
    }),
  }),
  iconUrl: explicit(TEXT),
};
