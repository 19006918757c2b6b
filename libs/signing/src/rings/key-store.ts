// SPDX-License-Identifier: Apache-2.0
import type { Signer } from '../keys.ts';
import { KeyStoreError, ringOf, signingKeyAt, type KeyRing } from './key-ring.ts';

/**
 * Where the keys of one purpose come from: a file, the environment, a key service that unwraps them.
 *
 * Signing itself is not asked of it for each signature: a record is signed inside the transaction that it is part of,
 * under the locks of its call, where nothing may wait for another machine. So an adapter over a key service has the
 * keys unwrapped when it is opened and refreshed, and a `Signer` of its own keeps them out of sight.
 */
export abstract class KeyStore {
  /**
   * The ring as it was read last: whole, with one key at least. MUST NOT throw, and MUST NOT change but in `refresh`.
   */
  abstract readonly ring: KeyRing;
  /**
   * Looks for another ring. Resolves with whether there was one. MUST reject with KeyStoreError, and keep the ring that
   * it had, where what is there can't be read whole: half a ring would end what the other half signed.
   */
  abstract refresh(): Promise<boolean>;
}

/** Keys that don't change while the process runs: those that came by the environment, and a spec's. */
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
 * Signs with whichever key's turn it is. INVARIANT (one key a piece of work): the key changes in `turn` alone, so what
 * asks for its id and then signs, without waiting in between, does both with one key.
 */
export class LiveSigner implements Signer {
  readonly #store: KeyStore;
  readonly #what: string;
  #signer: Signer | undefined;
  #last: Signer;

  /** @throws KeyStoreError where no key may sign at `now`: a process doesn't start then */
  constructor(what: string, store: KeyStore, now: number) {
    this.#what = what;
    this.#store = store;
    this.#last = this.#signer = signingKeyAt(store.ring, now)?.signer ?? this.#refuse();
  }

  /** Gives the turn to the key that signs at `now`; to none where that was revoked and is closed. */
  turn(now: number): void {
    this.#signer = signingKeyAt(this.#store.ring, now)?.signer ?? undefined;
    this.#last = this.#signer ?? this.#last;
  }

  /** Answers whether a key signs. */
  get isAble(): boolean {
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

  /** @throws KeyStoreError where no key may sign */
  sign(bytes: Uint8Array): Uint8Array {
    return (this.#signer ?? this.#refuse()).sign(bytes);
  }

  #refuse(): never {
    throw new KeyStoreError(
      `no ${this.#what} key may sign: the last one was revoked, or its private half is missing; \`writ signing-keys list\` shows them, \`rotate\` makes another`,
    );
  }
}
