// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { formatId, LIMITS, type Fault, type IdKind, type Permit } from '@writ/contract';
import { parseSigner, parseVerifier } from '@writ/signing';
import { openPermit, sealPermit, verifyPermit } from './index.ts';

const signer = parseSigner(
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
);
const verifiers = new Map([[signer.keyid, parseVerifier(signer.publicJwk)]]);

const idOf = (kind: IdKind) => fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => formatId(kind, bytes));
const permits: fc.Arbitrary<Permit> = fc
  .record({
    v: fc.constant(1 as const),
    permit_id: idOf('permit'),
    tenant_id: idOf('tenant'),
    operation_id: idOf('operation'),
    attempt: fc.integer({ min: 1, max: 1_000 }),
    mode: fc.constantFrom('run' as const, 'preview' as const),
    lane: fc.constantFrom('inline' as const, 'sandboxed' as const),
    tool_id: fc.stringMatching(/^[a-z0-9_.]{1,128}$/),
    action_digest: fc.stringMatching(/^[0-9a-f]{64}$/),
    image_digest: fc.option(fc.stringMatching(/^sha256:[0-9a-f]{64}$/)),
    issued_at: fc.nat(),
    life: fc.integer({ min: 1, max: 60_000 }),
  })
  .map(({ life, ...permit }) => ({ ...permit, expires_at: permit.issued_at + life }));

test('every permit survives sealing, within 4 KiB', () => {
  fc.assert(
    fc.property(permits, (permit) => {
      const envelope = sealPermit(permit, signer);
      expect(JSON.stringify(envelope).length).toBeLessThanOrEqual(LIMITS.permitBytes.max);
      expect(openPermit(JSON.parse(JSON.stringify(envelope)), verifiers)).toEqual(permit);
    }),
  );
});

test('changing any character of an envelope makes it invalid', () => {
  fc.assert(
    fc.property(permits, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (permit, at, character) => {
      const text = JSON.stringify(sealPermit(permit, signer));
      const place = at % text.length;
      const forged = text.slice(0, place) + character + text.slice(place + 1);
      fc.pre(forged !== text);
      let value: unknown;
      try {
        value = JSON.parse(forged);
      } catch {
        return;
      }
      // An escape may encode the same text; only an envelope with another meaning must be refused.
      fc.pre(JSON.stringify(value) !== text);
      expect(codeOf(() => openPermit(value, verifiers))).toBe('permit.invalid');
    }),
    { numRuns: 500 },
  );
});

test('an expired permit never becomes valid again', () => {
  fc.assert(
    fc.property(permits, fc.nat({ max: 200_000 }), fc.nat({ max: 200_000 }), (permit, one, other) => {
      const envelope = sealPermit(permit, signer);
      const [sooner, later] = [permit.issued_at + Math.min(one, other), permit.issued_at + Math.max(one, other)];
      const at = (now: number): string => codeOf(() => verifyPermit(envelope, verifiers, now));
      if (at(sooner) === 'permit.expired') expect(at(later)).toBe('permit.expired');
    }),
  );
});

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Fault).code;
  }
  return 'none';
}
