// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identify, isAlive, parseStat, signal } from './identity.ts';

/** proc(5): pid, (comm), state, ppid, …; the start time is field 22. */
const stat = (comm: string): string =>
  `42 (${comm}) S 1 42 42 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 137231 1000 50 ${'0 '.repeat(28)}`;

test('state and start time are found with any command name', () => {
  for (const comm of ['node', 'a b', 'x) R 7 (y', '))) '])
    expect(parseStat(stat(comm))).toEqual({ state: 'S', started: '137231' });
});

test('this process is alive', () => {
  expect(isAlive(identify(process.pid)!)).toBe(true);
});

test('a recycled pid is not the process that had it', () => {
  const self = identify(process.pid)!;
  expect(isAlive({ ...self, started: `${Number(self.started) - 1}` })).toBe(false);
  expect(signal({ ...self, started: '1' }, 'SIGKILL')).toBe(false);
});

test('a pid of an earlier boot names no process', () => {
  expect(isAlive({ ...identify(process.pid)!, boot: 'another' })).toBe(false);
});

test('a process that has ended is not alive, nor is its zombie', async () => {
  // The shell's child ends at once and becomes a zombie.
  const shell = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(shell.stdout, 'data')) as [Buffer];
  const zombie = Number(line.toString());
  while (identify(zombie) !== undefined)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  const who = identify(shell.pid!)!;
  expect(isAlive(who)).toBe(true);
  expect(signal(who, 'SIGKILL')).toBe(true);
  await once(shell, 'exit');
  expect(isAlive(who)).toBe(false);
});
