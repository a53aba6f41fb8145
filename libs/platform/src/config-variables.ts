import {
  baseUrl,
  choice,
  choices,
  folder,
  hostAndPort,
  identifier,
  integer,
  milliseconds,
  networks,
  onOff,
  optional,
  origins,
  port,
  portOrOff,
  projectFolder,
  required,
  secretKey,
  text,
  trueOrFalse,
  url,
  variable,
  words,
} from './config-values.js';

/**
 * Every variable that Chorus reads, by the name that it has in `Config`.
 *
 * Names that other programs share keep their usual form (PORT, DATABASE_URL). CHORUS_ marks what is particular to this
 * installation: a misspelt one is reported at boot. WORKER_ concerns worker processes only; a time ends in its unit.
 */
export const VARIABLES = {
  host: variable('HOST', text, {
    group: 'Addresses',
    default: '127.0.0.1',
    description: 'Address that the API listens on. `0.0.0.0` opens it to the network, which needs CHORUS_AUTH.',
  }),
  port: variable('PORT', port, {
    group: 'Addresses',
    default: '3000',
    description: 'Port that the API listens on; 0 takes any free one.',
  }),
  publicUrl: optional('PUBLIC_URL', baseUrl, {
    group: 'Addresses',
    description:
      "Where clients reach the API; what agent cards name. Without it: the trusted proxy's headers, else the request's Host.",
  }),
  trustProxy: variable('TRUST_PROXY', networks, {
    group: 'Addresses',
    default: '127.0.0.0/8,::1',
    description: 'Peers whose `X-Forwarded-*` headers are believed.',
  }),
  defaultAgent: optional('CHORUS_DEFAULT_AGENT', text, {
    group: 'Addresses',
    description: 'Id of the agent that also answers at `/`. Without it: the only one, if there is only one.',
  }),
  corsOrigins: variable('CORS_ORIGINS', origins, {
    group: 'Addresses',
    default: '*',
    description: 'Origins of the web pages that may read answers.',
  }),

  auth: optional('CHORUS_AUTH', choices('apikey', 'jwt'), {
    group: 'Access',
    description:
      'What callers show who they are with, any of: `apikey`, a key of `chorus keys create`; `jwt`, a token of an identity provider. Without it whoever reaches the API may do anything, so that it listens on this machine only.',
  }),
  jwtIssuer: optional('JWT_ISSUER', url('https:', 'http:'), {
    group: 'Access',
    description: 'The identity provider, as its tokens name it in `iss`. `http:` only on this machine.',
  }),
  jwtAudience: optional('JWT_AUDIENCE', words, {
    group: 'Access',
    description: 'What tokens must name in `aud`, any of these.',
  }),
  jwtJwksUrl: optional('JWT_JWKS_URL', url('https:', 'http:'), {
    group: 'Access',
    description: "Where the provider's keys are. Without it: where its OpenID Connect discovery document says.",
  }),
  jwtAlgorithms: variable(
    'JWT_ALGORITHMS',
    choices('RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'),
    {
      group: 'Access',
      default: 'RS256,ES256,EdDSA',
      description: 'Signatures of tokens that are accepted.',
    },
  ),
  jwtTenantClaim: variable('JWT_TENANT_CLAIM', text, {
    group: 'Access',
    default: 'tenant',
    description: 'The claim that holds the tenant; a token without it is for the tenant without a name.',
  }),
  jwtClockSkewMs: variable('JWT_CLOCK_SKEW_MS', milliseconds(0, 600_000), {
    group: 'Access',
    default: '30000',
    description: 'How far the clocks of the provider and of this host may be apart.',
  }),
  insecure: variable('CHORUS_INSECURE', trueOrFalse, {
    group: 'Access',
    default: 'false',
    description: '`true` lets the API listen on an address of the network without CHORUS_AUTH.',
  }),

  grpcPort: variable('GRPC_PORT', portOrOff, {
    group: 'gRPC',
    default: '50051',
    description: 'Port that the API serves gRPC on, at the address HOST; 0 takes any free one, `off` serves none.',
  }),
  publicGrpcAddress: optional('PUBLIC_GRPC_ADDRESS', hostAndPort, {
    group: 'gRPC',
    description:
      'Where clients reach gRPC; what agent cards name. Without it: the host of the request for the card and GRPC_PORT, and no gRPC in the cards of an API behind a proxy or with a PUBLIC_URL.',
  }),
  grpcCertificateFile: optional('GRPC_TLS_CERT_FILE', folder, {
    group: 'gRPC',
    description: 'File with the certificate chain, as PEM, that gRPC is served with. Without it: no TLS.',
  }),
  grpcKeyFile: optional('GRPC_TLS_KEY_FILE', folder, {
    group: 'gRPC',
    description: 'File with the private key, as PEM, of that certificate.',
  }),

  serveV03: variable('A2A_V03', onOff, {
    group: 'Protocol',
    default: 'on',
    description:
      'Whether A2A 0.3 is served beside 1.0: its requests, and its fields and interfaces in agent cards. Off: a request that names no version is refused.',
  }),

  cardSigningKey: optional('CARD_SIGNING_KEY', text, {
    group: 'Signed cards',
    description: 'Private key that the API signs agent cards with, as PEM (PKCS#8) or JWK. Needs PUBLIC_URL.',
  }),
  cardSigningKeyFile: optional('CARD_SIGNING_KEY_FILE', folder, {
    group: 'Signed cards',
    description: 'File that holds that key instead.',
  }),
  previousCardSigningKey: optional('CARD_SIGNING_PREVIOUS_KEY', text, {
    group: 'Signed cards',
    description: 'The key before it, while clients still know it: a private key signs too, a public one is only published.',
  }),
  previousCardSigningKeyFile: optional('CARD_SIGNING_PREVIOUS_KEY_FILE', folder, {
    group: 'Signed cards',
    description: 'File that holds that key instead.',
  }),

  encryptionKey: optional('CHORUS_ENCRYPTION_KEY', secretKey, {
    group: 'Push notifications',
    description:
      "Key that receivers' tokens and credentials are encrypted with in the database; the same for every process. `npm start` makes one. Without it there are no push notifications.",
  }),
  previousEncryptionKey: optional('CHORUS_ENCRYPTION_PREVIOUS_KEY', secretKey, {
    group: 'Push notifications',
    description: 'The key before it, while something may still be encrypted with it.',
  }),
  outboundAllow: optional('CHORUS_OUTBOUND_ALLOW', text, {
    group: 'Push notifications',
    description:
      'What may be called beyond public hosts at ports 80, 443, 8080 and 8443: comma-separated names, `*.` and a domain, addresses, CIDR blocks, each with a port if only that one is meant (`[fd00::/8]:8080`); `*:3000` opens a port of public hosts.',
  }),
  maxPushConfigs: variable('MAX_PUSH_CONFIGS', integer(1, 1000), {
    group: 'Push notifications',
    default: '32',
    description: 'Most configurations of a task.',
  }),

  bodyLimit: variable('BODY_LIMIT', integer(1024, 1_073_741_824, 'bytes'), {
    group: 'Limits of a request',
    default: '10485760',
    description: 'Largest request body.',
  }),
  maxParts: variable('MAX_PARTS', integer(1, 100_000), {
    group: 'Limits of a request',
    default: '1000',
    description: 'Most parts of a message.',
  }),
  maxMetadataDepth: variable('MAX_METADATA_DEPTH', integer(1, 30), {
    group: 'Limits of a request',
    default: '30',
    description: 'Deepest nesting of metadata and data parts. What is deeper could not be read back by protobuf clients.',
  }),
  maxIdLength: variable('MAX_ID_LENGTH', integer(36, 1024, 'characters'), {
    group: 'Limits of a request',
    default: '256',
    description: 'Longest message, task and context id.',
  }),

  databaseUrl: required('DATABASE_URL', url('postgres:', 'postgresql:'), {
    group: 'Storage',
    description: 'The Postgres database. `npm start` brings its own unless this is set.',
  }),
  databasePoolSize: variable('DATABASE_POOL_SIZE', integer(1, 500, 'connections'), {
    group: 'Storage',
    default: '8',
    description: 'Connections of a process for sending, executing and reading tasks.',
  }),
  databaseListPoolSize: variable('DATABASE_LIST_POOL_SIZE', integer(1, 500, 'connections'), {
    group: 'Storage',
    default: '4',
    description: 'Connections of a process for lists and other queries that may take longer.',
  }),
  statementTimeoutMs: variable('STATEMENT_TIMEOUT_MS', milliseconds(100), {
    group: 'Storage',
    default: '10000',
    description: 'How long a process waits for the answer to a statement before it takes the database for unreachable.',
  }),
  redisUrl: optional('REDIS_URL', url('redis:', 'rediss:'), {
    group: 'Storage',
    description: 'Redis or Valkey. Without it the queue and the live events run on Postgres alone.',
  }),
  redisPrefix: variable('REDIS_PREFIX', identifier, {
    group: 'Storage',
    default: 'chorus',
    description: 'First word of every key and channel in Redis, so that installations can share one.',
  }),
  dataDir: variable('CHORUS_DATA_DIR', folder, {
    group: 'Storage',
    default: '.chorus',
    description: 'Where `npm start` keeps the data of the servers that it brings.',
  }),

  agentsDir: variable('CHORUS_AGENTS_DIR', projectFolder, {
    group: 'Worker',
    default: 'dist/agents',
    description: 'Folder whose JavaScript files are the agents that a worker hosts; by default the built form of `agents/`.',
  }),
  workerAgents: optional('WORKER_AGENTS', words, {
    group: 'Worker',
    description: 'Ids of the agents that this worker hosts. Without it: all that it finds.',
  }),
  workerRoles: variable('WORKER_ROLES', choices('execute', 'reconcile'), {
    group: 'Worker',
    default: 'execute,reconcile',
    description: 'What this worker does: run agents, repair what was lost.',
  }),
  workerConcurrency: variable('WORKER_CONCURRENCY', integer(1, 10_000, 'turns'), {
    group: 'Worker',
    default: '50',
    description: 'Turns of one agent that a worker runs at a time, unless the agent says otherwise.',
  }),
  workerHealthPort: optional('WORKER_HEALTH_PORT', port, {
    group: 'Worker',
    description: 'Port on which a worker answers `/livez` and `/readyz`. Without it: none.',
  }),
  workerHealthHost: variable('WORKER_HEALTH_HOST', text, {
    group: 'Worker',
    default: '127.0.0.1',
    description: 'Address of that port.',
  }),

  leaseMs: variable('LEASE_MS', milliseconds(500), {
    group: 'Times',
    default: '9000',
    description: 'How long a worker owns a task after its last sign of life. At least twice HEARTBEAT_MS.',
  }),
  heartbeatMs: variable('HEARTBEAT_MS', milliseconds(100), {
    group: 'Times',
    default: '3000',
    description: 'How often a worker renews its leases and hears of cancels.',
  }),
  sweepMs: variable('SWEEP_MS', milliseconds(100), {
    group: 'Times',
    default: '2000',
    description: 'How often a worker looks for what was lost: expired leases, forgotten work, overdue cancels.',
  }),
  outageMs: variable('OUTAGE_MS', milliseconds(1000), {
    group: 'Times',
    default: '60000',
    description: 'How long turns go on computing while the database does not answer. At least LEASE_MS.',
  }),
  cancelGraceMs: variable('CANCEL_GRACE_MS', milliseconds(0), {
    group: 'Times',
    default: '6000',
    description: 'How long a canceled agent may take to stop before the worker, or any other, records CANCELED itself.',
  }),
  cancelAnswerMs: variable('CANCEL_ANSWER_MS', milliseconds(0), {
    group: 'Times',
    default: '5000',
    description:
      'How long CancelTask waits for the agent to stop before the API records CANCELED itself. At most CANCEL_GRACE_MS.',
  }),
  drainMs: variable('DRAIN_MS', milliseconds(0), {
    group: 'Times',
    default: '25000',
    description:
      'How long running turns may go on after SIGTERM, and the longest that the API waits for its last answers to be taken.',
  }),
  stopMs: variable('STOP_MS', milliseconds(0), {
    group: 'Times',
    default: '2000',
    description: 'How long an aborted turn has, after the drain time, before it is handed back all the same.',
  }),
  turnTimeoutMs: variable('TURN_TIMEOUT_MS', milliseconds(100), {
    group: 'Times',
    default: '3600000',
    description: 'How long one turn may take, unless the agent says otherwise; then the task is FAILED.',
  }),
  silenceTimeoutMs: variable('SILENCE_TIMEOUT_MS', milliseconds(100), {
    group: 'Times',
    default: '600000',
    description: 'How long a turn may go without an event, unless the agent says otherwise; then the task is FAILED.',
  }),
  retentionDays: optional('RETENTION_DAYS', integer(1, 36_500, 'days'), {
    group: 'Times',
    description: 'Tasks that ended longer ago are deleted. Without it: none.',
  }),

  logLevel: variable('LOG_LEVEL', choice('debug', 'info', 'warn', 'error', 'silent'), {
    group: 'Logs',
    default: 'info',
    description: 'Least level that is written.',
  }),
  logFormat: variable('LOG_FORMAT', choice('json', 'pretty'), {
    group: 'Logs',
    default: 'json',
    description: 'One JSON object a line, or one line for a person.',
  }),
} as const;
