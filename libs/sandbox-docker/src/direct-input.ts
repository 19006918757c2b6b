// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/**
 * The program that the engine itself starts as process 1 of a container (`Init`), which neither image nor job controls.
 * A runtime with its own kernel shows another program here.
 */
const INIT = '/sbin/docker-init\0';

/**
 * Opens the writing end of the pipe from which a container reads, where the kernel shows it (proc(5), `/proc/PID/fd`).
 * Writes then bypass the engine and its shim, which otherwise copy every byte.
 *
 * `pid` is the host's number of the container's process 1. Null where that process isn't visible to us, as with an
 * engine on another host, or isn't the program that the engine starts there. The pipe ends when this end and the
 * engine's own end are closed.
 */
export function openInput(pid: number, containerId: string): Writable | null {
  let fd: number;
  try {
    // A pipe without a reader fails to open instead of blocking.
    fd = openSync(`/proc/${pid}/fd/0`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  // Checked after opening: a number that another process has got in the meantime does not belong to this container.
  if (!fstatSync(fd).isFIFO() || !isInit(pid, containerId)) {
    closeSync(fd);
    return null;
  }
  return new Socket({ fd, readable: false, writable: true });
}

function isInit(pid: number, containerId: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(INIT) &&
      readFileSync(`/proc/${pid}/cgroup`, 'latin1').includes(containerId)
    );
  } catch {
    return false;
  }
}
