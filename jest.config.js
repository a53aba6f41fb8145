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
    '^#(protocol|core|transport|postgres|redis|bullmq|platform|testing)$': library('$1'),
    '^chorus/agents$': library('agents'),
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.chorus/'],
};

/** Specs of the libraries that speak to a real Postgres or Redis. */
const withServers = ['<rootDir>/libs/{postgres,redis,bullmq,testing}/**/*.spec.ts', '<rootDir>/{libs,apps}/**/*.integration.spec.ts'];

export default {
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,apps,agents,scripts}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '/libs/(postgres|redis|bullmq|testing)/', '\\.integration\\.spec\\.ts$'],
    },
    { ...base, displayName: 'integration', testMatch: withServers, testTimeout: 30_000 },
    { ...base, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'], testTimeout: 60_000 },
    { ...base, displayName: 'chaos', testMatch: ['<rootDir>/test/chaos/**/*.spec.ts'], testTimeout: 120_000 },
  ],
};
