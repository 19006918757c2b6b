// SPDX-License-Identifier: Apache-2.0

/** The bounds of an examination. */
export interface EffortBounds {
  /** bytes of contents and of directories that it may read */
  readonly bytesMax: number;
  /** milliseconds that it may take, waiting included */
  readonly wallMs: number;
}

/** An examination exceeded its bounds: it has no finding on its effect. */
export class BeyondEffort extends Error {}

/**
 * Counts what an examination uses, and ends it at its bounds.
 * INVARIANT (ended is not judged): at a bound it throws. So an interrupted reading never counts as lost content.
 */
export class Effort {
  readonly #bytesMax: number;
  readonly #until: number;
  readonly #now: () => number;
  #bytes = 0;

  /** @param now monotonic milliseconds */
  constructor({ bytesMax, wallMs }: EffortBounds, now: () => number) {
    this.#bytesMax = bytesMax;
    this.#until = now() + wallMs;
    this.#now = now;
  }

  /** For an effect that is about to commit: the bounds of the rules themselves suffice. */
  static unbounded(): Effort {
    return new Effort({ bytesMax: Infinity, wallMs: Infinity }, () => 0);
  }

  /** bytes that were read so far */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts bytes that were read. @throws BeyondEffort */
  countRead(bytes: number): void {
    this.#bytes += bytes;
    this.verify();
  }

  /** @throws BeyondEffort */
  verify(): void {
    if (this.#bytes > this.#bytesMax || this.#now() > this.#until) throw new BeyondEffort();
  }

  /** Milliseconds for a part of the examination: at most `ms`, and at most what is left. */
  atMost(ms: number): number {
    return Math.max(1, Math.min(ms, Math.ceil(this.#until - this.#now())));
  }

  /** Resolves as the work does. @throws BeyondEffort instead of a fault, where the effort ended the work */
  async ended<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.verify();
      throw error;
    }
  }

  /** Resolves as the work does. @throws BeyondEffort at the end of the time, whatever the work waits for */
  async within<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new BeyondEffort());
      }, this.#until - this.#now());
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      clearTimeout(timer);
    }
  }
}
