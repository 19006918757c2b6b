// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';

/** What the kernel has counted of a container since it was made. */
export interface Measure {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** whether the kernel killed a process of it for want of memory; null when that isn't known */
  readonly outOfMemory: boolean | null;
}

const ROOT = '/sys/fs/cgroup';

/** Reads the counters of one container's control group on this host. */
export type CgroupReader = () => Promise<Measure>;

/**
 * Finds the control group of a container by the host's number of its main process. Null when the engine is on another host or
 * hidden from us, which shows by a group that isn't named after the container.
 */
export async function findCgroup(pid: number, containerId: string): Promise<CgroupReader | null> {
  let groups: string[];
  try {
    groups = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n');
  } catch {
    return null;
  }
  // Each line: `hierarchy:controllers:path`; the unified hierarchy is number 0 and names no controllers.
  const pathOf = (controller: string) => groups.map((line) => line.split(':')).find(([, names = '']) => names.split(',').includes(controller))?.[2];
  const [cpu, memory, unified] = [pathOf('cpuacct'), pathOf('memory'), pathOf('')];
  if (cpu?.includes(containerId) && memory?.includes(containerId)) return () => readLegacy(`${ROOT}/cpuacct${cpu}`, `${ROOT}/memory${memory}`);
  if (unified?.includes(containerId)) return () => readUnified(`${ROOT}${unified}`);
  return null;
}

async function readLegacy(cpu: string, memory: string): Promise<Measure> {
  const [usage, peak, control] = await Promise.all([text(`${cpu}/cpuacct.usage`), text(`${memory}/memory.max_usage_in_bytes`), text(`${memory}/memory.oom_control`)]);
  return { cpuMs: Math.round(Number(usage) / 1e6), memoryPeakBytes: Number(peak), outOfMemory: field(control, 'oom_kill') > 0 };
}

async function readUnified(path: string): Promise<Measure> {
  const [cpu, events] = await Promise.all([text(`${path}/cpu.stat`), text(`${path}/memory.events`)]);
  // `memory.peak` came with Linux 5.19; before it what is in use now is the best known.
  const peak = await text(`${path}/memory.peak`).catch(() => text(`${path}/memory.current`));
  return { cpuMs: Math.round(field(cpu, 'usage_usec') / 1e3), memoryPeakBytes: Number(peak), outOfMemory: field(events, 'oom_kill') > 0 };
}

async function text(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim();
}

/** The number after a name in lines of `name number`; 0 when it isn't there. */
function field(lines: string, name: string): number {
  const line = lines.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
