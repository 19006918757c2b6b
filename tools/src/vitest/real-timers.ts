// SPDX-License-Identifier: Apache-2.0
// Runs in each worker before a file of tests: a test that fails with fake timers must not leave them to later files of
// its worker.
import { afterEach, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});
