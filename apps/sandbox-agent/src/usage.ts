// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { AgentMessage, HostMessage, ToldUsage } from '@writ/sandbox';

/** Between two words about a command that runs: what it can use beyond its limit before that is seen. */
const TELL_MS = 500;

/** What the kernel has counted of this container. */
interface Counted {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  readonly kills: number;
}

/** Where a container finds its own control group: version 2, and version 1 in its two usual layouts. */
const UNIFIED = { cpu: 'cpu.stat', peak: ['memory.peak', 'memory.current'], kills: 'memory.events' } as const;
const LEGACY = {
  cpu: ['cpuacct/cpuacct.usage', 'cpu,cpuacct/cpuacct.usage'],
  peak: ['memory/memory.max_usage_in_bytes'],
  kills: 'memory/memory.oom_control',
} as const;

/** Reads the counters below `root`; null where there are none, as under a runtime with a kernel of its own. */
export function countedAt(root: string): Counted | null {
  const read = (path: string): string | null => {
    try {
      return readFileSync(`${root}/${path}`, 'utf8').trim();
    } catch {
      return null;
    }
  };
  const first = (paths: readonly string[]): string | null => paths.map(read).find((text) => text !== null) ?? null;
  const unified = read(UNIFIED.cpu);
  const nanoseconds = unified === null ? first(LEGACY.cpu) : null;
  if (unified === null && nanoseconds === null) return null;
  const cpuMs = unified === null ? Number(nanoseconds) / 1e6 : field(unified, 'usage_usec') / 1e3;
  const { peak, kills } = unified === null ? LEGACY : UNIFIED;
  return {
    cpuMs: Math.round(cpuMs),
    memoryPeakBytes: Number(first(peak) ?? 0),
    kills: field(read(kills) ?? '', 'oom_kill'),
  };
}

/** The number after a name in lines of `name number`; 0 when it isn't there. */
function field(lines: string, name: string): number {
  const line = lines.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

/**
 * Tells what the container uses: every half second while something runs, and before each word that ends a job or a
 * turn.
 */
export class UsageTeller {
  readonly #speak: (message: AgentMessage) => void;
  readonly #count: () => Counted | null;
  #base: Counted | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(speak: (message: AgentMessage) => void, count: () => Counted | null = () => countedAt('/sys/fs/cgroup')) {
    this.#speak = speak;
    this.#count = count;
  }

  /** MUST be told of each message before it is taken: counting begins with the first. */
  hears({ type }: HostMessage): void {
    this.#base ??= this.#count();
    if (type === 'job' || type === 'turn') this.#timer ??= setInterval(() => this.#tell(null), TELL_MS);
  }

  /** Says a message, and before one that ends something what was used until then. */
  speak(message: AgentMessage): void {
    if (message.type === 'exit' || message.type === 'turned') {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#tell('last');
    }
    this.#speak(message);
  }

  #tell(last: 'last' | null): void {
    const counted = this.#count();
    if (counted === null || this.#base === null) return;
    const told: ToldUsage = {
      type: 'usage',
      cpuMs: Math.max(0, counted.cpuMs - this.#base.cpuMs),
      memoryPeakBytes: counted.memoryPeakBytes,
      outOfMemory: last === null ? null : counted.kills > this.#base.kills,
    };
    this.#speak(told);
  }
}
