// SPDX-License-Identifier: Apache-2.0
import type { AgentContainer } from './agent-container.ts';

/** Active agents call every few seconds. */
const WAIT_MS_MAX = 60_000;

export interface PrePopulatedOptions {
  /** containers that wait at most */
  readonly count: number;
  /** removes a container that is no longer useful */
  readonly remove: (container: AgentContainer) => void;
}

interface Waiting {
  readonly container: AgentContainer;
  readonly timer: NodeJS.Timeout;
}

/**
 * Containers that already hold the files of a likely job, by kin (the owner of the files). Each is given away once, to
 * a job of the same kin.
 */
export class PrePopulated {
  readonly #options: PrePopulatedOptions;
  /** in the order of their waiting time, longest first */
  readonly #waiting = new Map<string, Waiting>();
  #closed = false;

  constructor(options: PrePopulatedOptions) {
    this.#options = options;
  }

  has(kin: string): boolean {
    return this.#waiting.has(kin);
  }

  /** Removes and returns the container of that kin, or null. */
  acquire(kin: string): AgentContainer | null {
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
    // A container whose agent ends or sends a message while it waits, for lack of space for example, can't serve a job.
    const gone = (): void => {
      if (this.#waiting.get(kin)?.container === container) this.#drop(kin);
    };
    container.listen({ message: gone, closed: gone });
  }

  /** Removes all waiting containers, and each one that comes later. */
  close(): void {
    this.#closed = true;
    for (const kin of [...this.#waiting.keys()]) this.#drop(kin);
  }

  #drop(kin: string): void {
    const container = this.acquire(kin);
    if (container) this.#options.remove(container);
  }
}
