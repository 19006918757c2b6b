// SPDX-License-Identifier: Apache-2.0
import type { AgentContainer } from './agent-container.ts';

/** Agents that work on something call every few seconds. */
const WAIT_MS_MAX = 60_000;

export interface LaidOutOptions {
  /** containers that wait at most */
  readonly count: number;
  /** takes away one that is of no use any more */
  readonly remove: (container: AgentContainer) => void;
}

interface Waiting {
  readonly container: AgentContainer;
  readonly timer: NodeJS.Timeout;
}

/**
 * Containers that already hold the files of a likely job, by kin (whose files they are). Each is given away once, to a
 * job of the same kin or to nobody.
 */
export class PrePopulated {
  readonly #options: LaidOutOptions;
  /** the one that has waited longest first */
  readonly #waiting = new Map<string, Waiting>();
  #closed = false;

  constructor(options: LaidOutOptions) {
    this.#options = options;
  }

  has(kin: string): boolean {
    return this.#waiting.has(kin);
  }

  /** The container of that kin, or null. */
  take(kin: string): AgentContainer | null {
    const waiting = this.#waiting.get(kin);
    if (!waiting) return null;
    clearTimeout(waiting.timer);
    this.#waiting.delete(kin);
    return waiting.container;
  }

  /** Adds a container. Removes the one that has waited longest where there are too many. */
  put(kin: string, container: AgentContainer): void {
    if (this.#closed || this.#options.count === 0) return this.#options.remove(container);
    const eldest = this.has(kin)
      ? kin
      : this.#waiting.size >= this.#options.count
        ? this.#waiting.keys().next().value
        : undefined;
    if (eldest !== undefined) this.#drop(eldest);
    this.#waiting.set(kin, { container, timer: setTimeout(() => this.#drop(kin), WAIT_MS_MAX).unref() });
    // An agent that ends or speaks unasked while it waits, for want of room for example, is of no use to a job.
    const gone = (): void => {
      if (this.#waiting.get(kin)?.container === container) this.#drop(kin);
    };
    container.listen({ message: gone, closed: gone });
  }

  /** Gives up all that wait, and whatever comes. */
  close(): void {
    this.#closed = true;
    for (const kin of [...this.#waiting.keys()]) this.#drop(kin);
  }

  #drop(kin: string): void {
    const container = this.take(kin);
    if (container) this.#options.remove(container);
  }
}
