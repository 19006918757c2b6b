// SPDX-License-Identifier: Apache-2.0
import type { ToldUsage } from '@writ/sandbox';
import type { Measure, Meter, SandboxSize } from '@writ/sandbox-host';

/**
 * An agent reports every half second. One that is silent for so long was stopped, or its job uses all processors.
 */
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
  #told: { readonly usage: ToldUsage; readonly at: number } | null = null;

  /** @param now milliseconds of a monotonic clock */
  constructor(size: SandboxSize, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#now = now;
    this.#begunAt = now();
  }

  /** Hears the agent. */
  tell(usage: ToldUsage): void {
    this.#told = { usage, at: this.#now() };
  }

  /** The agent begins by itself, with the first that it is sent. */
  async begin(): Promise<void> {
    this.#begunAt = this.#now();
  }

  async read(): Promise<Measure> {
    const { memoryBytes } = this.#size;
    if (this.#told === null)
      return { cpuMs: this.#cpuMsMax, memoryPeakBytes: 0, outOfMemory: null, countedBy: 'agent' };
    const { cpuMs, memoryPeakBytes, outOfMemory } = this.#told.usage;
    return {
      cpuMs: Math.min(cpuMs, this.#cpuMsMax),
      memoryPeakBytes: Math.min(memoryPeakBytes, memoryBytes),
      outOfMemory,
      countedBy: 'agent',
    };
  }

  async cpuMs(): Promise<number | null> {
    if (this.#told === null || this.#now() - this.#told.at > FRESH_MS) return null;
    return Math.min(this.#told.usage.cpuMs, this.#cpuMsMax);
  }

  /** All processors from the job's beginning until now, in milliseconds. */
  get #cpuMsMax(): number {
    return Math.round((this.#now() - this.#begunAt) * this.#size.cpus);
  }
}
