// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { parseSigner, parseVerifier, type Signer } from '../keys.ts';
import { withNext, withRevoked } from './change-ring.ts';
import { KeyStoreError, ringOf, type KeyRing } from './key-ring.ts';
import { FixedKeys, KeyStore, LiveSigner } from './key-store.ts';
import { keyStoreContract } from './key-store.contract.ts';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);

/** Keys that a spec replaces. */
class PutKeys extends KeyStore {
  #ring: KeyRing;
  #there: KeyRing | 'nonsense';

  constructor(ring: KeyRing) {
    super();
    this.#ring = this.#there = ring;
  }

  put(ring: KeyRing | 'nonsense'): void {
    this.#there = ring;
  }

  override get ring(): KeyRing {
    return this.#ring;
  }

  override async refresh(): Promise<boolean> {
    if (this.#there === 'nonsense') throw new KeyStoreError('nonsense');
    const isNew = this.#there !== this.#ring;
    this.#ring = this.#there;
    return isNew;
  }
}

keyStoreContract('the environment', newSigner, (ring) => ({ store: new FixedKeys(ring), put: null }));
keyStoreContract('a spec', newSigner, (ring) => {
  const store = new PutKeys(ring);
  return { store, put: (next) => store.put(next) };
});

describe('a live signer', () => {
  const [one, two] = [newSigner(), newSigner()];
  const bytes = Uint8Array.of(1, 2, 3);

  it('signs with the current key, and changes it only in `switchKey`', async () => {
    const store = new PutKeys(ringOf(one));
    const signer = new LiveSigner('record', store, 100);
    store.put(withNext(ringOf(one), { signer: two, now: 100, overlapMs: 50 }));
    await store.refresh();
    signer.switchKey(149);
    expect(signer.keyid).toBe(one.keyid);
    expect(signer.keyid).toBe(one.keyid);
    signer.switchKey(150);
    expect([signer.keyid, signer.publicJwk, signer.publicKey]).toEqual([two.keyid, two.publicJwk, two.publicKey]);
    expect(() => parseVerifier(two.publicJwk).verify(bytes, signer.sign(bytes))).not.toThrow();
  });

  it('refuses to sign once its key is revoked and closed, and a process does not start then', () => {
    const rotated = withNext(ringOf(one), { signer: two, now: 100, overlapMs: 5 });
    const lost = withRevoked(
      withRevoked(withNext(rotated, { signer: newSigner(), now: 110, overlapMs: 5 }), {
        keyid: two.keyid,
        now: 120,
        from: 90,
        settleMs: 10,
      }),
      { keyid: one.keyid, now: 120, from: 90, settleMs: 10 },
    );
    // As if somebody had truncated the file.
    const ring = { keys: lost.keys.slice(0, 2).map((key, i) => (i === 1 ? { ...key, signs_until: null } : key)) };
    const store = new FixedKeys(ring);
    const signer = new LiveSigner('record', store, 129);
    expect(signer.canSign).toBe(true);
    signer.switchKey(130);
    expect(signer.canSign).toBe(false);
    expect(() => signer.sign(bytes)).toThrow(KeyStoreError);
    expect(() => new LiveSigner('record', store, 130)).toThrow('no record key may sign');
  });

  it('refuses to sign with a key without its private half', () => {
    const ring = { keys: ringOf(one).keys.map((key) => ({ ...key, signer: null })) };
    expect(() => new LiveSigner('permit', new FixedKeys(ring), 1)).toThrow('no permit key may sign');
  });
});

describe('a key that is revoked', () => {
  const [one, two] = [newSigner(), newSigner()];
  const ring = withNext(ringOf(one), { signer: two, now: 100, overlapMs: 50 });

  it('is removed if it never signed, and the one before it continues', () => {
    expect(withRevoked(ring, { keyid: two.keyid, now: 110, from: 110, settleMs: 10 }).keys).toEqual(ringOf(one).keys);
  });

  it.each([
    ["that is nobody's", { keyid: 'nobody' }, 'there is no key'],
    ['from a day to come', { from: 301 }, 'later ones'],
    ['without a successor', { keyid: two.keyid }, 'needs a successor'],
  ])('%s is refused', (_what, over, why) => {
    expect(() => withRevoked(ring, { keyid: one.keyid, now: 300, from: 300, settleMs: 10, ...over })).toThrow(why);
  });

  it('stays revoked, from its first revocation', () => {
    const once = withRevoked(ring, { keyid: one.keyid, now: 300, from: 200, settleMs: 10 });
    expect(() => withRevoked(once, { keyid: one.keyid, now: 400, from: 100, settleMs: 10 })).toThrow('was revoked on');
  });
});
