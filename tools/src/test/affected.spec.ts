// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { affectedBy, narrowed, readProjects, type Projects } from './affected.ts';

const PROJECTS: Projects = {
  roots: {
    digest: 'libs/digest',
    merkle: 'libs/merkle',
    mk8: 'libs/mk8-shell',
    kernel: 'apps/kernel',
    cli: 'apps/cli',
    agent: 'apps/sandbox-agent',
    stack: 'tests/stack',
    e2e: 'tests/e2e',
    fault: 'tests/fault',
    adversarial: 'tests/adversarial',
    tools: 'tools',
  },
  dependencies: {
    agent: ['mk8'],
    merkle: ['digest'],
    mk8: [],
    kernel: ['merkle', 'mk8'],
    e2e: ['kernel', 'cli', 'stack'],
    fault: ['kernel', 'stack'],
    adversarial: ['kernel'],
    tools: ['digest'],
  },
};
const affected = (...files: string[]) => affectedBy(files, PROJECTS);
const BY_HAND = 'apps/cli/src/verify/by-hand.spec.ts';
const STATIC = ['lint', 'types', 'modules', 'canary'];

test('a source affects its project and all that depend on it by any number of steps', () => {
  expect(affected('libs/digest/src/hash.ts')).toEqual({
    names: [...STATIC, 'docs', 'unit', 'timing', 'e2e', 'fault', 'adversarial'],
    files: {
      unit: ['apps/kernel/', 'libs/digest/', 'libs/merkle/', 'tools/'],
      timing: ['apps/kernel/', 'libs/digest/', 'libs/merkle/', 'tools/'],
      e2e: ['tests/e2e/'],
      fault: ['tests/fault/'],
      adversarial: ['tests/adversarial/'],
    },
  });
});

test('a source of one suite does not affect the others', () => {
  expect(affected('apps/cli/src/main.ts')).toEqual({
    names: [...STATIC, 'unit', 'timing', 'e2e'],
    files: {
      unit: ['apps/cli/', 'tools/src/docs/', 'tools/src/tool-registrations/'],
      timing: ['apps/cli/', 'tools/src/docs/', 'tools/src/tool-registrations/'],
      e2e: ['tests/e2e/'],
    },
  });
});

test('a spec affects itself, and the specs that check names of tests', () => {
  expect(affected('libs/digest/src/hash.spec.ts', 'tests/e2e/src/a.spec.ts')).toEqual({
    names: [...STATIC, 'unit', 'timing', 'e2e'],
    files: {
      unit: ['libs/digest/src/hash.spec.ts', 'tools/src/docs/', 'tools/src/tool-registrations/'],
      timing: ['libs/digest/src/hash.spec.ts', 'tools/src/docs/', 'tools/src/tool-registrations/'],
      e2e: ['tests/e2e/src/a.spec.ts', 'tests/e2e/src/fault-codes.spec.ts'],
    },
  });
});

test('a shared source of stack specs affects all of them', () => {
  expect(affected('tests/stack/src/world.ts')).toMatchObject({
    files: { e2e: ['tests/e2e/'], fault: ['tests/fault/'] },
  });
});

test('a change of the fuzzed parser runs the fuzzer', () => {
  expect(affected('libs/mk8-shell/src/parse.ts')).toMatchObject({ names: expect.arrayContaining(['fuzz']) as unknown });
});

test('a source that is bundled by path affects its bundlers', () => {
  expect(affected('apps/sandbox-agent/src/main.ts')).toMatchObject({
    files: { unit: expect.arrayContaining(['libs/sandbox-docker/']) as unknown },
  });
});

test.each([
  'package-lock.json',
  'vitest.config.ts',
  'tools/bootstrap.mjs',
  'tools/src/setup.ts',
  'tools/src/test/main.ts',
  'tools/src/parts/nats.ts',
  'new-folder/a.ts',
  'apps/ledger/sql/tables/01-log.sql',
])('%s affects everything', (file) => {
  expect(affected('libs/digest/src/hash.ts', file)).toBe('everything');
});

test('a text affects the specs that read texts', () => {
  expect(affected('README.md', 'docs/adr/0001-a.md')).toEqual({
    names: ['docs', 'unit', 'timing'],
    files: { unit: [BY_HAND, 'tools/'], timing: [BY_HAND, 'tools/'] },
  });
});

test('a guide affects the specs that run its commands too, and those exist', () => {
  const guides = ['tests/e2e/src/freeze.spec.ts'];
  expect(affected('docs/explanation/risk.md')).toEqual({
    names: ['docs', 'unit', 'timing', 'e2e'],
    files: { unit: [BY_HAND, 'tools/'], timing: [BY_HAND, 'tools/'], e2e: guides },
  });
  expect(
    [...guides, BY_HAND, 'tests/e2e/src/fault-codes.spec.ts', 'tools/src/docs'].filter(
      (file) => !existsSync(join(checkout, file)),
    ),
  ).toEqual([]);
});

test('no change affects nothing, and a file that no check reads neither', () => {
  expect(affected()).toEqual({ names: [] });
  expect(affected('LICENSE', '.changes/a.md')).toEqual({ names: [] });
});

test('a filter without a spec is left out, with its suite where it was the only one', () => {
  const selection = {
    names: ['lint', 'unit', 'timing', 'e2e'],
    files: {
      unit: ['bench/', 'libs/merkle/'],
      timing: ['bench/', 'libs/merkle/'],
      e2e: ['tests/e2e/src/gone.spec.ts'],
    },
  };
  expect(narrowed(checkout, selection)).toEqual({ names: ['lint', 'unit'], files: { unit: ['libs/merkle/'] } });
});

test('in this repository every suite of whole stacks depends on the services and the agent', async () => {
  const projects = await readProjects();
  for (const service of ['orchestrator', 'kernel', 'executor', 'ledger', 'sandbox-agent']) {
    expect(affectedBy([`apps/${service}/src/main.ts`], projects)).toMatchObject({
      names: expect.arrayContaining(['e2e', 'fault', 'adversarial']) as unknown,
    });
  }
}, 120_000);
