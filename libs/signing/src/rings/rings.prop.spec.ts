// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { parseSigner } from '../keys.ts';
import { LAG_MS, withNext, withRevoked } from './change-ring.ts';
import { isClosed, KeyStoreError, ringOf, signingKeyAt, stateAt, type KeyRing } from './key-ring.ts';
import { publicKeysOf, parsePublicKeys } from './public-keys.ts';
import { formatRing, parseRing } from './ring-file.ts';

const PAIRS = Array.from({ length: 8 }, () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { pem, signer: parseSigner(pem) };
});
const pemOf = (keyid: string): string | null => PAIRS.find(({ signer }) => signer.keyid === keyid)?.pem ?? null;

type Step =
  | { readonly what: 'rotate'; readonly wait: number; readonly overlap: number }
  | { readonly what: 'revoke'; readonly wait: number; readonly which: number; readonly ago: number };
const steps = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('rotate' as const),
      wait: fc.integer({ min: 0, max: 100 }),
      overlap: fc.integer({ min: 1, max: 50 }),
    }),
    fc.record({
      what: fc.constant('revoke' as const),
      wait: fc.integer({ min: 0, max: 100 }),
      which: fc.nat(7),
      ago: fc.nat(1000),
    }),
  ),
  { maxLength: 12 },
);

/**
 * The changes of a ring by an operator, one after another; a refused one changes nothing. Returns every ring with its
 * time.
 */
function lived(plan: readonly Step[]): { ring: KeyRing; since: number }[] {
  let [ring, now] = [ringOf(PAIRS[0]!.signer), 1_000];
  const rings = [{ ring, since: 0 }];
  for (const step of plan) {
    now += step.wait;
    try {
      const fresh = PAIRS.find(({ signer }) => !ring.keys.some(({ keyid }) => keyid === signer.keyid));
      if (step.what === 'rotate') {
        if (fresh === undefined) continue;
        ring = withNext(ring, { signer: fresh.signer, now, overlapMs: step.overlap });
      } else {
        ring = withRevoked(ring, {
          keyid: ring.keys[step.which % ring.keys.length]!.keyid,
          now,
          from: now - step.ago,
          settleMs: 10,
        });
      }
      rings.push({ ring, since: now });
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
    }
  }
  return rings;
}
const last = (plan: readonly Step[]): KeyRing => lived(plan).at(-1)!.ring;

describe('a ring after any changes', () => {
  it('always has a key that signs, and never one that was revoked and is closed', () => {
    fc.assert(
      fc.property(steps, fc.nat(3_000), (plan, later) => {
        for (const { ring, since } of lived(plan)) {
          const key = signingKeyAt(ring, since + later);
          expect(key).toBeDefined();
          expect(isClosed(key!, since + later)).toBe(false);
          expect(['current', 'revoked']).toContain(stateAt(key!, since + later));
        }
      }),
    );
  });

  it('lets no key sign that was not published the overlap before', () => {
    fc.assert(
      fc.property(steps, fc.nat(3_000), (plan, now) => {
        for (const { not_before, signs_from } of last(plan).keys)
          expect(not_before === null || not_before < signs_from).toBe(true);
        const key = signingKeyAt(last(plan), now);
        expect(key === undefined || key.signs_from <= now).toBe(true);
      }),
    );
  });

  it('never changes the start of a key that has begun, and keeps every key that signed', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const rings = lived(plan);
        for (const [i, { ring }] of rings.entries()) {
          const next = rings[i + 1];
          if (next === undefined) continue;
          for (const key of ring.keys)
            if (key.signs_from <= next.since)
              expect(next.ring.keys.find(({ keyid }) => keyid === key.keyid)?.signs_from).toBe(key.signs_from);
        }
      }),
    );
  });

  it('keeps what a key signed valid until long after its last moment', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        for (const { signs_until, not_after } of last(plan).keys)
          expect(not_after).toBe(signs_until === null ? null : signs_until + LAG_MS);
      }),
    );
  });

  it('is parsed as it was formatted, and its published part has no private half', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const ring = last(plan);
        const bare = ({ keys }: KeyRing) => keys.map(({ signer, ...key }) => ({ ...key, signs: signer?.keyid }));
        expect(bare(parseRing(formatRing(ring, pemOf)))).toEqual(bare(ring));
        const published = JSON.stringify(publicKeysOf(ring));
        expect(published).not.toMatch(/PRIVATE|"d"/);
        expect(
          [...parsePublicKeys(published)].map(([keyid, { notBefore, notAfter, closesAt }]) => [
            keyid,
            notBefore,
            notAfter,
            closesAt,
          ]),
        ).toEqual(
          ring.keys.map(({ keyid, not_before, not_after, revoked }) => [
            keyid,
            not_before,
            not_after,
            revoked?.closes_at ?? null,
          ]),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('a file of keys', () => {
  const [one, two] = [PAIRS[0]!, PAIRS[1]!];
  const good = withNext(ringOf(one.signer), { signer: two.signer, now: 10, overlapMs: 5 });
  const written = JSON.parse(formatRing(good, pemOf)) as { keys: Record<string, unknown>[] };
  const changed = (index: number, over: Record<string, unknown>): string =>
    JSON.stringify({ ...written, keys: written.keys.map((key, i) => (i === index ? { ...key, ...over } : key)) });

  it('with one PEM is a ring whose key signs at any time', () => {
    expect(signingKeyAt(parseRing(one.pem), 0)?.keyid).toBe(one.signer.keyid);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['half a ring', JSON.stringify(written).slice(0, 200)],
    ['no key', '{"v":1,"keys":[]}'],
    ['another version', JSON.stringify({ ...written, v: 2 })],
    ['a member more', changed(0, { more: 1 })],
    ['another private half', changed(0, { pem: two.pem })],
    ['another name', changed(0, { keyid: two.signer.keyid })],
    ['a key twice', JSON.stringify({ ...written, keys: [written.keys[0], written.keys[0]] })],
    ['a gap', changed(0, { signs_until: 14 })],
    ['two last keys', changed(0, { signs_until: null })],
    ['an end after the last', changed(1, { signs_until: 99 })],
    ['a public key that is none', changed(0, { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA' }, pem: null })],
  ])('with %s is refused, and no private key is repeated', (_what, text) => {
    expect(() => parseRing(text)).toThrow(KeyStoreError);
    expect(() => parseRing(text)).not.toThrow(/MC4CAQ/);
  });
});
