// SPDX-License-Identifier: Apache-2.0
// Runs in each worker before a file of tests of whole processes: a test that fails shows the last lines that the
// processes of its stacks logged, since whoever reads the failure has nothing else of them.
import { afterEach } from 'vitest';

/** Where `startStack` keeps the stacks that run (tests/stack/src/stack.ts). */
const STACKS = Symbol.for('writ.stacks');

const running = (): Iterable<{ readonly lastWords: () => string }> =>
  (globalThis as { [STACKS]?: Set<{ readonly lastWords: () => string }> })[STACKS] ?? [];

afterEach(({ task }) => {
  const { errors } = task.result ?? {};
  if (task.result?.state !== 'fail' || errors === undefined) return;
  for (const stack of running())
    errors.push({ name: 'Logs', message: `the last lines of its processes:\n${stack.lastWords()}` });
});
