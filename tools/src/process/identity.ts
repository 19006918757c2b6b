// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/**
 * Identifies one process uniquely: a pid alone is reused. INVARIANT (never a stranger): nothing here is signalled
 * unless pid, start time and boot still match.
 */
export interface Identity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks from boot to the process's start. */
  readonly started: string;
  /** The kernel's random id of this boot. */
  readonly boot: string;
}

/** The number (by proc(5)) of the first field in `statFields`. */
export const FIRST_FIELD = 3;

const STATE = 3 - FIRST_FIELD;
const STARTED = 22 - FIRST_FIELD;

/** The fields of /proc/PID/stat after the command name, which is in brackets and may contain anything. */
export const statFields = (text: string): string[] => text.slice(text.lastIndexOf(')') + 2).split(' ');

/** State and start time in the text of /proc/PID/stat. */
export const parseStat = (text: string): { state: string; started: string } => {
  const fields = statFields(text);
  return { state: fields[STATE] ?? '', started: fields[STARTED] ?? '' };
};

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** The identity of a running process, or undefined. A zombie has ended: it only waits for its parent. */
export const identify = (pid: number): Identity | undefined => {
  try {
    const { state, started } = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return state === 'Z' || state === 'X' ? undefined : { pid, started, boot: bootId() };
  } catch {
    return undefined;
  }
};

/** Whether exactly this process still runs. */
export const isAlive = (who: Identity): boolean => {
  const now = identify(who.pid);
  return now !== undefined && now.started === who.started && now.boot === who.boot;
};

/** Sends a signal to exactly this process; returns false when it is gone. */
export const signal = (who: Identity, name: NodeJS.Signals): boolean => {
  if (!isAlive(who)) return false;
  try {
    return process.kill(who.pid, name);
  } catch {
    return false;
  }
};
