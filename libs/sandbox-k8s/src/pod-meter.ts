// SPDX-License-Identifier: Apache-2.0
import type { ToldUsage } from '@writ/sandbox';
import type { Measure, Meter, SandboxSize } from '@writ/sandbox-host';

/**
 * An agent that is free to tells every half second; one that says nothing for so long is stopped, or busy on all that
 * it has.
 */
const FRESH_MS = 2_000;

/**
 * What a pod uses, by its agent's word: whoever may ask a kubelet may ask it of every pod of its node. The word is the
 * job's in the end, so it counts within what the container's limits allow, and silence counts as the whole of it.
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
