// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { startTelemetry } from '@writ/telemetry';
import { FOLLOW_MS, followKeys } from './follow-keys.ts';

it('unreadable keys are logged once and shown in the gauge until readable; `turn` runs all the same', async () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const telemetry = startTelemetry({
    service: 'kernel',
    version: '0',
    destination: { write: (line) => void lines.push(line) },
  });
  const answers: (boolean | Error)[] = [false, new Error('no ring'), new Error('no ring'), true];
  const turns: number[] = [];
  const keys = {
    refresh: async () => {
      const answer = answers.shift() ?? false;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const follow = followKeys([{ what: 'record keys', keys }], { telemetry, logger: telemetry.logger('info') }, (now) =>
    turns.push(now),
  );
  const gauge = async (): Promise<string | undefined> =>
    /^writ_keys_unread\{[^}]*keys="record keys"[^}]*\} (\d)/m.exec(await telemetry.metricsText())?.[1];
  // The process's beat decides when the first look comes, so the test waits for looks instead of times.
  const looks = async (count: number): Promise<void> => {
    const awaited = turns.length + count;
    for (let waited = 0; turns.length < awaited && waited < 2 * count * FOLLOW_MS; waited += FOLLOW_MS / 10)
      await vi.advanceTimersByTimeAsync(FOLLOW_MS / 10);
    expect(turns).toHaveLength(awaited);
  };
  follow.start();
  await looks(1);
  expect(await gauge()).toBe('0');
  await looks(2);
  expect(await gauge()).toBe('1');
  expect(lines.filter((line) => line.includes('stay in force'))).toHaveLength(1);
  await looks(1);
  expect(await gauge()).toBe('0');
  expect(lines.filter((line) => line.includes('read anew'))).toHaveLength(1);
  await follow.stop();
  vi.useRealTimers();
  await telemetry.shutdown();
});
