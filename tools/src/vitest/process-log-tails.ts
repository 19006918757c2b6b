// SPDX-License-Identifier: Apache-2.0
// Runs in each worker before a file of stack tests: a failed test shows the last log lines of its processes, since a
// reader has no other logs.
import { afterEach } from 'vitest';

/** The list of running stacks, kept by `startStack` (tests/stack/src/stack.ts). */
const STACKS = Symbol.for('writ.stacks');

const running = (): Iterable<{ readonly logTails: () => string }> =>
  (globalThis as { [STACKS]?: Set<{ readonly logTails: () => string }> })[STACKS] ?? [];

afterEach(({ task }) => {
  const { errors } = task.result ?? {};
  if (task.result?.state !== 'fail' || errors === undefined) return;
  for (const stack of running())
    errors.push({ name: 'Logs', message: `the last lines of its processes:\n${stack.logTails()}` });
});
