// SPDX-License-Identifier: Apache-2.0
import { Session } from 'node:inspector';
import type { Profiler } from 'node:inspector';

/** Executed blocks of some files, by V8's own counts. */
export class Coverage {
  readonly #session = new Session();
  readonly #ofInterest: string;
  readonly #seen = new Set<string>();

  /** @param ofInterest a part of the URLs of the files that count */
  constructor(ofInterest: string) {
    this.#ofInterest = ofInterest;
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** The number of blocks executed so far. */
  get blocks(): number {
    return this.#seen.size;
  }

  /** Reads the executions since the last call, and returns whether any block was new. */
  isNew(): boolean {
    const before = this.#seen.size;
    const { result } = this.#post('Profiler.takePreciseCoverage') as Profiler.TakePreciseCoverageReturnType;
    for (const { url, functions } of result) {
      if (!url.includes(this.#ofInterest)) continue;
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) this.#seen.add(`${url}:${startOffset}:${endOffset}`);
    }
    return this.#seen.size > before;
  }

  /** Commands of the profiler answer synchronously. */
  #post(method: string, params: object = {}): unknown {
    let answer: unknown;
    this.#session.post(method, params, (error, result) => {
      if (error !== null) throw error;
      answer = result;
    });
    return answer;
  }
}
