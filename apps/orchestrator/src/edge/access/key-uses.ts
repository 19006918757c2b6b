// SPDX-License-Identifier: Apache-2.0

/** Keys whose use is noted until the next flush. More are left out: the times are for people, and decide nothing. */
const NOTED_MAX = 20_000;
/** Keys of one statement, each of which locks a row. */
const BATCH = 1_000;

/** Notes which keys are used, and stores it now and then: a use costs a request no statement. */
export class KeyUses {
  readonly #record: (apiKeyIds: readonly string[]) => Promise<void>;
  #noted = new Set<string>();

  constructor(record: (apiKeyIds: readonly string[]) => Promise<void>) {
    this.#record = record;
  }

  note(apiKeyId: string): void {
    if (this.#noted.size < NOTED_MAX) this.#noted.add(apiKeyId);
  }

  /** Stores what was noted. What can't be stored is left out: the next use notes it again. */
  async flush(): Promise<void> {
    const noted = [...this.#noted];
    this.#noted = new Set();
    for (let at = 0; at < noted.length; at += BATCH) await this.#record(noted.slice(at, at + BATCH));
  }
}
