// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '@writ/digest';
import { sealEnvelope, type Signer } from '@writ/signing';
import { keySetOf, type KeySet } from './key-set.ts';
import { failedCheckOf, KEYS, OTHER_SIGNER, PUBLISHED, RECORD, RECORD_SIGNER, RECORDED_AT } from './sample.contract.ts';
import { sealRecord } from './seal.ts';
import { statementOf } from './statement.ts';
import { verifyLeaf, verifyLeafOnThread, type SignedLeaf } from './verify-leaf.ts';

const RECORD_TYPE = 'application/vnd.in-toto+json';

/** Any bytes with a signature over them, as if they were a record's. */
function leafOf(
  payload: Uint8Array,
  { signer = RECORD_SIGNER, type = RECORD_TYPE }: { signer?: Signer; type?: string } = {},
): SignedLeaf {
  const [signature] = sealEnvelope(type, payload, signer).signatures;
  return { payload, keyid: signer.keyid, sig: signature?.sig ?? '' };
}

const SEALED = leafOf(sealRecord(RECORD, RECORD_SIGNER).payloadBytes);
const statement = statementOf(RECORD);
const keysWith = (over: object): KeySet =>
  keySetOf({ ...PUBLISHED, record_keys: [{ ...PUBLISHED.record_keys[0], ...over }] });

/** Runs both ways to verify, which have to agree. */
async function checkOf(leaf: SignedLeaf, keys: KeySet = KEYS): Promise<string> {
  const failed = failedCheckOf(() => verifyLeaf(leaf, keys));
  const aside = await verifyLeafOnThread(leaf, keys).then(
    () => failedCheckOf(() => undefined),
    (error: unknown) =>
      failedCheckOf(() => {
        throw error;
      }),
  );
  expect(aside).toBe(failed);
  return failed;
}

describe('a leaf', () => {
  it('signed by a trusted key yields its record', async () => {
    expect(verifyLeaf(SEALED, KEYS)).toEqual({ record: RECORD, subject: statement.subject, revokedAt: null });
    expect(await verifyLeafOnThread(SEALED, KEYS)).toEqual(verifyLeaf(SEALED, KEYS));
  });

  it.each<[string, SignedLeaf, string]>([
    ['of one changed byte', { ...SEALED, payload: SEALED.payload.with(SEALED.payload.length - 3, 0x20) }, 'signature'],
    ['under another signature', { ...SEALED, sig: leafOf(Buffer.from('{}')).sig }, 'signature'],
    ['under a signature that is none', { ...SEALED, sig: '???' }, 'signature'],
    ['under a signature that is cut short', { ...SEALED, sig: 'AAAA' }, 'signature'],
    ['signed by a key that is not trusted', leafOf(SEALED.payload, { signer: OTHER_SIGNER }), 'signature'],
    [
      "signed by another key under a trusted one's name",
      { ...leafOf(SEALED.payload, { signer: OTHER_SIGNER }), keyid: RECORD_SIGNER.keyid },
      'signature',
    ],
    [
      'signed as something else than a record',
      leafOf(SEALED.payload, { type: 'application/vnd.writ.permit.v1+json' }),
      'signature',
    ],
    ['that is no JSON', leafOf(Buffer.from('{')), 'statement'],
    ['that is no statement', leafOf(Buffer.from('{"record":1}')), 'statement'],
    ['with no record in its statement', leafOf(canonicalBytes({ ...statement, predicate: {} })), 'record'],
    [
      'with a record of another kind',
      leafOf(canonicalBytes({ ...statement, predicateType: 'https://writ.dev/record/change/v1' })),
      'predicate_type',
    ],
    [
      'about another operation',
      leafOf(canonicalBytes({ ...statement, subject: [{ name: 'op_other', digest: { sha256: '0'.repeat(64) } }] })),
      'subject',
    ],
    [
      'that names another key',
      leafOf(canonicalBytes({ ...statement, predicate: { ...RECORD, kernel_key_id: OTHER_SIGNER.keyid } })),
      'record_key',
    ],
  ])('%s fails', async (_what, leaf, check) => {
    expect(await checkOf(leaf)).toBe(check);
  });

  it.each([
    ['before the key signed', { not_before: RECORDED_AT + 1 }, 'key_validity'],
    ['after the key signed', { not_after: RECORDED_AT - 1 }, 'key_validity'],
  ] as const)('made %s is judged by that', async (_when, over, check) => {
    expect(await checkOf(SEALED, keysWith(over))).toBe(check);
  });

  it('by a revoked key reports the revocation, whatever its own date: its position decides', () => {
    for (const at of [RECORDED_AT - 1, RECORDED_AT, RECORDED_AT + 1])
      expect(verifyLeaf(SEALED, keysWith({ revoked_from: at })).revokedAt).toBe(at);
  });

  it('is not refused for a bug in a library', async () => {
    const verifier = {
      keyid: RECORD_SIGNER.keyid,
      verify: () => {
        throw new TypeError('bug');
      },
      verifyOnThread: () => Promise.reject(new TypeError('bug')),
    };
    const broken = {
      ...KEYS,
      recordKeys: new Map([[RECORD_SIGNER.keyid, { verifier, notBefore: null, notAfter: null, revokedAt: null }]]),
    };
    expect(() => verifyLeaf(SEALED, broken)).toThrow(TypeError);
    await expect(verifyLeafOnThread(SEALED, broken)).rejects.toThrow(TypeError);
  });
});
