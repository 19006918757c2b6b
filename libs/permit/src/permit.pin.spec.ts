// SPDX-License-Identifier: Apache-2.0
import type { Permit } from '@writ/contract';
import { parseSigner } from '@writ/signing';
import { sealPermit } from './index.ts';

/** RFC 8410 §10.3's example private key. */
const signer = parseSigner(
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n',
);

const permit: Permit = {
  v: 1,
  permit_id: `pmt_${'0'.repeat(26)}`,
  tenant_id: `ten_${'1'.repeat(26)}`,
  operation_id: `op_${'2'.repeat(26)}`,
  attempt: 2,
  mode: 'run',
  lane: 'sandboxed',
  tool_id: 'shell.run',
  action_digest: '3'.repeat(64),
  image_digest: `sha256:${'4'.repeat(64)}`,
  issued_at: 1_700_000_000_000,
  expires_at: 1_700_000_030_000,
};

test('the bytes of a permit', () => {
  expect(JSON.stringify(sealPermit(permit, signer))).toBe(
    '{"payloadType":"application/vnd.writ.permit.v1+json","payload":"eyJhY3Rpb25fZGlnZXN0IjoiMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMyIsImF0dGVtcHQiOjIsImV4cGlyZXNfYXQiOjE3MDAwMDAwMzAwMDAsImltYWdlX2RpZ2VzdCI6InNoYTI1Njo0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0IiwiaXNzdWVkX2F0IjoxNzAwMDAwMDAwMDAwLCJsYW5lIjoic2FuZGJveGVkIiwibW9kZSI6InJ1biIsIm9wZXJhdGlvbl9pZCI6Im9wXzIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyIiwicGVybWl0X2lkIjoicG10XzAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwIiwidGVuYW50X2lkIjoidGVuXzExMTExMTExMTExMTExMTExMTExMTExMTExIiwidG9vbF9pZCI6InNoZWxsLnJ1biIsInYiOjF9","signatures":[{"keyid":"3YZxBJ12jO3n_mXt_q-j_Z-TFP1vt-NiI3OCf-fEnHQ","sig":"nFLdZJBTDpHReoBUI6WY6W9NQWupbgYLvkKoQmlgY3OQSzBFv3GBU+amsaAtYGR9MolaSlSHNS3tNj///WNuBw=="}]}',
  );
  expect(Buffer.from(sealPermit(permit, signer).payload, 'base64').toString()).toBe(
    '{"action_digest":"3333333333333333333333333333333333333333333333333333333333333333","attempt":2,"expires_at":1700000030000,"image_digest":"sha256:4444444444444444444444444444444444444444444444444444444444444444","issued_at":1700000000000,"lane":"sandboxed","mode":"run","operation_id":"op_22222222222222222222222222","permit_id":"pmt_00000000000000000000000000","tenant_id":"ten_11111111111111111111111111","tool_id":"shell.run","v":1}',
  );
});
