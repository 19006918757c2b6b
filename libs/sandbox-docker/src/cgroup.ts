// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Measure } from '@writ/sandbox-host';

const ROOT = '/sys/fs/cgroup';

/**
 * Reads the counters of one container's control group on this host. Throws once the group is gone. Synchronous: the
 * counters are in the kernel's memory, and a dozen thread switches would take processor time from the measured call.
 */
export interface CgroupReader {
  cpuMs(): number;
  all(): Measure;
}

/**
 * Finds the control group of a container by the host's number of its main process. Null when the engine is on another
 * host or not visible to us: the group's name then isn't the container's.
 */
export async function findCgroup(pid: number, containerId: string): Promise<CgroupReader | null> {
  let groups: string[];
  try {
    groups = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n');
  } catch {
    return null;
  }
  // Each line: `hierarchy:controllers:path`; the unified hierarchy is number 0 and names no controllers.
  const pathOf = (controller: string) =>
    groups.map((line) => line.split(':')).find(([, names = '']) => names.split(',').includes(controller))?.[2];
  const [cpu, memory, unified] = [pathOf('cpuacct'), pathOf('memory'), pathOf('')];
  if (cpu?.includes(containerId) && memory?.includes(containerId))
    return legacy(`${ROOT}/cpuacct${cpu}`, `${ROOT}/memory${memory}`);
  if (unified?.includes(containerId)) return unifiedAt(`${ROOT}${unified}`);
  return null;
}

function legacy(cpu: string, memory: string): CgroupReader {
  const cpuMs = (): number => Math.round(Number(text(`${cpu}/cpuacct.usage`)) / 1e6);
  return {
    cpuMs,
    all: () => ({
      cpuMs: cpuMs(),
      memoryPeakBytes: Number(text(`${memory}/memory.max_usage_in_bytes`)),
      outOfMemory: field(text(`${memory}/memory.oom_control`), 'oom_kill') > 0,
    }),
  };
}

function unifiedAt(path: string): CgroupReader {
  const cpuMs = (): number => Math.round(field(text(`${path}/cpu.stat`), 'usage_usec') / 1e3);
  return {
    cpuMs,
    all: () => ({
      cpuMs: cpuMs(),
      memoryPeakBytes: Number(peakAt(path)),
      outOfMemory: field(text(`${path}/memory.events`), 'oom_kill') > 0,
    }),
  };
}

/** `memory.peak` exists since Linux 5.19; before that the current usage is the best figure. */
function peakAt(path: string): string {
  try {
    return text(`${path}/memory.peak`);
  } catch {
    return text(`${path}/memory.current`);
  }
}

function text(path: string): string {
  return readFileSync(path, 'utf8').trim();
}

/** The number after a name in lines of `name number`; 0 when the name is missing. */
function field(lines: string, name: string): number {
  const line = lines.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
