// SPDX-License-Identifier: Apache-2.0
import { followKeys, type ProcessContext, type Repeated } from '@writ/nest-kit';
import { type KeyRing, type KeyStore, LiveSigner, parseVerifier, type Verifier } from '@writ/signing';

export interface KernelStores {
  readonly permitKeys: KeyStore;
  readonly recordKeys: KeyStore;
  /** the ledger's public keys; null where the kernel isn't configured with them */
  readonly checkpointKeys: Pick<KeyStore, 'ring' | 'refresh'> | null;
}

/**
 * The keys that this kernel signs with at present. INVARIANT (nothing by a revoked key): once a revocation is read and
 * its time is over, nothing is signed with that key. A permit signed with it isn't redeemed from the moment the
 * revocation is read.
 */
export class KernelKeys {
  readonly permit: LiveSigner;
  readonly record: LiveSigner;
  /** The verifiers of permits that are redeemed. The map is always the same object. */
  readonly permitVerifiers: ReadonlyMap<string, Verifier>;
  readonly #stores: KernelStores;
  readonly #verifiers = new Map<string, Verifier>();

  /** @throws KeyStoreError where no key of one of the kinds may sign */
  constructor(stores: KernelStores, now: number) {
    this.#stores = stores;
    this.permit = new LiveSigner('permit', stores.permitKeys, now);
    this.record = new LiveSigner('record', stores.recordKeys, now);
    this.permitVerifiers = this.#verifiers;
    this.applyRings(now);
  }

  /** The keys of records, as they were read last. */
  get recordRing(): KeyRing {
    return this.#stores.recordKeys.ring;
  }

  /** The keys of the ledger's checkpoints, as they were read last; null where the kernel isn't configured with them. */
  get checkpointRing(): KeyRing | null {
    return this.#stores.checkpointKeys?.ring ?? null;
  }

  /** Lets the keys sign whose time has come by `now`. */
  applyRings(now: number): void {
    this.permit.switchKey(now);
    this.record.switchKey(now);
    this.#verifiers.clear();
    for (const { keyid, jwk, revoked, not_after } of this.#stores.permitKeys.ring.keys) {
      if (revoked === null && now <= (not_after ?? Infinity)) this.#verifiers.set(keyid, parseVerifier(jwk));
    }
  }

  /** @throws Error where no key may sign: then nothing can be recorded, and so nothing done */
  verifyCanSign(): void {
    if (!this.permit.canSign || !this.record.canSign) throw new Error('no key may sign: the last one was revoked');
  }

  /** Follows the stores while the process runs. */
  follow(context: Pick<ProcessContext, 'logger' | 'telemetry'>): Repeated {
    const { permitKeys, recordKeys, checkpointKeys } = this.#stores;
    const others = checkpointKeys === null ? [] : [{ what: 'public checkpoint keys', keys: checkpointKeys }];
    return followKeys(
      [{ what: 'permit keys', keys: permitKeys }, { what: 'record keys', keys: recordKeys }, ...others],
      context,
      (now) => this.applyRings(now),
    );
  }
}
