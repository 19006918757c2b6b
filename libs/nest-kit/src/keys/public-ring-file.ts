// SPDX-License-Identifier: Apache-2.0
import { KeyStoreError, parseRing, type KeyRing } from '@writ/signing';
import { FollowedFile } from './key-file.ts';

/**
 * The ring of another process without its private keys, from a file that may change. It lists the keys, the time from
 * which each signs, and the revoked ones.
 */
export class PublicRingFile {
  readonly #file: FollowedFile<KeyRing>;

  /** @throws KeyStoreError for a file that can't be read completely, and for one with a private key in it */
  constructor(path: string) {
    this.#file = new FollowedFile(path, parsePublicRing);
  }

  get ring(): KeyRing {
    return this.#file.value;
  }

  /**
   * Resolves with whether the file has changed. Rejects with KeyStoreError and keeps the earlier ring where the file
   * can't be read.
   */
  refresh(): Promise<boolean> {
    return this.#file.refresh();
  }
}

function parsePublicRing(text: string): KeyRing {
  const ring = parseRing(text);
  if (ring.keys.some(({ signer }) => signer !== null))
    throw new KeyStoreError(
      'it holds a private key, and is for those who have none: give what `writ signing-keys` publishes',
    );
  return ring;
}
