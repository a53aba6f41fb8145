import { z } from 'zod';

const text = z.string().min(1);
const url = z.url();
const scopes = z.record(z.string(), z.string());

/** Exactly one member of a one-of of the proto. */
const oneOf = <Shape extends Record<string, z.ZodType>>(members: Shape) =>
  z
    .strictObject(members)
    .partial()
    .refine((value) => Object.values(value).filter((member) => member !== undefined).length === 1, {
      error: `must have exactly one of ${Object.keys(members).join(', ')}`,
    });

const flows = oneOf({
  authorizationCode: z.strictObject({
    authorizationUrl: url,
    tokenUrl: url,
    refreshUrl: url.optional(),
    scopes,
    pkceRequired: z.boolean().optional(),
  }),
  clientCredentials: z.strictObject({ tokenUrl: url, refreshUrl: url.optional(), scopes }),
  implicit: z.strictObject({ authorizationUrl: url.optional(), refreshUrl: url.optional(), scopes: scopes.optional() }),
  password: z.strictObject({ tokenUrl: url.optional(), refreshUrl: url.optional(), scopes: scopes.optional() }),
  deviceCode: z.strictObject({ deviceAuthorizationUrl: url, tokenUrl: url, refreshUrl: url.optional(), scopes }),
});

/** SecurityScheme of section 4.5.1. Two OAuth2 flows are two schemes, since `flows` is a one-of too. */
export const securityScheme = oneOf({
  apiKeySecurityScheme: z.strictObject({
    description: text.optional(),
    location: z.enum(['query', 'header', 'cookie']),
    name: text,
  }),
  httpAuthSecurityScheme: z.strictObject({ description: text.optional(), scheme: text, bearerFormat: text.optional() }),
  oauth2SecurityScheme: z.strictObject({ description: text.optional(), flows, oauth2MetadataUrl: url.optional() }),
  openIdConnectSecurityScheme: z.strictObject({ description: text.optional(), openIdConnectUrl: url }),
  mtlsSecurityScheme: z.strictObject({ description: text.optional() }),
});

export const securityRequirement = z.strictObject({
  schemes: z.record(z.string(), z.strictObject({ list: z.array(text) })),
});
