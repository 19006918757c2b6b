// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The fifth field of mountinfo (proc(5)), with octal escapes for space, tab, newline and backslash. */
const MOUNT_POINT = 4;
const unescape = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));

/** Mount points below a directory in the text of /proc/self/mountinfo, deepest first. */
export const mountsBelow = (dir: string, text: string): string[] =>
  text
    .split('\n')
    .map((line) => unescape(line.split(' ')[MOUNT_POINT] ?? ''))
    .filter((path) => path.startsWith(`${dir}/`))
    .reverse();

/** Unmounts what a killed engine left mounted, so that its directory can be deleted. */
export const unmountBelow = (dir: string): void => {
  for (const path of mountsBelow(dir, readFileSync('/proc/self/mountinfo', 'utf8')))
    spawnSync('umount', ['--lazy', path]);
};
