// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { Sessions } from './sessions.ts';

const SHELL = { tenant_id: 'ten_1', shell_id: 'a'.repeat(32) };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('the lease of a shell is renewed while its container starts, and not after a failed start', async () => {
  const renewed: string[] = [];
  const sessions = new Sessions(
    {
      renewShell: ({ shell_id }) => {
        renewed.push(shell_id);
        return Promise.resolve(true);
      },
      endShell: () => Promise.resolve(),
    },
    { sessionsMax: 1, idleMs: 60_000 },
  );
  const started = Promise.withResolvers<string>();
  const opening = sessions.renewedWhile(SHELL, () => started.promise);
  // Twice the lease.
  await vi.advanceTimersByTimeAsync(12_000);
  expect(renewed).toEqual(Array.from({ length: 8 }, () => SHELL.shell_id));
  expect(sessions.isStarting(SHELL.shell_id)).toBe(true);
  started.reject(new Error('the engine failed'));
  await expect(opening).rejects.toThrow('the engine failed');
  await vi.advanceTimersByTimeAsync(12_000);
  expect([renewed.length, sessions.isStarting(SHELL.shell_id)]).toEqual([8, false]);
  await sessions.close();
});
