// SPDX-License-Identifier: Apache-2.0
// Runs in each worker before a file of tests: records the file's processor time, with that of processes which it
// started and waited for.
import { readFileSync } from 'node:fs';
import type { RunnerTestFile } from 'vitest';
import { afterAll, beforeAll } from 'vitest';
import { FIRST_FIELD, statFields } from '../process/identity.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** of a file: milliseconds of processor time */
    processorMs?: number;
  }
}

/** Fields 14 to 17 by proc(5): user and system time, of the process and of its ended children. */
const TIMES = [14 - FIRST_FIELD, 18 - FIRST_FIELD] as const;
/** USER_HZ, which is 100 on every Linux that Node supports. */
const MS_PER_TICK = 10;

const processorMs = (): number => {
  const ticks = statFields(readFileSync('/proc/self/stat', 'utf8')).slice(...TIMES);
  return ticks.reduce((sum, each) => sum + Number(each), 0) * MS_PER_TICK;
};

let before: number;
beforeAll(() => {
  before = processorMs();
});
afterAll(({}, file) => {
  (file as RunnerTestFile).meta.processorMs = processorMs() - before;
});
