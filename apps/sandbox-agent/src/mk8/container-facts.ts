// SPDX-License-Identifier: Apache-2.0
//
// System facts of a container. Where the fact would be about the host machine, or doesn't exist, the answer is null.
import { readFileSync, statfsSync } from 'node:fs';
import { arch, availableParallelism, hostname, networkInterfaces, release, type } from 'node:os';
import { HostSystem, type DiskFacts, type ProcessFacts } from '@writ/mk8-shell';
import { runningPids } from './kill-others.ts';

/** Clock ticks per second in /proc; fixed by the kernel's ABI (proc(5)). */
const TICKS_PER_SECOND = 100;
/**
 * The index of starttime among the fields after a process's name (proc_pid_stat(5): the 22nd, where the 3rd is the
 * first after the name).
 */
const STARTTIME_INDEX = 19;

const factOrNull = <Fact>(fact: () => Fact): Promise<Fact | null> =>
  Promise.resolve()
    .then(fact)
    .catch(() => null);
const textOf = (path: string): string => readFileSync(path, 'utf8').trim();

export class ContainerFacts extends HostSystem {
  readonly #root: string;
  readonly #scratch: string;

  constructor(root: string, scratch: string) {
    super();
    [this.#root, this.#scratch] = [root, scratch];
  }

  hostname = (): Promise<string | null> => factOrNull(hostname);
  /** Since the container's first process started: the machine's own uptime is no fact of the container. */
  uptimeSeconds = (): Promise<number | null> =>
    factOrNull(() =>
      Math.floor(
        Number(textOf('/proc/uptime').split(' ')[0]) - Number(fieldsOf(1)[STARTTIME_INDEX]) / TICKS_PER_SECOND,
      ),
    );
  osInfo = (): Promise<string | null> => factOrNull(() => `${distribution()} (${type()} ${release()} ${arch()})`);
  cpuCount = (): Promise<number | null> => factOrNull(() => Math.min(availableParallelism(), quota()));
  tempDirectory = (): Promise<string | null> => Promise.resolve(this.#scratch);
  /** The whole workspace is on one disk. */
  disk = (): Promise<DiskFacts | null> => factOrNull(() => diskOf(this.#root));
  drives = (): Promise<readonly DiskFacts[] | null> => factOrNull(() => [this.#root, this.#scratch].map(diskOf));
  memory = (): Promise<{ readonly totalBytes: number; readonly freeBytes: number } | null> =>
    factOrNull(() => {
      const totalBytes = process.constrainedMemory();
      if (totalBytes === 0) throw new Error('no limit is known');
      return { totalBytes, freeBytes: Math.min(totalBytes, process.availableMemory()) };
    });
  processes = (): Promise<readonly ProcessFacts[] | null> =>
    factOrNull(() =>
      runningPids().flatMap((pid) => {
        try {
          return [{ pid, name: textOf(`/proc/${pid}/comm`) }];
        } catch {
          // The process has ended meanwhile.
          return [];
        }
      }),
    );
  interfaces = (): Promise<readonly { readonly name: string; readonly addresses: readonly string[] }[] | null> =>
    factOrNull(() =>
      Object.entries(networkInterfaces()).map(([name, addresses = []]) => ({
        name,
        addresses: addresses.map(({ address }) => address),
      })),
    );
}

/** The fields of a process after its name, which may hold any character. */
function fieldsOf(pid: number): string[] {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function distribution(): string {
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(textOf('/etc/os-release'))?.[1] ?? 'Linux';
}

/**
 * Processors that the container's control group may use, rounded up, by cpu.max of cgroup v2 or the quota of v1;
 * Infinity where none is set.
 */
function quota(): number {
  const groups = '/sys/fs/cgroup';
  try {
    const [allowed = 'max', period = '1'] = (
      textOrNull(`${groups}/cpu.max`) ??
      `${textOf(`${groups}/cpu/cpu.cfs_quota_us`)} ${textOf(`${groups}/cpu/cpu.cfs_period_us`)}`
    ).split(' ');
    return Number(allowed) > 0 ? Math.ceil(Number(allowed) / Number(period)) : Infinity;
  } catch {
    return Infinity;
  }
}

function textOrNull(path: string): string | null {
  try {
    return textOf(path);
  } catch {
    return null;
  }
}

function diskOf(path: string): DiskFacts {
  const { bsize, blocks, bavail } = statfsSync(path);
  return { name: path, totalBytes: blocks * bsize, freeBytes: bavail * bsize };
}
