// SPDX-License-Identifier: Apache-2.0
import type { Signer } from '../keys.ts';
import { KeyStoreError, ringOf, signingKeyAt, type KeyRing } from './key-ring.ts';

/**
 * The source of the keys of one purpose: a file, the environment, a key service that unwraps them.
 *
 * Signing does not use it for each signature: a record is signed inside its transaction, under the locks of its call,
 * where nothing may wait for another machine. So an adapter for a key service has the keys unwrapped when it is opened
 * and refreshed, and its own `Signer` hides them.
 */
export abstract class KeyStore {
  /** The ring as last read: complete, with at least one key. MUST NOT throw, and MUST change in `refresh` only. */
  abstract readonly ring: KeyRing;
  /**
   * Reads the ring again. Resolves with whether it changed. If the source can't be read completely, it MUST reject with
   * KeyStoreError and keep its ring: a partial ring would invalidate signatures of the missing keys.
   */
  abstract refresh(): Promise<boolean>;
}

/** Keys that don't change while the process runs: from the environment, and in specs. */
export class FixedKeys extends KeyStore {
  readonly ring: KeyRing;

  constructor(ring: KeyRing) {
    super();
    this.ring = ring;
  }

  static of(signer: Signer): FixedKeys {
    return new FixedKeys(ringOf(signer));
  }

  override refresh(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

/**
 * Signs with the key that is current. INVARIANT (one key a piece of work): the key changes in `turn` alone. So a caller
 * that reads its id and then signs, without waiting in between, uses one key.
 */
export class LiveSigner implements Signer {
  readonly #store: KeyStore;
  readonly #purpose: string;
  #signer: Signer | undefined;
  #last: Signer;

  /** @throws KeyStoreError if no key may sign at `now`: the process doesn't start then */
  constructor(purpose: string, store: KeyStore, now: number) {
    this.#purpose = purpose;
    this.#store = store;
    this.#last = this.#signer = signingKeyAt(store.ring, now)?.signer ?? this.#refuse();
  }

  /** Switches to the key that signs at `now`; to none if it was revoked and is closed. */
  switchKey(now: number): void {
    this.#signer = signingKeyAt(this.#store.ring, now)?.signer ?? undefined;
    this.#last = this.#signer ?? this.#last;
  }

  /** Answers whether a key signs. */
  get canSign(): boolean {
    return this.#signer !== undefined;
  }

  get keyid(): string {
    return this.#last.keyid;
  }

  get publicJwk(): Signer['publicJwk'] {
    return this.#last.publicJwk;
  }

  get publicKey(): Uint8Array {
    return this.#last.publicKey;
  }

  /** @throws KeyStoreError if no key may sign */
  sign(bytes: Uint8Array): Uint8Array {
    return (this.#signer ?? this.#refuse()).sign(bytes);
  }

  #refuse(): never {
    throw new KeyStoreError(
      `no ${this.#purpose} key may sign: the last one was revoked, or its private half is missing; \`writ signing-keys list\` shows them, \`rotate\` makes another`,
    );
  }
}
