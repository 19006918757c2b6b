// SPDX-License-Identifier: Apache-2.0
import { parsePublicKeys, type KnownKey } from '@writ/signing';
import { FollowedFile } from './key-file.ts';

/** Whose signatures are taken, out of a file that may change. */
export class PublicKeyFile {
  readonly #file: FollowedFile<ReadonlyMap<string, KnownKey>>;
  readonly #isTaken: (key: KnownKey) => boolean;
  readonly #keys = new Map<string, KnownKey>();

  /** `isTaken` says of which keys anything is taken; of all unless said. @throws KeyStoreError */
  constructor(path: string, isTaken: (key: KnownKey) => boolean = () => true) {
    this.#isTaken = isTaken;
    this.#file = new FollowedFile(path, parsePublicKeys);
    this.#take();
  }

  /** By id. It stays the same map; what is in it changes with `refresh`, all at once. */
  get byKeyid(): ReadonlyMap<string, KnownKey> {
    return this.#keys;
  }

  /**
   * Resolves with whether there was something new. Rejects with KeyStoreError, keeping what it had, where what is there
   * can't be read.
   */
  async refresh(): Promise<boolean> {
    const isNew = await this.#file.refresh();
    if (isNew) this.#take();
    return isNew;
  }

  #take(): void {
    this.#keys.clear();
    for (const [keyid, key] of this.#file.value) if (this.#isTaken(key)) this.#keys.set(keyid, key);
  }
}
