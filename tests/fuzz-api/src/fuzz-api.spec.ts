// SPDX-License-Identifier: Apache-2.0
// Schemathesis makes requests from the API's own document, as each role. Skipped by name where it can't be installed.
import { join } from 'node:path';
import { vi } from 'vitest';
import { startStack, type Stack } from '@writ/stack';
import { pythonEnvironment } from '@writ/testing';
import { CALLERS, fuzz, FUZZED_ORCHESTRATOR } from './fuzz-role.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Seconds of each caller: all of them, and the start of the stack, take a minute and a half. */
const SECONDS = Number(process.env['WRIT_API_FUZZ_SECONDS'] ?? 9);

const lock = join(import.meta.dirname, '..', 'requirements.lock');
const environment = await pythonEnvironment('fuzz-api', lock, { atLeast: '3.11' });

describe.skipIf(environment === null)('the API, fuzzed (skipped without Python 3.11, venv and pip)', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ env: { orchestrator: FUZZED_ORCHESTRATOR } });
  });
  afterAll(() => stack.stop());

  test.each(CALLERS)('answers every request of %s as its document says, and never with a bug', async (caller) => {
    expect(await fuzz({ environment: environment!, stack, caller, seconds: SECONDS })).toBe('');
  });
});
