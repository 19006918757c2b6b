// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (bounded reading): every loop over git's files spends from a budget that is set before the first byte is
// read. All of these bytes are attacker-controlled.

/** Bytes that are inflated or assembled from deltas: some three seconds of one processor. */
const EFFORT_BYTES = 384 * 1024 * 1024;
/** Entries, instructions of deltas and comparisons of names: ten million take less than a second. */
const EFFORT_STEPS = 20_000_000;

/** Thrown where reading exceeds its bounds. The part that was not read is then unknown. */
export class EffortExceeded extends Error {
  override readonly name = 'BeyondEffort';

  constructor() {
    super('reading the files of git takes more than it may');
  }
}

/** The remaining budget of one examination for reading. */
export class Effort {
  #bytes: number;
  #steps: number;

  constructor({
    bytes = EFFORT_BYTES,
    steps = EFFORT_STEPS,
  }: { readonly bytes?: number; readonly steps?: number } = {}) {
    [this.#bytes, this.#steps] = [bytes, steps];
  }

  /** How many bytes are left. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws BeyondEffort */
  spendBytes(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) throw new EffortExceeded();
  }

  /** @throws BeyondEffort */
  spendSteps(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new EffortExceeded();
  }
}
