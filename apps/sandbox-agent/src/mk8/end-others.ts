// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';

/** Each looks for what the one before has missed; a process that forks as fast as it can is stopped first, so few suffice. */
const ROUNDS = 20;

/** The processes that there are. */
export function processesThere(): readonly number[] {
  return readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).map(Number);
}

/**
 * Kills every process of the container that isn't one of these, `setsid` and double forks included: commands' own groups could be left. MUST be used in a container only.
 */
export function endOthers(spared: ReadonlySet<number>): void {
  for (let round = 0; round < ROUNDS; round++) {
    const others = processesThere().filter((pid) => !spared.has(pid) && isRunning(pid));
    if (others.length === 0) return;
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of others) send(pid, signal);
  }
}

/** The dead are left to whoever is to hear of them. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

function send(pid: number, signal: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself, or is the engine's.
  }
}
