// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { BUNDLE_PAYLOAD_TYPE, logIdOf, RECORD_PAYLOAD_TYPE, type BundleManifest, type TenantId } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { keySetOf } from '@writ/receipt';
import { parseSigner, sealEnvelope, type Signer } from '@writ/signing';
import { openManifest } from './bundle-manifest.ts';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const [good, lost, stranger] = [newSigner(), newSigner(), newSigner()];
const { recordKeys } = keySetOf({
  record_keys: [
    { keyid: good.keyid, jwk: good.publicJwk, not_before: 1_000, not_after: 2_000 },
    { keyid: lost.keyid, jwk: lost.publicJwk, revoked_from: 1_200 },
  ],
  log_keys: [],
});
const tenant_id = 'ten_01kdvq8qfwe9gr4v9m1h7e3x2z' as TenantId;
const MANIFEST: BundleManifest = {
  v: 1,
  tenant_id,
  log_id: logIdOf(tenant_id),
  kernel_key_id: good.keyid,
  made_at: 1_500,
  session_id: 's1',
  since: null,
  until: null,
  tree_size: 1,
  records: 0,
  first_leaf: null,
  last_leaf: null,
  files: [],
  missing: [],
};
const sealed = (over: object = {}, signer = good, type = BUNDLE_PAYLOAD_TYPE): Buffer =>
  Buffer.from(JSON.stringify(sealEnvelope(type, canonicalBytes({ ...MANIFEST, ...over }), signer)));

test('a manifest that a valid key signed is opened', () => {
  expect(openManifest(sealed(), recordKeys)).toEqual({ manifest: MANIFEST, byRevoked: false });
});

test('a manifest that a revoked key signed is opened, and marked', () => {
  expect(openManifest(sealed({ kernel_key_id: lost.keyid }, lost), recordKeys)).toMatchObject({ byRevoked: true });
});

test.each<[string, Buffer, string]>([
  ['signed by nobody who is known', sealed({ kernel_key_id: stranger.keyid }, stranger), 'trusted key'],
  [
    'signed with a key that was revoked, in the name of one that is good',
    sealed({}, lost),
    'another key than the one that signed',
  ],
  ['made when the key was not good yet', sealed({ made_at: 999 }), "wasn't good"],
  ['made when the key was no longer good', sealed({ made_at: 2_001 }), "wasn't good"],
  ['signed as a record', sealed({}, good, RECORD_PAYLOAD_TYPE), 'trusted key'],
  ['of a version that is not known', sealed({ v: 2 }), 'trusted key'],
  ['with a member more', sealed({ more: 1 }), 'trusted key'],
  ['with a file elsewhere', sealed({ files: [{ path: '../x', bytes: 1, sha256: '0'.repeat(64) }] }), 'trusted key'],
  ['that is no JSON', Buffer.from('{'), 'trusted key'],
])('a manifest %s is refused', (_what, bytes, words) => {
  expect(() => openManifest(bytes, recordKeys)).toThrow(
    expect.objectContaining({ code: 'verify.bundle', message: expect.stringContaining(words) as string }),
  );
});
