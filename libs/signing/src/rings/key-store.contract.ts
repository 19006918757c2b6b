// SPDX-License-Identifier: Apache-2.0
import type { Signer } from '../keys.ts';
import { withNext } from './change-ring.ts';
import type { KeyRing } from './key-ring.ts';
import type { KeyStore } from './key-store.ts';

/** A store that holds a ring, and a way to replace its source. */
export interface OpenedStore {
  readonly store: KeyStore;
  /** null if the store's keys never change */
  readonly put: ((ring: KeyRing | 'nonsense') => void) | null;
}

/** The requirements on every KeyStore. `newSigner` makes a key that may be stored. */
export function keyStoreContract(name: string, newSigner: () => Signer, open: (ring: KeyRing) => OpenedStore): void {
  const first = (): { signer: Signer; ring: KeyRing } => {
    const signer = newSigner();
    const ring = {
      keys: [
        {
          keyid: signer.keyid,
          jwk: signer.publicJwk,
          not_before: 1,
          signs_from: 2,
          signs_until: null,
          not_after: null,
          revoked: null,
          signer,
        },
      ],
    };
    return { signer, ring };
  };
  const idsOf = ({ keys }: KeyRing): string[] => keys.map(({ keyid }) => keyid);

  describe(`the keys of ${name}`, () => {
    it('are available once it is opened, and their signatures verify with the public halves', () => {
      const { signer, ring } = first();
      const { store } = open(ring);
      expect(idsOf(store.ring)).toEqual([signer.keyid]);
      expect(store.ring.keys[0]?.signer?.sign(Uint8Array.of(1))).toEqual(signer.sign(Uint8Array.of(1)));
    });

    it('stay unchanged between two refreshes, and a refresh without changes reports that', async () => {
      const { ring } = first();
      const { store, put } = open(ring);
      const seen = store.ring;
      put?.(withNext(ring, { signer: newSigner(), now: 10, overlapMs: 5 }));
      expect(store.ring).toBe(seen);
      if (put !== null) expect(await store.refresh()).toBe(true);
      const after = store.ring;
      expect(await store.refresh()).toBe(false);
      expect(store.ring).toBe(after);
    });

    it('are the old ones while the source is malformed, and the new ones after that', async () => {
      const { ring } = first();
      const { store, put } = open(ring);
      if (put === null) return;
      put('nonsense');
      await expect(store.refresh()).rejects.toThrow(expect.objectContaining({ name: 'KeyStoreError' }));
      await expect(store.refresh()).rejects.toThrow(expect.objectContaining({ name: 'KeyStoreError' }));
      expect(idsOf(store.ring)).toEqual(idsOf(ring));
      const next = withNext(ring, { signer: newSigner(), now: 10, overlapMs: 5 });
      put(next);
      expect(await store.refresh()).toBe(true);
      expect(idsOf(store.ring)).toEqual(idsOf(next));
    });
  });
}
