import { baseUrl, networks, optional, origins, port, text, variable } from '../values.js';

const group = 'Addresses';

export const ADDRESSES = {
  host: variable('HOST', text, {
    group,
    default: '127.0.0.1',
    description: 'Address that the API listens on. `0.0.0.0` opens it to the network, which needs CHORUS_AUTH.',
  }),
  port: variable('PORT', port, {
    group,
    default: '3000',
    description: 'Port that the API listens on; 0 takes any free one.',
  }),
  publicUrl: optional('PUBLIC_URL', baseUrl, {
    group,
    description:
      "Where clients reach the API; what agent cards name. Without it: the trusted proxy's headers, else the request's Host.",
  }),
  trustProxy: variable('TRUST_PROXY', networks, {
    group,
    default: '127.0.0.0/8,::1',
    description: 'Peers whose `X-Forwarded-*` headers are believed.',
  }),
  defaultAgent: optional('CHORUS_DEFAULT_AGENT', text, {
    group,
    description: 'Id of the agent that also answers at `/`. Without it: the only one, if there is only one.',
  }),
  corsOrigins: variable('CORS_ORIGINS', origins, {
    group,
    default: '*',
    description: 'Origins of the web pages that may read answers.',
  }),
} as const;
