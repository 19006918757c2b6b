// SPDX-License-Identifier: Apache-2.0
import { CHECK_NAMES, checksOf, DEFAULT_NAMES, PHASES, type Selection } from './checks.ts';

const checks = (selection: Partial<Selection>) =>
  checksOf('/checkout', '/state', { names: DEFAULT_NAMES, ...selection });
const names = (selection: Partial<Selection>): string[] => checks(selection).map(({ name }) => name);

test('everything consists of source checks, unit specs and stack specs', () => {
  expect(names({})).toEqual([
    'lint',
    'types',
    'modules',
    'docs',
    'unit',
    'stacks',
    'canary',
    'fuzz',
    'console',
    'api-fuzz',
    'faults',
    'timing',
  ]);
  expect(checks({}).flatMap(({ specs }) => specs?.suites ?? [])).toEqual([
    'unit',
    'e2e',
    'adversarial',
    'console',
    'api-fuzz',
    'fault',
    'timing',
  ]);
});

test('specs of a cluster run only where they are named, alone, without the infrastructure', () => {
  expect(CHECK_NAMES).toContain('cluster');
  expect(checks({ names: ['cluster'] })).toMatchObject([{ name: 'cluster', lane: 'cluster', afterSetUp: false }]);
  expect(PHASES.find((lanes) => (lanes as readonly string[]).includes('cluster'))).toEqual(['cluster']);
});

test('the fuzzer of the API runs for a minute among others, and longer alone, one file after another', () => {
  expect(checks({}).find(({ name }) => name === 'api-fuzz')?.env).not.toHaveProperty('WRIT_API_FUZZ_SECONDS');
  const [check, ...others] = checks({ names: ['api-fuzz'] });
  expect(check).toMatchObject({ name: 'api-fuzz', lane: 'stacks', specs: { suites: ['api-fuzz'] } });
  expect(check?.env).toMatchObject({ WRIT_API_FUZZ_SECONDS: expect.stringMatching(/^\d+$/) });
  expect(check?.command).toEqual(expect.arrayContaining(['--project=api-fuzz', '--maxWorkers=1']));
  expect(others).toEqual([]);
});

test.each(['chart', 'deploy'])('the suite `%s` runs only where it is named, after what it needs was made', (name) => {
  const [check, ...others] = checks({ names: [name] });
  expect([check?.name, typeof check?.prepare, others]).toEqual([name, 'function', []]);
  expect(names({})).not.toContain(name);
});

test('the specs of the console install a browser where there is none', () => {
  expect(checks({}).flatMap(({ name, prepare }) => (prepare === undefined ? [] : [name]))).toEqual(['console']);
});

test('stack suites run only where they are named', () => {
  const [stacks] = checks({ names: ['adversarial'] });
  expect(stacks).toMatchObject({ name: 'stacks', specs: { suites: ['adversarial'] } });
  expect(stacks?.command).toContain('--project=adversarial');
  expect(stacks?.command).not.toContain('--project=e2e');
});

test('specs that share a stack run with the suite `e2e`', () => {
  expect(checks({ names: ['e2e'] })[0]?.command).toEqual(expect.arrayContaining(['--project=e2e', '--project=shared']));
});

test('only the first shard checks the sources, and each has its part of the specs', () => {
  expect(names({ shard: { index: 1, count: 2 } })).toContain('lint');
  expect(names({ shard: { index: 2, count: 2 } })).toEqual([
    'unit',
    'stacks',
    'console',
    'api-fuzz',
    'faults',
    'timing',
  ]);
  for (const { command } of checks({ shard: { index: 2, count: 2 } })) expect(command).toContain('--shard=2/2');
});

test('a filter of one suite does not filter the others', () => {
  const [stacks] = checks({ names: ['e2e', 'adversarial'], files: { e2e: ['tests/e2e/src/a.spec.ts'] } });
  expect(stacks?.command.slice(-2)).toEqual(['tests/e2e/src/a.spec.ts', 'tests/adversarial/']);
});

test.each(['faults', 'timing'])('nothing runs beside the specs of `%s`', (alone) => {
  expect(PHASES.find((lanes) => (lanes as readonly string[]).includes(alone))).toEqual([alone]);
  expect(
    checks({})
      .filter(({ lane }) => lane === alone)
      .map(({ name }) => name),
  ).toEqual([alone]);
});

test('files of specs that measure times run one after another', () => {
  expect(checks({ names: ['timing'] })[0]?.command).toContain('--maxWorkers=1');
});

test('a focused test fails its run', () => {
  for (const { command, specs } of checks({})) if (specs !== undefined) expect(command).toContain('--allowOnly=false');
});
