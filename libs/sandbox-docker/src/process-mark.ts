// SPDX-License-Identifier: Apache-2.0
import { readFileSync, readlinkSync } from 'node:fs';

/** The label of every container that names the process that made it. */
export const MADE_BY = 'writ.process';
/** The start time in `/proc/<pid>/stat`, in ticks since the boot, counted after the name in brackets. */
const START_FIELD = 19;

/**
 * Identifies this process on this machine: boot, namespace of process numbers, number and start. Null where the system
 * doesn't provide these.
 */
export function ownMark(): string | null {
  const [where, start] = [whereOf(), startOf(process.pid)];
  return where === null || start === null ? null : `${where} ${process.pid} ${start}`;
}

const mark = ownMark();
/** The label by which containers of this process are told from those of others; none where the system has no marks. */
export const OWN_MARK: Readonly<Record<string, string>> = mark === null ? {} : { [MADE_BY]: mark };

/**
 * Answers whether the process has certainly ended. False for another boot, another machine or another namespace, of
 * which nothing is known.
 */
export function isGone(mark: string): boolean {
  const [boot = '', space = '', pid = '', start = ''] = mark.split(' ');
  if (`${boot} ${space}` !== whereOf() || !/^[1-9]\d*$/.test(pid) || start === '') return false;
  return startOf(Number(pid)) !== start;
}

function whereOf(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD] ?? null;
  } catch {
    return null;
  }
}
