// SPDX-License-Identifier: Apache-2.0
import type { ReportedUsage } from '@writ/sandbox';
import type { Measure, Meter, SandboxSize } from '@writ/sandbox-host';

/** An agent reports every half second. One that is silent for this long was stopped, or its job uses all processors. */
const FRESH_MS = 2_000;

/**
 * What a pod uses, as its agent reports it. An executor doesn't ask the kubelet: the right to do so covers every pod of
 * the node. A job can forge the report, so both figures are capped at the container's limits. A silent agent is charged
 * the maximum of processor time.
 */
export class PodMeter implements Meter {
  readonly #size: SandboxSize;
  readonly #now: () => number;
  #begunAt: number;
  #reported: { readonly usage: ReportedUsage; readonly at: number } | null = null;

  /** @param now milliseconds of a monotonic clock */
  constructor(size: SandboxSize, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#now = now;
    this.#begunAt = now();
  }

  /** Receives the agent's report. */
  report(usage: ReportedUsage): void {
    this.#reported = { usage, at: this.#now() };
  }

  /** The agent starts to count by itself, at the first message that it receives. */
  async begin(): Promise<void> {
    this.#begunAt = this.#now();
  }

  async read(): Promise<Measure> {
    const { memoryBytes } = this.#size;
    if (this.#reported === null)
      return { cpuMs: this.#cpuMsMax, memoryPeakBytes: 0, outOfMemory: null, countedBy: 'agent', isAssumed: true };
    const { cpuMs, memoryPeakBytes, outOfMemory } = this.#reported.usage;
    return {
      cpuMs: Math.min(cpuMs, this.#cpuMsMax),
      memoryPeakBytes: Math.min(memoryPeakBytes, memoryBytes),
      outOfMemory,
      countedBy: 'agent',
    };
  }

  async cpuMs(): Promise<number | null> {
    if (this.#reported === null || this.#now() - this.#reported.at > FRESH_MS) return null;
    return Math.min(this.#reported.usage.cpuMs, this.#cpuMsMax);
  }

  /** The time of all processors since the job began, in milliseconds. */
  get #cpuMsMax(): number {
    return Math.round((this.#now() - this.#begunAt) * this.#size.cpus);
  }
}
