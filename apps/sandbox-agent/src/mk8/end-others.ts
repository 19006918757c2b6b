// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../fault.ts';
import { pause } from '../pause.ts';

/** The longest that the dying are waited for; whoever a signal can't end within it goes with the container. */
const DYING_MS = 5_000;
/** Between two looks, for the dying to have the processor: a container may have a part of one only. */
const PAUSE_MS = 1;

/** The processes that run: the dead, whose parents have yet to hear of them, are none. */
export function running(): readonly number[] {
  return listed().filter(isRunning);
}

/**
 * Kills every process of the container that isn't one of these, `setsid` and double forks included: commands' own
 * groups could be left. When it returns they are dead. MUST be used in a container only.
 *
 * INVARIANT (none gets away by forking): a look at /proc is the last only where it lists nobody but those who were dead
 * at an earlier one. One that is listed, and dead when looked at, may have left a child that wasn't there to be listed.
 */
export function endOthers(spared: ReadonlySet<number>): void {
  const settled = new Set(spared);
  const until = performance.now() + DYING_MS;
  for (let others = unsettled(settled); others.length > 0 && performance.now() < until; others = unsettled(settled)) {
    // Stopped first, and before anything is asked of it, so that one that forks as fast as it can doesn't outrun this.
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
      for (const pid of others) if (!send(pid, signal)) settled.add(pid);
    const dead = others.filter((pid) => !isRunning(pid));
    for (const pid of dead) settled.add(pid);
    if (dead.length < others.length) pause(PAUSE_MS);
  }
}

const unsettled = (settled: ReadonlySet<number>): readonly number[] => listed().filter((pid) => !settled.has(pid));

function listed(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

/**
 * The dead are left to whoever is to hear of them. One whose first thread has ended looks dead and isn't, as long as it
 * has others.
 */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2)) || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Whether it is one that signals reach: what the engine runs is not. */
function send(pid: number, signal: 'SIGSTOP' | 'SIGKILL'): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}
