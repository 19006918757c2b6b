// SPDX-License-Identifier: Apache-2.0
import type { FunctionPermit, Permit } from '@writ/contract';
import { parseSigner, parseVerifier } from '@writ/signing';
import { openFunctionPermit, openPermit, sealFunctionPermit, sealPermit } from './index.ts';

/** RFC 8410 §10.3's example private key. */
const signer = parseSigner(
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n',
);
const verifiers = new Map([[signer.keyid, parseVerifier(signer.publicJwk)]]);
const shared = {
  v: 1 as const,
  permit_id: `pmt_${'0'.repeat(26)}` as const,
  tenant_id: `ten_${'1'.repeat(26)}` as const,
  operation_id: `op_${'2'.repeat(26)}` as const,
  attempt: 2,
  tool_id: 'billing.charge',
  action_digest: '3'.repeat(64),
  issued_at: 1_700_000_000_000,
  expires_at: 1_700_000_030_000,
};
const permit: FunctionPermit = { ...shared, api_key_id: `key_${'4'.repeat(26)}` };
const ours: Permit = { ...shared, mode: 'run', lane: 'inline', image_digest: null };
const invalid = expect.objectContaining({ code: 'permit.invalid' });

test('a permit for a process of a tenant opens as the permit that was sealed', () => {
  expect(openFunctionPermit(sealFunctionPermit(permit, signer), verifiers)).toEqual(permit);
});

test('the bytes of its payload', () => {
  const { payload, payloadType } = sealFunctionPermit(permit, signer);
  expect(payloadType).toBe('application/vnd.writ.function-permit.v1+json');
  expect(Buffer.from(payload, 'base64').toString()).toBe(
    `{"action_digest":"${'3'.repeat(64)}","api_key_id":"key_${'4'.repeat(26)}","attempt":2,"expires_at":1700000030000,"issued_at":1700000000000,"operation_id":"op_${'2'.repeat(26)}","permit_id":"pmt_${'0'.repeat(26)}","tenant_id":"ten_${'1'.repeat(26)}","tool_id":"billing.charge","v":1}`,
  );
});

test('neither kind of permit opens as the other, also under its payload type', () => {
  const [function_, executor] = [sealFunctionPermit(permit, signer), sealPermit(ours, signer)];
  for (const envelope of [executor, { ...executor, payloadType: function_.payloadType }])
    expect(() => openFunctionPermit(envelope, verifiers)).toThrow(invalid);
  for (const envelope of [function_, { ...function_, payloadType: executor.payloadType }])
    expect(() => openPermit(envelope, verifiers)).toThrow(invalid);
});

test('an altered, oversized or inverted one is invalid', () => {
  const sealed = sealFunctionPermit(permit, signer);
  const altered = Buffer.from(JSON.stringify({ ...permit, attempt: 3 })).toString('base64');
  expect(() => openFunctionPermit({ ...sealed, payload: altered }, verifiers)).toThrow(invalid);
  expect(() => openFunctionPermit({ ...sealed, more: 'x'.repeat(10_000) }, verifiers)).toThrow(invalid);
  expect(() => sealFunctionPermit({ ...permit, expires_at: permit.issued_at }, signer)).toThrow(invalid);
});
