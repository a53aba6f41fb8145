import tseslint from 'typescript-eslint';

const OURS = [
  'protocol',
  'core',
  'transport',
  'postgres',
  'redis',
  'bullmq',
  'signing',
  'outbound',
  'client',
  'loader',
  'push',
  'auth',
  'platform',
  'testing',
  'probe',
];
/** Each appears only in the folder whose job it is. */
const FRAMEWORKS = [
  '@nestjs/*',
  'fastify',
  '@fastify/*',
  'bullmq',
  'ioredis',
  'pg',
  'pg-*',
  '@prisma/*',
  'prisma',
  'pino',
  'undici',
  'esbuild',
  'commander',
  'rxjs',
  'reflect-metadata',
];

/**
 * What `folder` may import: of our libraries those in `libraries`, of the frameworks those in `frameworks`. Libraries are
 * reached by their names, so a path that leaves the library is refused too.
 */
function boundary(folder, libraries, frameworks = [], { chorusAgents = false } = {}) {
  const message = `${folder} may import of ours only: ${libraries.join(', ') || 'nothing'} (see CONTRIBUTING.md).`;
  const foreign = OURS.filter((name) => !libraries.includes(name));
  const patterns = [
    // Not as `group`: its patterns are those of a .gitignore, where # begins a comment.
    ...(foreign.length > 0 ? [{ regex: `^#(${foreign.join('|')})(/|$)`, message }] : []),
    { group: FRAMEWORKS.filter((name) => !frameworks.includes(name)), message },
    {
      regex: `^(\\.\\./)+(libs/|apps/|dist/)?(${[...OURS, 'agents', 'api', 'worker', 'cli'].join('|')})/src/`,
      message: 'Import a library by its name (#core), not by a path.',
    },
    ...(chorusAgents ? [] : [{ group: ['chorus/*'], message: 'Only agents import chorus/agents.' }]),
  ];
  return [
    {
      files: [`${folder}/**/*.ts`],
      ignores: ['**/*.spec.ts', '**/*.spec-support.ts'],
      rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
    },
  ];
}

const NO_ENVIRONMENT = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read in libs/platform/src/config/config.ts only.',
};
const NO_CAN_PARSE = {
  object: 'URL',
  property: 'canParse',
  message: 'On Node 20 it refuses some URLs when it is called often: parseUrl of #protocol.',
};
const NO_STAR_EXPORT = { selector: 'ExportAllDeclaration', message: 'An index names what is public, one by one.' };

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.chorus/', 'coverage/'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-properties': ['error', NO_CAN_PARSE],
      'no-restricted-syntax': ['error', NO_ENVIRONMENT, NO_STAR_EXPORT],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'for now'] }],
    },
  },
  // Specs and benchmarks print, and find their servers in the environment that npm test gives them.
  {
    files: ['**/*.spec.ts', '**/*.spec-support.ts', 'test/**/*.ts', 'libs/testing/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', NO_STAR_EXPORT],
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  { files: ['libs/platform/src/config/config.ts'], rules: { 'no-restricted-syntax': ['error', NO_STAR_EXPORT] } },
  { files: ['apps/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  // They import nothing of ours, and parse a few URLs in all their lives.
  { files: ['libs/{platform,probe}/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  // Nest reads the types of constructor parameters at run time.
  { files: ['apps/{api,worker}/**/*.ts'], rules: { '@typescript-eslint/consistent-type-imports': 'off' } },

  ...boundary('libs/protocol', []),
  ...boundary('libs/core', ['protocol']),
  ...boundary('libs/transport', ['protocol', 'core']),
  ...boundary('libs/postgres', ['protocol', 'core'], ['pg', 'pg-*']),
  ...boundary('libs/redis', ['protocol', 'core'], ['ioredis']),
  ...boundary('libs/bullmq', ['protocol', 'core', 'redis'], ['bullmq', 'ioredis', 'pg', 'pg-*']),
  ...boundary('libs/signing', ['protocol']),
  ...boundary('libs/outbound', ['protocol'], ['undici']),
  ...boundary('libs/client', ['protocol', 'core', 'outbound', 'signing']),
  ...boundary('libs/loader', ['core', 'platform'], ['esbuild']),
  ...boundary('libs/push', ['protocol', 'core', 'outbound', 'signing']),
  ...boundary('libs/auth', ['protocol', 'core']),
  ...boundary('libs/agents', ['protocol', 'core']),
  ...boundary('libs/probe', ['protocol']),
  ...boundary('libs/platform', [], ['pino', '@nestjs/*']),
  ...boundary('libs/testing', OURS, ['pg', 'pg-*', 'bullmq', 'ioredis']),
  ...boundary('agents', [], [], { chorusAgents: true }),
  ...boundary(
    'apps/api',
    OURS.filter((name) => name !== 'testing'),
    ['@nestjs/*', 'fastify', '@fastify/*', 'rxjs', 'reflect-metadata'],
  ),
  ...boundary(
    'apps/worker',
    OURS.filter((name) => name !== 'testing'),
    ['@nestjs/*', 'rxjs', 'reflect-metadata'],
  ),
);
