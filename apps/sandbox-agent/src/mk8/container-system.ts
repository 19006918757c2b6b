// SPDX-License-Identifier: Apache-2.0
//
// What a container says of itself. Where the truth would be that of the machine around it, or there is nothing to ask,
// the answer is null.
import { readFileSync, statfsSync } from 'node:fs';
import { arch, availableParallelism, hostname, networkInterfaces, release, type } from 'node:os';
import { HostSystem, type DiskFacts, type ProcessFacts, type ServiceFacts } from '@writ/mk8-shell';
import { running } from './end-others.ts';

/** Clock ticks of a second in /proc; fixed by the kernel's interface to programs (proc(5)). */
const TICKS = 100;
/**
 * Of starttime among the fields behind a process's name (proc_pid_stat(5): the 22nd, the 3rd being the first of these).
 */
const STARTED = 19;

const said = <Fact>(fact: () => Fact): Promise<Fact | null> =>
  Promise.resolve()
    .then(fact)
    .catch(() => null);
const textOf = (path: string): string => readFileSync(path, 'utf8').trim();

export class ContainerSystem extends HostSystem {
  readonly #root: string;
  readonly #scratch: string;

  constructor(root: string, scratch: string) {
    super();
    [this.#root, this.#scratch] = [root, scratch];
  }

  hostname = (): Promise<string | null> => said(hostname);
  /** Since its first process began: the machine's own age is another's. */
  uptimeSeconds = (): Promise<number | null> =>
    said(() => Math.floor(Number(textOf('/proc/uptime').split(' ')[0]) - Number(fieldsOf(1)[STARTED]) / TICKS));
  osInfo = (): Promise<string | null> => said(() => `${distribution()} (${type()} ${release()} ${arch()})`);
  cpuCount = (): Promise<number | null> => said(() => Math.min(availableParallelism(), quota()));
  tempDirectory = (): Promise<string | null> => Promise.resolve(this.#scratch);
  /** All of the workspace is on one. */
  disk = (): Promise<DiskFacts | null> => said(() => diskOf(this.#root));
  drives = (): Promise<readonly DiskFacts[] | null> => said(() => [this.#root, this.#scratch].map(diskOf));
  memory = (): Promise<{ readonly totalBytes: number; readonly freeBytes: number } | null> =>
    said(() => {
      const totalBytes = process.constrainedMemory();
      if (totalBytes === 0) throw new Error('no limit is known');
      return { totalBytes, freeBytes: Math.min(totalBytes, process.availableMemory()) };
    });
  processes = (): Promise<readonly ProcessFacts[] | null> =>
    said(() =>
      running().flatMap((pid) => {
        try {
          return [{ pid, name: textOf(`/proc/${pid}/comm`) }];
        } catch {
          // It has ended meanwhile.
          return [];
        }
      }),
    );
  interfaces = (): Promise<readonly { readonly name: string; readonly addresses: readonly string[] }[] | null> =>
    said(() =>
      Object.entries(networkInterfaces()).map(([name, addresses = []]) => ({
        name,
        addresses: addresses.map(({ address }) => address),
      })),
    );
  /** Nothing in a container writes logs, and nothing is served in one. */
  logSources = (): Promise<readonly string[] | null> => Promise.resolve(null);
  logLines = (): Promise<readonly string[] | null> => Promise.resolve(null);
  services = (): Promise<readonly ServiceFacts[] | null> => Promise.resolve(null);
  setClipboard = (): Promise<boolean> => Promise.resolve(false);
}

/** Fields of a process behind its name, which may hold anything. */
function fieldsOf(pid: number): string[] {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function distribution(): string {
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(textOf('/etc/os-release'))?.[1] ?? 'Linux';
}

/**
 * Processors that the container's group may use, rounded up, by cgroup v2's cpu.max or v1's quota; as many as there are
 * where none is set.
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
