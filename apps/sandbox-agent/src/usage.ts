// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { AgentMessage, HostMessage, ReportedUsage } from '@writ/sandbox';

/**
 * Milliseconds between two reports of a running command: it can exceed its limit for so long before that is noticed.
 */
const REPORT_MS = 500;

/** What a job sends meanwhile is preceded by a report, unless the last one is younger than this. */
const FRESH_MS = 20;

/** The kernel's counters of this container. */
interface UsageCounters {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  readonly kills: number;
}

/** The files of a container's own control group: version 2, and version 1 in its two usual layouts. */
const UNIFIED = { cpu: 'cpu.stat', peak: ['memory.peak', 'memory.current'], kills: 'memory.events' } as const;
const LEGACY = {
  cpu: ['cpuacct/cpuacct.usage', 'cpu,cpuacct/cpuacct.usage'],
  peak: ['memory/memory.max_usage_in_bytes'],
  kills: 'memory/memory.oom_control',
} as const;

/** Reads the counters below `root`; null where there are none, as under a runtime with its own kernel. */
export function readCounters(root: string): UsageCounters | null {
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

/** The number after a name in lines of `name number`; 0 where it is missing. */
function field(lines: string, name: string): number {
  const line = lines.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

/**
 * Reports the container's usage: every half second while a job runs, and before each message that ends a job or a turn.
 * What a job says over a connection may be an answer that ends a call, so a report precedes it, too.
 */
export class UsageReporter {
  readonly #send: (message: AgentMessage) => void;
  readonly #count: () => UsageCounters | null;
  #initial: UsageCounters | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** when it reported last, by a monotonic clock, in milliseconds */
  #reportedAt = -Infinity;

  constructor(
    send: (message: AgentMessage) => void,
    count: () => UsageCounters | null = () => readCounters('/sys/fs/cgroup'),
  ) {
    this.#send = send;
    this.#count = count;
  }

  /** MUST be called for each message before the message is handled: counting begins with the first. */
  onHostMessage({ type }: HostMessage): void {
    this.#initial ??= this.#count();
    if (type === 'job' || type === 'turn') this.#timer ??= setInterval(() => this.#report(null), REPORT_MS);
  }

  /** Sends a message, and before it the usage, where the message ends a job or a turn, or is a part of its speech. */
  send(message: AgentMessage): void {
    if (message.type === 'exit' || message.type === 'turned') {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#report('last');
    } else if (message.type === 'net_data' && performance.now() - this.#reportedAt >= FRESH_MS) this.#report(null);
    this.#send(message);
  }

  #report(last: 'last' | null): void {
    const counted = this.#count();
    if (counted === null || this.#initial === null) return;
    this.#reportedAt = performance.now();
    const usage: ReportedUsage = {
      type: 'usage',
      cpuMs: Math.max(0, counted.cpuMs - this.#initial.cpuMs),
      memoryPeakBytes: counted.memoryPeakBytes,
      outOfMemory: last === null ? null : counted.kills > this.#initial.kills,
    };
    this.#send(usage);
  }
}
