// SPDX-License-Identifier: Apache-2.0
import { followKeys, type ProcessContext, type Repeated } from '@writ/nest-kit';
import { type KeyRing, type KeyStore, LiveSigner, parseVerifier, type Verifier } from '@writ/signing';

export interface KernelStores {
  readonly permitKeys: KeyStore;
  readonly recordKeys: KeyStore;
  /** the ledger's, without private ones; null where the kernel isn't told of them */
  readonly checkpointKeys: Pick<KeyStore, 'ring' | 'refresh'> | null;
}

/**
 * The keys that this kernel signs with, as they are now. INVARIANT (nothing by a revoked key): once a revocation is
 * heard of and its time is over, nothing is signed with that key; a permit by it isn't redeemed from the moment on that
 * it is heard of.
 */
export class KernelKeys {
  readonly permit: LiveSigner;
  readonly record: LiveSigner;
  /** Whose permits are redeemed: the same map always, for whoever holds it. */
  readonly permitVerifiers: ReadonlyMap<string, Verifier>;
  readonly #stores: KernelStores;
  readonly #redeemed = new Map<string, Verifier>();

  /** @throws KeyStoreError where no key of one of the kinds may sign */
  constructor(stores: KernelStores, now: number) {
    this.#stores = stores;
    this.permit = new LiveSigner('permit', stores.permitKeys, now);
    this.record = new LiveSigner('record', stores.recordKeys, now);
    this.permitVerifiers = this.#redeemed;
    this.turn(now);
  }

  /** The keys of records, as they were read last. */
  get recordRing(): KeyRing {
    return this.#stores.recordKeys.ring;
  }

  /** The keys of the ledger's checkpoints, as they were read last; null where the kernel isn't told of them. */
  get checkpointRing(): KeyRing | null {
    return this.#stores.checkpointKeys?.ring ?? null;
  }

  /** Lets the keys sign whose time has come. */
  turn(now: number): void {
    this.permit.turn(now);
    this.record.turn(now);
    this.#redeemed.clear();
    for (const { keyid, jwk, revoked, not_after } of this.#stores.permitKeys.ring.keys) {
      if (revoked === null && now <= (not_after ?? Infinity)) this.#redeemed.set(keyid, parseVerifier(jwk));
    }
  }

  /** @throws Error where there is nothing to sign with: then nothing can be recorded, and so nothing done */
  verifyAble(): void {
    if (!this.permit.isAble || !this.record.isAble) throw new Error('no key may sign: the last one was revoked');
  }

  /** Follows the stores while the process runs. */
  followed(given: Pick<ProcessContext, 'logger' | 'telemetry'>): Repeated {
    const { permitKeys, recordKeys, checkpointKeys } = this.#stores;
    const others = checkpointKeys === null ? [] : [{ what: 'public checkpoint keys', keys: checkpointKeys }];
    return followKeys(
      [{ what: 'permit keys', keys: permitKeys }, { what: 'record keys', keys: recordKeys }, ...others],
      given,
      (now) => this.turn(now),
    );
  }
}
