// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { LIMITS, PERMIT_PAYLOAD_TYPE, type Fault, type Permit } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { parseSigner, parseVerifier, sealEnvelope, type Signer, type Verifier } from '@writ/signing';
import { openPermit, PERMIT_SKEW_MS, sealPermit, verifyPermit } from './index.ts';

const signer = newSigner();
const verifiers = verifiersOf(signer);
const NOW = 1_000_000;
const permit: Permit = {
  v: 1,
  permit_id: `pmt_${'0'.repeat(26)}`,
  tenant_id: `ten_${'0'.repeat(26)}`,
  operation_id: `op_${'0'.repeat(26)}`,
  attempt: 1,
  mode: 'run',
  lane: 'inline',
  tool_id: 'fs.write',
  action_digest: 'a'.repeat(64),
  image_digest: null,
  issued_at: NOW,
  expires_at: NOW + 30_000,
};

test('a permit that was sealed is the permit that is verified', () => {
  expect(verifyPermit(sealPermit(permit, signer), verifiers, NOW)).toEqual(permit);
});

test('a permit is valid until its end plus the skew, and not a millisecond longer', () => {
  const envelope = sealPermit(permit, signer);
  expect(verifyPermit(envelope, verifiers, permit.expires_at + PERMIT_SKEW_MS)).toEqual(permit);
  expect(codeOf(() => verifyPermit(envelope, verifiers, permit.expires_at + PERMIT_SKEW_MS + 1))).toBe(
    'permit.expired',
  );
  expect(codeOf(() => verifyPermit(envelope, verifiers, permit.expires_at + 1, 0))).toBe('permit.expired');
});

test('a permit from the future is invalid', () => {
  const envelope = sealPermit(permit, signer);
  expect(verifyPermit(envelope, verifiers, NOW - PERMIT_SKEW_MS)).toEqual(permit);
  expect(codeOf(() => verifyPermit(envelope, verifiers, NOW - PERMIT_SKEW_MS - 1))).toBe('permit.invalid');
});

test('NaN as the time refuses a permit', () => {
  expect(codeOf(() => verifyPermit(sealPermit(permit, signer), verifiers, Number.NaN))).toBe('permit.invalid');
  expect(codeOf(() => verifyPermit(sealPermit(permit, signer), verifiers, NOW, Number.NaN))).toBe('permit.invalid');
});

test('the kernel opens a permit at any time', () => {
  expect(openPermit(sealPermit(permit, signer), verifiers)).toEqual(permit);
});

test('a permit signed with another key is invalid', () => {
  expect(codeOf(() => openPermit(sealPermit(permit, newSigner()), verifiers))).toBe('permit.invalid');
});

test('a statement of another type with the same key is no permit', () => {
  const record = sealEnvelope('application/vnd.in-toto+json', canonicalBytes(permit), signer);
  expect(codeOf(() => openPermit(record, verifiers))).toBe('permit.invalid');
  expect(codeOf(() => openPermit({ ...record, payloadType: PERMIT_PAYLOAD_TYPE }, verifiers))).toBe('permit.invalid');
});

test.each([
  ['an unknown field', { ...permit, more: 1 }],
  ['a later version', { ...permit, v: 2 }],
  ['attempt zero', { ...permit, attempt: 0 }],
  ['an end before its beginning', { ...permit, expires_at: NOW }],
  ['a nested value', { ...permit, tool_id: { deep: true } }],
])('a signed payload with %s is no permit', (_what, payload) => {
  expect(codeOf(() => openPermit(sealEnvelope(PERMIT_PAYLOAD_TYPE, canonicalBytes(payload), signer), verifiers))).toBe(
    'permit.invalid',
  );
});

test('only valid permits are sealed', () => {
  expect(codeOf(() => sealPermit({ ...permit, attempt: 0 }, signer))).toBe('permit.invalid');
  expect(codeOf(() => sealPermit({ ...permit, expires_at: NOW }, signer))).toBe('permit.invalid');
});

test.each([undefined, null, 0, '', 'permit', [], {}])('%p is no permit', (value) => {
  expect(codeOf(() => openPermit(value, verifiers))).toBe('permit.invalid');
});

test('the largest permit fits a message, and a larger envelope is refused without decoding', () => {
  const longest = {
    ...permit,
    tool_id: 'x'.repeat(128),
    image_digest: 'x'.repeat(128),
    attempt: Number.MAX_SAFE_INTEGER,
  };
  const envelope = sealPermit(longest, signer);
  expect(JSON.stringify(envelope).length).toBeLessThanOrEqual(LIMITS.permitBytes.max);
  expect(openPermit(envelope, verifiers)).toEqual(longest);
  expect(codeOf(() => openPermit({ ...envelope, payload: 'A'.repeat(LIMITS.permitBytes.max) }, verifiers))).toBe(
    'permit.invalid',
  );
  // Two bytes a character, so that the text fits the schema and its bytes don't fit the envelope.
  const fat = { ...longest, tool_id: '\u{10ffff}'.repeat(64), image_digest: '\u0001'.repeat(128) };
  expect(codeOf(() => sealPermit(fat, { ...signer, keyid: 'k'.repeat(4096) }))).toBe('permit.invalid');
});

function newSigner(): Signer {
  return parseSigner(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
}

function verifiersOf(key: Signer): Map<string, Verifier> {
  return new Map([[key.keyid, parseVerifier(key.publicJwk)]]);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Fault).code;
  }
  return 'none';
}
