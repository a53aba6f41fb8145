const library = (name) => `<rootDir>/libs/${name}/src/index.ts`;

/** Source, not dist: a spec never runs against a stale build. Only the suites that start real processes use dist. */
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
      },
    ],
  },
  moduleNameMapper: {
    '^#(protocol|core|transport|postgres|redis|bullmq|signing|outbound|client|loader|push|auth|platform|testing|probe)$':
      library('$1'),
    '^chorus/agents$': library('agents'),
    '^chorus/agents/testing$': '<rootDir>/libs/agents/src/testing/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.chorus/'],
};

/** Specs of the libraries that speak to a real Postgres or Redis. */
const withServers = [
  '<rootDir>/libs/{postgres,redis,bullmq,testing}/**/*.spec.ts',
  '<rootDir>/{libs,apps}/**/*.integration.spec.ts',
];

/** Jest has one time limit for all projects: a set-up file gives these theirs. */
const slow = (displayName, testMatch, TEST_TIMEOUT_MS) => ({
  ...base,
  displayName,
  testMatch,
  globals: { TEST_TIMEOUT_MS },
  setupFilesAfterEnv: ['<rootDir>/libs/testing/src/servers/time-limit.ts'],
});

export default {
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,apps,agents,scripts}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '/libs/(postgres|redis|bullmq|testing)/', '\\.integration\\.spec\\.ts$'],
    },
    slow('integration', withServers, 30_000),
    slow('fuzz', ['<rootDir>/test/fuzz/**/*.spec.ts'], 180_000),
    slow('e2e', ['<rootDir>/test/e2e/**/*.spec.ts'], 60_000),
    slow('chaos', ['<rootDir>/test/chaos/**/*.spec.ts'], 120_000),
    slow('long', ['<rootDir>/test/long/**/*.spec.ts'], 240_000),
  ],
};
