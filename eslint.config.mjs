// SPDX-License-Identifier: Apache-2.0
// Layers and the trusted base, enforced. `npm run lint` makes the project graph first: without it the boundary rule is
// skipped in silence.
import nx from '@nx/eslint-plugin';
import stylistic from '@stylistic/eslint-plugin';
import tseslint from 'typescript-eslint';

const layers = (...names) => names.map((name) => `layer:${name}`);
const allow = (tag, ...to) => ({ sourceTag: `layer:${tag}`, onlyDependOnLibsWithTags: layers(...to) });
/** What has effects or belongs to a framework: never in a domain library. */
const EFFECTS = [
  '@nestjs/*',
  '@prisma/*',
  'prisma',
  'pg',
  '@nats-io/*',
  '@opentelemetry/*',
  'rxjs',
  'dockerode',
  'pino',
  'openai',
  '@anthropic-ai/*',
  '@google/*',
];

const production = [
  { ...allow('contract', 'contract'), allowedExternalImports: ['typebox', 'typebox/*'] },
  { ...allow('domain', 'contract', 'domain'), bannedExternalImports: EFFECTS },
  allow('adapter', 'contract', 'domain', 'adapter'),
  allow('app', 'contract', 'domain', 'adapter'),
  allow('testing', 'contract', 'domain', 'adapter', 'testing'),
  allow('tool', 'contract', 'domain', 'adapter'),
  // The console has no right that another client of the API has not.
  { sourceTag: 'layer:ui', onlyDependOnLibsWithTags: ['layer:ui', 'reach:public-api'] },
  { sourceTag: 'tcb:yes', onlyDependOnLibsWithTags: ['tcb:yes'] },
];
/**
 * What a project has once for Node.js and once for browsers, it names by `imports` of its own package.json. A regular
 * expression each, and one that matches more lets more through.
 */
const OF_THE_PLATFORM = ['^#[a-z0-9]+$'];
const boundaries = (depConstraints) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    {
      enforceBuildableLibDependency: false,
      allow: OF_THE_PLATFORM,
      // Its verifier is a module of its own, which a page loads late.
      checkDynamicDependenciesExceptions: ['@writ/client/web'],
      depConstraints,
    },
  ],
});

const BUILT_INS_WITH_EFFECTS = [
  'fs',
  'fs/promises',
  'net',
  'http',
  'https',
  'http2',
  'tls',
  'dgram',
  'dns',
  'child_process',
  'worker_threads',
  'cluster',
  'os',
];
const CLOCK_AND_CHANCE = [
  { object: 'Date', property: 'now', message: 'time is an argument of a domain function' },
  { object: 'performance', property: 'now', message: 'time is an argument of a domain function' },
  { object: 'Math', property: 'random', message: 'chance is an argument of a domain function' },
  { object: 'process', property: 'env', message: 'the environment is read once, in config.env.ts' },
];
const SPECS = ['**/*.spec.ts', '**/*.contract.ts', '**/specs/**/*.ts'];

const EXPORT_ALL = { selector: 'ExportAllDeclaration', message: 'name what is exported' };
// The second fails while the first is waited for, and a failure that nobody waits for ends the whole run.
const STARTED_BEFORE_AWAITED = {
  selector: [
    "ForOfStatement[right.elements.1.type='CallExpression']",
    "MemberExpression[property.name='rejects'][object.arguments.0.type='Identifier']",
  ].join(' '),
  message: 'list functions and call each in the loop: what fails before it is awaited ends the whole run',
};

export default [
  { ignores: ['**/dist', '**/out-tsc', '**/generated', '**/*.mjs', '**/*.js'] },
  ...tseslint.configs.strict,
  { plugins: { '@nx': nx, '@stylistic': stylistic } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...boundaries(production),
      // A property that repeats its variable's name, and a rename to the same name, say the same thing twice.
      'object-shorthand': ['error', 'properties'],
      'no-useless-rename': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      'no-restricted-syntax': ['error', EXPORT_ALL],
      'no-console': 'error',
      eqeqeq: 'error',
      // Prettier holds code to it, not comments. A text is not broken: one searches for it.
      '@stylistic/max-len': [
        'error',
        {
          code: 120,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignorePattern: 'eslint-disable',
        },
      ],
      // The compiler finds them (noUnusedLocals, noUnusedParameters), in a third of the time of all rules here.
      '@typescript-eslint/no-unused-vars': 'off',
      // Nest's modules are classes that only carry their decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowStaticOnly: true }],
    },
  },
  {
    files: [
      'libs/{digest,signing,capability,policy,risk,permit,receipt,merkle,sealing,lifecycle,workspace,agent-loop,bus,blobs,sandbox,contract,egress,cli-tool,http-tool,json-schema,openapi,mk8-shell,dialects,paging,audio,transcription,info-store,info-store-chroma,embedding,calendar}/src/**/*.ts',
    ],
    ignores: SPECS,
    rules: {
      'no-restricted-imports': ['error', { paths: BUILT_INS_WITH_EFFECTS.flatMap((name) => [name, `node:${name}`]) }],
      'no-restricted-properties': ['error', ...CLOCK_AND_CHANCE],
      'no-restricted-globals': ['error', { name: 'fetch', message: 'a domain library has no effects' }],
    },
  },
  {
    files: [
      'apps/*/src/**/*.{ts,tsx}',
      'libs/{audio-pg,bus-nats,client,blobs-pg,info-store-pg,embedding-onnx,engine-process,transcription-http,transcription-local,mailbox,mcp-client,sandbox-docker,sandbox-host,sandbox-k8s,model-http,database,telemetry,nest-kit,worker-pool}/src/**/*.ts',
    ],
    ignores: ['**/config.env.ts', ...SPECS],
    rules: { 'no-restricted-properties': ['error', ...CLOCK_AND_CHANCE.filter((row) => row.property === 'env')] },
  },
  {
    // Texts of agents are attacker-controlled: React puts them into the page as texts, and nothing else does.
    files: ['apps/console/src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        EXPORT_ALL,
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'texts are shown by `Shown`' },
      ],
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'srcdoc'].map((property) => ({
          property,
          message: 'texts are shown by `Shown`',
        })),
      ],
    },
  },
  {
    // Where what people and models name goes through: V8 confuses names (libs/digest/src/escaped-names.ts).
    files: [
      'apps/{kernel,orchestrator,executor,ledger}/src/**/*.ts',
      'libs/{bus,model-http,transcription-http}/src/**/*.ts',
    ],
    ignores: SPECS,
    rules: {
      'no-restricted-syntax': [
        'error',
        EXPORT_ALL,
        {
          selector: "MemberExpression[object.name='JSON'][property.name='parse']",
          message: 'parseJson of @writ/digest reads names as they are written',
        },
      ],
    },
  },
  {
    // A spec may use libs/testing and its own project; never an app as a library.
    files: SPECS,
    rules: {
      ...boundaries([{ sourceTag: '*', notDependOnLibsWithTags: ['layer:app'] }]),
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': 'off',
      'no-restricted-syntax': ['error', EXPORT_ALL, STARTED_BEFORE_AWAITED],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Lists of names, one a line: that a library has many is for its folders to show.
    files: ['libs/*/src/index.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    // A worker program: Piscina calls what it exports by default.
    files: ['**/*.worker.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
  {
    // Programs that a person starts: they speak on the terminal.
    files: ['tools/src/**/*.ts', 'bench/src/**/*.ts', 'apps/cli/src/**/*.ts', 'tests/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['tests/**/*.ts', 'bench/src/**/*.ts', 'libs/testing/src/**/*.ts'],
    rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
];
