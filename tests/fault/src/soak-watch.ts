// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import type { Process } from '@writ/contract';
import type { Stack } from '@writ/stack';

const LOOK_MS = 1_000;
const MIB = 1024;

/** The resources of a process at one moment. */
interface Sample {
  readonly fds: number;
  readonly rssMib: number;
}

/** The resources of a process over its life, as samples. */
export interface Life {
  readonly name: Process;
  readonly samples: readonly Sample[];
  readonly isRunning: () => boolean;
}

/** Samples once a second the resources of each process and the containers of one executor. */
export class SoakWatch {
  readonly #stack: Stack;
  readonly #docker: Docker;
  readonly #owner: string;
  readonly #lives = new Map<number, { name: Process; samples: Sample[] }>();
  readonly #seen = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #containersMax = 0;
  #samples = 0;

  constructor(stack: Stack, docker: Docker, owner: string) {
    this.#stack = stack;
    this.#docker = docker;
    this.#owner = owner;
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get lives(): readonly Life[] {
    return [...this.#lives].map(([pid, life]) => ({ ...life, isRunning: () => sampleOf(pid) !== null }));
  }

  /** the number of samples */
  get looks(): number {
    return this.#samples;
  }

  get containersMax(): number {
    return this.#containersMax;
  }

  /** every container seen */
  get seen(): number {
    return this.#seen.size;
  }

  /** The executor's present containers. */
  async containers(): Promise<readonly string[]> {
    const all = await this.#docker.listContainers({ all: true, filters: { label: [`writ.owner=${this.#owner}`] } });
    return all.map(({ Id }) => Id);
  }

  /**
   * Processes of this machine in the control group, or with a mount, of a container that was seen and is not among the
   * given ones: what a removed container left behind, with its memory.
   */
  left(but: readonly string[]): readonly string[] {
    const gone = [...this.#seen].filter((id) => !but.includes(id));
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        const text = `${readOr(`/proc/${pid}/cgroup`)}${readOr(`/proc/${pid}/mountinfo`)}`;
        return gone.filter((id) => text.includes(id)).map((id) => `${pid} ${id.slice(0, 12)}`);
      });
  }

  async #look(): Promise<void> {
    for (const [name, service] of Object.entries(this.#stack.services) as [
      Process,
      { isRunning: boolean; pid: number },
    ][]) {
      if (!service.isRunning) continue;
      const sample = sampleOf(service.pid);
      const life = this.#lives.get(service.pid) ?? { name, samples: [] };
      this.#lives.set(service.pid, life);
      if (sample !== null) life.samples.push(sample);
    }
    const containers = await this.containers();
    for (const id of containers) this.#seen.add(id);
    this.#samples += 1;
    this.#containersMax = Math.max(this.#containersMax, containers.length);
  }
}

function sampleOf(pid: number): Sample | null {
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readOr(`/proc/${pid}/status`))?.[1];
  if (rss === undefined) return null;
  return { fds: readdirSync(`/proc/${pid}/fd`).length, rssMib: Math.round(Number(rss) / MIB) };
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process ended meanwhile.
    return '';
  }
}

/**
 * The median over a part of a process's life, between two fractions of it: moments of high load don't count as a leak.
 */
export function middleOf(samples: readonly Sample[], from: number, to: number, of: keyof Sample): number {
  const part = samples
    .slice(Math.floor(samples.length * from), Math.max(1, Math.ceil(samples.length * to)))
    .map((sample) => sample[of])
    .toSorted((a, b) => a - b);
  return part[Math.floor(part.length / 2)] ?? 0;
}
