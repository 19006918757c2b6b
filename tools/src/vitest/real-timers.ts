// SPDX-License-Identifier: Apache-2.0
// Runs in each worker before a file of tests: a test that fails before it gives the real timers back must not take them
// from later files of its worker.
import { afterEach, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});
