// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { FIRST_FIELD, identify, statFields, type Identity } from './identity.ts';

/**
 * Environment variable that marks every process of a state directory, so that a clean-up finds processes without an
 * entry in the table.
 */
export const MARK = 'WRIT_STATE_ID';

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** A file of /proc/PID split at NUL; empty when the process is gone or belongs to another user. */
const parts = (pid: number, file: 'environ' | 'cmdline'): string[] => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    return [];
  }
};

/** Field 4 by proc(5). */
const PARENT = 4 - FIRST_FIELD;

const parentOf = (pid: number): number => {
  try {
    return Number(statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))[PARENT]);
  } catch {
    return 0;
  }
};

const identified = (found: readonly number[]): Identity[] => found.map(identify).filter((who) => who !== undefined);

/** Every process with the state directory's mark, except this one. */
export const findMarked = (stateId: string): Identity[] =>
  identified(pids().filter((pid) => pid !== process.pid && parts(pid, 'environ').includes(`${MARK}=${stateId}`)));

/**
 * The main processes of containers that our own engine left behind, with their shims. The end of a container's main
 * process ends all others in it.
 *
 * @param execRoot the engine's directory of run-time files, which is in its shims' command lines
 */
export const findContained = (execRoot: string): Identity[] => {
  const all = pids();
  const shims = all.filter((pid) => {
    const [program = '', ...args] = parts(pid, 'cmdline');
    return program.includes('containerd-shim') && args.some((arg) => arg.startsWith(`${execRoot}/`));
  });
  return identified([...all.filter((pid) => shims.includes(parentOf(pid))), ...shims]);
};
