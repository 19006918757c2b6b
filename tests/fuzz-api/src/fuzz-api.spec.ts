// SPDX-License-Identifier: Apache-2.0
// Schemathesis makes requests from the API's own document, as each role. Skipped by name where it can't be installed.
import { join } from 'node:path';
import { vi } from 'vitest';
import { startStack, type Stack } from '@writ/stack';
import { pythonEnvironment } from '@writ/testing';
import { budgetOf, CALLERS, fuzz, FUZZED_ORCHESTRATOR } from './fuzz-role.ts';

// A fuzzer waits for the stack half of its time, and the stack for the fuzzer: two fill two processors.
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 180_000, maxConcurrency: 2 });

const lock = join(import.meta.dirname, '..', 'requirements.lock');
const environment = await pythonEnvironment('fuzz-api', lock, { atLeast: '3.11' });

describe.skipIf(environment === null)('the API, fuzzed (skipped without Python 3.11, venv and pip)', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ env: { orchestrator: FUZZED_ORCHESTRATOR } });
  });
  afterAll(() => stack.stop());

  test.concurrent.each(CALLERS)(
    'answers every request of %s as its document says, and never with a bug',
    async (caller) => {
      expect(await fuzz({ environment: environment!, stack, caller, budget: budgetOf(process.env) })).toBe('');
    },
  );
});
