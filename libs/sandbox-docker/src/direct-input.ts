// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/**
 * What the engine itself makes process 1 of a container (`Init`), outside the reach of image and job. Under a runtime
 * with a kernel of its own another program stands here.
 */
const INIT = '/sbin/docker-init\0';

/**
 * The writing end of the pipe from which a container reads, opened where the kernel shows it (proc(5), `/proc/PID/fd`):
 * without the engine and its shim, through which every byte goes otherwise. `pid` is the host's number of the
 * container's process 1. Null where that process isn't shown to us, as with an engine on another host, or isn't what
 * the engine starts there. The pipe ends when this and the engine's own end are closed.
 */
export function openInput(pid: number, containerId: string): Writable | null {
  let fd: number;
  try {
    // A pipe that nobody reads any more is an error here, and not a wait.
    fd = openSync(`/proc/${pid}/fd/0`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  // Looked at once it is open: a number that has gone to another process by then is none of this container's.
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
