// SPDX-License-Identifier: Apache-2.0
import { parsePublicKeys, type KnownKey } from '@writ/signing';
import { FollowedFile } from './key-file.ts';

/** The public keys whose signatures a process accepts, from a file that may change. */
export class PublicKeyFile {
  readonly #file: FollowedFile<ReadonlyMap<string, KnownKey>>;
  readonly #isAccepted: (key: KnownKey) => boolean;
  readonly #keys = new Map<string, KnownKey>();

  /**
   * `isTaken` selects the keys that are accepted; all of them by default.
   * @throws KeyStoreError
   */
  constructor(path: string, isAccepted: (key: KnownKey) => boolean = () => true) {
    this.#isAccepted = isAccepted;
    this.#file = new FollowedFile(path, parsePublicKeys);
    this.#update();
  }

  /** By id. The map object stays the same; `refresh` changes its content atomically. */
  get byKeyid(): ReadonlyMap<string, KnownKey> {
    return this.#keys;
  }

  /**
   * Resolves with whether the file has changed. Rejects with KeyStoreError and keeps the earlier keys where the file
   * can't be read.
   */
  async refresh(): Promise<boolean> {
    const isNew = await this.#file.refresh();
    if (isNew) this.#update();
    return isNew;
  }

  #update(): void {
    this.#keys.clear();
    for (const [keyid, key] of this.#file.value) if (this.#isAccepted(key)) this.#keys.set(keyid, key);
  }
}
