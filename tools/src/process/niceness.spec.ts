// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setSessionNiceness } from './niceness.ts';

const grouped = existsSync('/proc/self/autogroup');

(grouped ? test : test.skip)('the niceness of a session is set, and other sessions keep theirs', async () => {
  const niceOf = (pid: number): string | undefined =>
    /nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1];
  const before = niceOf(process.pid);
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  try {
    await once(child, 'spawn');
    setSessionNiceness(child.pid as number, 7);
    expect(niceOf(child.pid as number)).toBe('7');
    expect(niceOf(process.pid)).toBe(before);
    expect(() => setSessionNiceness(child.pid as number, 1_000)).toThrow(/EINVAL/);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a process that is gone is ignored', () => {
  expect(() => setSessionNiceness(2 ** 22 + 1, 7)).not.toThrow();
});
