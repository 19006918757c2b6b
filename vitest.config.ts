// SPDX-License-Identifier: Apache-2.0
// How the specs run. Each suite is a project of its own: `npx vitest run --project unit libs/merkle`.
import { configDefaults, defineConfig } from 'vitest/config';
import { sharedFiles, sharedLongFiles, suiteFiles } from './tools/src/test/suite-files.ts';
import { LongestFirst } from './tools/src/vitest/longest-first.ts';

/** Own sources come from `src`, never from `dist`: a spec tests what stands there now. */
const CONDITIONS = ['@writ/source', 'node', 'module', 'default'];

const RESOLVE = { conditions: CONDITIONS, externalConditions: ['node', 'module-sync', 'default'] };

/** A suite shares its machine with others: this only ends what hangs, and no test measures time by it. */
const TIMEOUT_MS = 120_000;

const setup = (name: string): string => new URL(`./tools/src/vitest/${name}.ts`, import.meta.url).pathname;

/** How often a failed test runs again: set by `npm test` alone. */
const RETRY = Number(process.env['WRIT_TEST_RETRIES'] ?? 0);

const suite = (name: keyof typeof suiteFiles, setupFiles: readonly string[], retry = 0) => ({
  extends: true as const,
  test: {
    name,
    include: [...suiteFiles[name]],
    exclude: [...configDefaults.exclude, ...sharedFiles, ...sharedLongFiles],
    setupFiles: setupFiles.map(setup),
    retry,
  },
});

const UNIT_SETUP = ['processor-time', 'real-timers'];
const STACK_SETUP = [...UNIT_SETUP, 'process-log-tails'];

/** Specs of stacks that share one stack, which is started before the first of them. */
const sharedSuite = (name: string, files: readonly string[]) => ({
  extends: true as const,
  // Where Vitest runs what starts the stack: it finds own sources as specs do.
  environments: { __vitest__: { resolve: RESOLVE } },
  test: {
    name,
    include: [...files],
    setupFiles: STACK_SETUP.map(setup),
    retry: RETRY,
    globalSetup: new URL('./tests/stack/src/shared-stack-setup.ts', import.meta.url).pathname,
  },
});

const onNode = suite('cluster', UNIT_SETUP);

/** Specs on a real node with the images of this checkout, which are there before the first of them. */
const cluster = {
  ...onNode,
  environments: { __vitest__: { resolve: RESOLVE } },
  test: { ...onNode.test, globalSetup: new URL('./tools/src/release/cluster-setup.ts', import.meta.url).pathname },
};

export default defineConfig({
  resolve: { conditions: CONDITIONS },
  ssr: { resolve: RESOLVE },
  // Nest reads the types of constructor parameters, in specs as in sources.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    globals: true,
    environment: 'node',
    pool: 'forks',
    // Files of one worker share its modules: loading Nest and its like anew for each file took half of the processor
    // time.
    isolate: false,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    unstubEnvs: true,
    restoreMocks: true,
    sequence: { sequencer: LongestFirst },
    projects: [
      suite('unit', UNIT_SETUP, RETRY),
      suite('e2e', STACK_SETUP, RETRY),
      sharedSuite('shared', sharedFiles),
      suite('timing', UNIT_SETUP, RETRY),
      suite('long', STACK_SETUP, RETRY),
      sharedSuite('shared-long', sharedLongFiles),
      suite('fault', STACK_SETUP, RETRY),
      suite('adversarial', STACK_SETUP),
      suite('api-fuzz', STACK_SETUP),
      suite('chart', UNIT_SETUP),
      suite('console', STACK_SETUP, RETRY),
      suite('deploy', STACK_SETUP),
      cluster,
    ],
  },
});
