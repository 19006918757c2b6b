// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../fault.ts';
import { pause } from '../pause.ts';

/**
 * How long it waits for killed processes to die; one that a signal can't end within this time ends with the container.
 */
const DEATH_TIMEOUT_MS = 5_000;
/** The pause between two scans, which leaves the processor to the dying: a container may have only a part of one. */
const PAUSE_MS = 1;

/** The running processes, without zombies. */
export function runningPids(): readonly number[] {
  return listedPids().filter(isRunning);
}

/**
 * Kills every process of the container except these, also after `setsid` and double forks, which leave the command's
 * group. When it returns they are dead. MUST be used in a container only.
 *
 * INVARIANT (no escape by forking): a scan of /proc is the last one only if it lists no process except those that were
 * dead at an earlier scan. A process that is listed, and dead when checked, may have left a child that the scan didn't
 * list.
 */
export function killOthers(spared: ReadonlySet<number>): void {
  const settled = new Set(spared);
  const until = performance.now() + DEATH_TIMEOUT_MS;
  for (
    let others = unsettledPids(settled);
    others.length > 0 && performance.now() < until;
    others = unsettledPids(settled)
  ) {
    // Stopped first, before its state is read, so that a process that forks as fast as it can doesn't escape.
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
      for (const pid of others) if (!sendSignal(pid, signal)) settled.add(pid);
    const dead = others.filter((pid) => !isRunning(pid));
    for (const pid of dead) settled.add(pid);
    if (dead.length < others.length) pause(PAUSE_MS);
  }
}

const unsettledPids = (settled: ReadonlySet<number>): readonly number[] =>
  listedPids().filter((pid) => !settled.has(pid));

function listedPids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

/**
 * Zombies are left to their parents. A process whose first thread has ended looks like a zombie, but runs while it has
 * other threads.
 */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2)) || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Sends a signal; returns whether the process can be signalled, which the engine's processes can't. */
function sendSignal(pid: number, signal: 'SIGSTOP' | 'SIGKILL'): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}
