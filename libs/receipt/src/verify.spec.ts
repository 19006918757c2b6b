// SPDX-License-Identifier: Apache-2.0
import { Fault, USAGE_COUNTERS } from '@writ/contract';
import type { AuditRecord, Receipt } from '@writ/contract';
import { actionDigest } from '@writ/digest';
import { formatNoteKey, sealEnvelope, signNote, verifyNote } from '@writ/signing';
import { keySetOf, parseKeySet } from './key-set.ts';
import { CHECKS } from './receipt-error.ts';
import { encodeReceipt, parseReceipt, readReceiptFile } from './receipt-file.ts';
import {
  DEPLOYMENT,
  KEYS,
  LOG_ID,
  LOG_SIGNER,
  OPERATION_ID,
  OTHER_SIGNER,
  PUBLISHED,
  RECEIPT,
  RECORD,
  RECORDED_AT,
  RECORD_SIGNER,
  failedCheckOf,
  logged,
  receiptOf,
} from './sample.contract.ts';
import { sealRecord } from './seal.ts';
import { statementOf } from './statement.ts';
import { executedBy } from './executed-by.ts';
import { usageCounted } from './usage-counted.ts';
import { verifyReceipt, verifyReceiptFile } from './verify.ts';

const statement = statementOf(RECORD);
const check = (receipt: Receipt, keys = KEYS) => failedCheckOf(() => verifyReceipt(receipt, keys));
const withRecord = (change: object) => receiptOf({ ...statement, predicate: { ...RECORD, ...change } });
const withInclusion = (change: object): Receipt => ({ ...RECEIPT, inclusion: { ...RECEIPT.inclusion, ...change } });
const sealed = (change: Partial<AuditRecord>) => sealRecord({ ...RECORD, ...change }, RECORD_SIGNER).envelope;

describe('a genuine receipt', () => {
  it('passes every check in order and returns the signed values', () => {
    const { checks, record, subject, checkpoint, deployment } = verifyReceiptFile(encodeReceipt(RECEIPT), KEYS, {
      operationId: OPERATION_ID,
    });
    expect(checks.map(({ name }) => name)).toEqual(
      Object.keys(CHECKS).filter((name) => !['keys', 'witnesses', 'freshness'].includes(name)),
    );
    expect(checks.every(({ detail }) => detail.length > 0)).toBe(true);
    expect(record).toEqual(RECORD);
    expect(subject).toEqual([
      { name: OPERATION_ID, digest: { sha256: actionDigest(RECORD) } },
      { name: RECORD.new_snapshot_id, digest: { sha256: '5'.repeat(64) } },
    ]);
    expect(checkpoint).toMatchObject({ origin: `${DEPLOYMENT}/${LOG_ID}`, treeSize: 5 });
    expect(deployment).toBe(DEPLOYMENT);
  });

  it('of a refusal, of an approval and of a change without an operation passes too', () => {
    const nothing = { new_snapshot_id: null, commit_delta_id: null, decision_record_id: null, decision_hash: null };
    expect(
      check(logged(sealed({ ...nothing, phase: 'decision', verdict: 'refused', tx_outcome: 'rolled_back' }))),
    ).toBe('none');
    const approval = { ...RECORD, ...nothing, kind: 'approval', phase: null, tx_outcome: null } as const;
    expect(check(logged(sealRecord(approval, RECORD_SIGNER, 'c'.repeat(64)).envelope))).toBe('none');
    expect(
      check(
        logged(sealRecord({ ...approval, kind: 'change', operation_id: null, tool_id: null }, RECORD_SIGNER).envelope),
      ),
    ).toBe('none');
  });

  it.each(USAGE_COUNTERS)('with usage counted by the %s passes, and reports it', (usage_counted_by) => {
    const receipt = logged(sealed({ budget_delta: { cpu_ms: 5 }, usage_counted_by }));
    expect(verifyReceipt(receipt, KEYS).record).toMatchObject({ budget_delta: { cpu_ms: 5 }, usage_counted_by });
  });

  it('with settled usage and no `usage_counted_by` passes, and claims nothing', () => {
    const { record } = verifyReceipt(logged(sealed({ budget_delta: { cpu_ms: 5 } })), KEYS);
    expect(record).not.toHaveProperty('usage_counted_by');
    expect(usageCounted(record)).toBeNull();
    expect(executedBy(record)).toBeNull();
  });

  it('passes with further signatures by unknown witnesses', () => {
    const { text } = verifyNote(RECEIPT.inclusion.checkpoint, KEYS.logKeys);
    const witness = signNote(text, { name: 'witness.example', signer: OTHER_SIGNER }).slice(text.length + 1);
    expect(check(withInclusion({ checkpoint: RECEIPT.inclusion.checkpoint + witness }))).toBe('none');
  });
});

describe('a receipt', () => {
  it.each<[string, Receipt, string]>([
    ['of another media type', { ...RECEIPT, media_type: 'text/plain' as Receipt['media_type'] }, 'format'],
    [
      'with a second signature',
      {
        ...RECEIPT,
        envelope: { ...RECEIPT.envelope, signatures: [...RECEIPT.envelope.signatures, ...RECEIPT.envelope.signatures] },
      },
      'format',
    ],
    [
      'with a payload type of another format',
      receiptOf(statement, 'application/vnd.writ.permit.v1+json'),
      'payload_type',
    ],
    [
      'signed by an unknown key',
      logged(sealRecord({ ...RECORD, kernel_key_id: OTHER_SIGNER.keyid }, OTHER_SIGNER).envelope),
      'signature',
    ],
    [
      'with another payload than was signed',
      { ...RECEIPT, envelope: { ...RECEIPT.envelope, payload: sealed({ risk_score: 0 }).payload } },
      'signature',
    ],
    ['with a payload that is no JSON', receiptOf('{'), 'statement'],
    ['with a payload that says a thing twice', receiptOf('{"_type":1,"_type":1}'), 'statement'],
    [
      'with a statement of another version',
      receiptOf({ ...statement, _type: 'https://in-toto.io/Statement/v2' }),
      'statement',
    ],
    ['with a further member in the statement', receiptOf({ ...statement, more: 1 }), 'statement'],
    ['without subjects', receiptOf({ ...statement, subject: [] }), 'statement'],
    ['with an unknown field in the record', withRecord({ more: 1 }), 'record'],
    [
      'with usage counted by nobody known',
      withRecord({ budget_delta: { cpu_ms: 5 }, usage_counted_by: 'job' }),
      'record',
    ],
    ['with usage counted by null', withRecord({ budget_delta: { cpu_ms: 5 }, usage_counted_by: null }), 'record'],
    [
      "with a counter of usage that it doesn't settle",
      withRecord({ budget_delta: null, usage_counted_by: 'host' }),
      'record',
    ],
    ['with a record of a later version', withRecord({ v: 2 }), 'record'],
    ['with a field missing', withRecord({ args_hash: undefined }), 'record'],
    ['with a record of another tenant than its log', withRecord({ tenant_id: `ten_${'0'.repeat(26)}` }), 'record'],
    ['with an outcome that names no decision', withRecord({ decision_hash: null }), 'record'],
    ['with an outcome that names no decision record', withRecord({ decision_record_id: null }), 'record'],
    ['with a call of no phase', withRecord({ phase: null }), 'record'],
    ['with a call of no operation', withRecord({ operation_id: null }), 'record'],
    ['with a record from before time', withRecord({ recorded_at: -1 }), 'record'],
    ['with a record from after time', withRecord({ recorded_at: 8_640_000_000_000_001 }), 'record'],
    [
      'with a predicate type of another kind',
      receiptOf({ ...statement, predicateType: 'https://writ.dev/record/token/v1' }),
      'predicate_type',
    ],
    ["with a kind that is not its predicate type's", withRecord({ kind: 'token' }), 'predicate_type'],
    ['whose subject is another operation', withRecord({ operation_id: `op_${'0'.repeat(26)}` }), 'subject'],
    ['whose subject is another action', withRecord({ tool_id: 'fs.read' }), 'subject'],
    ['that hides the root it commits', receiptOf({ ...statement, subject: statement.subject.slice(0, 1) }), 'subject'],
    ["that names a root it doesn't commit", withRecord({ tx_outcome: 'rolled_back' }), 'subject'],
    ['that commits a root of another name', withRecord({ new_snapshot_id: `snap_${'9'.repeat(64)}` }), 'subject'],
    [
      'that commits a root of another hash',
      receiptOf({
        ...statement,
        subject: [statement.subject[0], { name: RECORD.new_snapshot_id, digest: { sha256: '9'.repeat(64) } }],
      }),
      'subject',
    ],
    ['whose record names another key', withRecord({ kernel_key_id: OTHER_SIGNER.keyid }), 'record_key'],
    ['with a checkpoint that is no note', withInclusion({ checkpoint: 'no note' }), 'checkpoint'],
    ['with a checkpoint by an unknown key', logged(RECEIPT.envelope, { logSigner: OTHER_SIGNER }), 'checkpoint'],
    [
      'with a note that is no checkpoint',
      withInclusion({ checkpoint: signNote('hello\n', { name: DEPLOYMENT, signer: LOG_SIGNER }) }),
      'checkpoint',
    ],
    ["in another tenant's log", logged(RECEIPT.envelope, { origin: `${DEPLOYMENT}/log_${'0'.repeat(26)}` }), 'origin'],
    ['in a log of another deployment', logged(RECEIPT.envelope, { origin: `other.example/${LOG_ID}` }), 'origin'],
    ['with a proof for another tree size', logged(RECEIPT.envelope, { treeSize: 6 }), 'tree_size'],
    ['with a proof for another leaf', logged(RECEIPT.envelope, { leafIndex: 2 }), 'inclusion'],
    ['with a leaf past the end', logged(RECEIPT.envelope, { leafIndex: 5 }), 'inclusion'],
    ['with a hash missing', withInclusion({ hashes: RECEIPT.inclusion.hashes.slice(1) }), 'inclusion'],
    [
      'with a hash in another spelling',
      withInclusion({ hashes: RECEIPT.inclusion.hashes.map((hash) => hash.replace('=', '')) }),
      'inclusion',
    ],
    [
      'with the proof of another record',
      { ...logged(sealed({ risk_score: 0 })), inclusion: RECEIPT.inclusion },
      'inclusion',
    ],
  ])('%s fails', (_, receipt, name) => {
    expect(check(receipt)).toBe(name);
  });

  it.each([
    ['operationId', `op_${'0'.repeat(26)}`],
    ['logId', `log_${'0'.repeat(26)}`],
    ['deployment', 'other.example'],
    ['toolId', 'fs.delete'],
    ['agentId', `agt_${'0'.repeat(26)}`],
    ['capabilityTokenId', `cap_${'0'.repeat(26)}`],
    ['workspaceId', `wsp_${'0'.repeat(26)}`],
  ])('that is genuine but of another %s than was asked for fails', (name, wanted) => {
    expect(failedCheckOf(() => verifyReceipt(RECEIPT, KEYS, { [name]: wanted }))).toBe('expectation');
  });

  it('is not valid by the signature of a known witness instead of the log’s', () => {
    const keys = keySetOf({ ...PUBLISHED, log_keys: [formatNoteKey('witness.example', OTHER_SIGNER.publicKey)] });
    expect(check(logged(RECEIPT.envelope, { keyName: 'witness.example', logSigner: OTHER_SIGNER }), keys)).toBe(
      'origin',
    );
  });

  it('fails where the key was not yet or no longer valid', () => {
    const window = (not_before?: number | null, not_after?: number | null) =>
      keySetOf({
        ...PUBLISHED,
        record_keys: [{ keyid: RECORD_SIGNER.keyid, jwk: RECORD_SIGNER.publicJwk, not_before, not_after }],
      });
    expect(check(RECEIPT, window(RECORDED_AT + 1))).toBe('key_validity');
    expect(check(RECEIPT, window(null, RECORDED_AT - 1))).toBe('key_validity');
    expect(check(RECEIPT, window(RECORDED_AT, RECORDED_AT))).toBe('none');
    expect(check(RECEIPT, window())).toBe('none');
  });
});

describe('a receipt file', () => {
  const text = encodeReceipt(RECEIPT);

  it('is parsed as it was encoded', () => {
    expect(parseReceipt(text)).toEqual(RECEIPT);
    expect(parseReceipt(Buffer.from(text))).toEqual(RECEIPT);
  });

  it.each<[string, string]>([
    ['without its newline', text.trimEnd()],
    ['with a newline more', `${text}\n`],
    ['with line ends of Windows', `${JSON.stringify(RECEIPT, null, 2).replaceAll('\n', '\r\n')}\r\n`],
    ['with a space', text.replace(',', ', ')],
    ['pretty-printed', `${JSON.stringify(RECEIPT, null, 2)}\n`],
    ['in another order', `${JSON.stringify(Object.fromEntries(Object.entries(RECEIPT).reverse()))}\n`],
    ['with an escape', text.replace('writ', '\\u0077rit')],
    ['with a number in another spelling', text.replace('"leaf_index":3', '"leaf_index":3.0')],
  ])('%s verifies as reformatted, and is no canonical text', (_, file) => {
    expect(file).not.toBe(text);
    for (const spelling of [file, Buffer.from(file)]) {
      expect(verifyReceiptFile(spelling, KEYS)).toMatchObject({ isReformatted: true });
      expect(encodeReceipt(readReceiptFile(spelling).receipt)).toBe(text);
    }
    expect(failedCheckOf(() => parseReceipt(file))).toBe('format');
  });

  it('that is the canonical text verifies without a note', () => {
    expect(verifyReceiptFile(text, KEYS)).toMatchObject({ isReformatted: false });
  });

  const pretty = JSON.stringify(RECEIPT, null, 2);
  it.each<[string, string]>([
    ['empty', ''],
    ['with a byte order mark', `\ufeff${text}`],
    ['with a comment', `${text}// fine\n`],
    ['with a comma at the end', pretty.replace(/\n}$/, ',\n}')],
    ['with a further member', text.replace('{', '{"more":1,')],
    ['with a further member within', text.replace('"leaf_index":3', '"leaf_index":3,"more":1')],
    ['with a member twice', text.replace('{', '{"media_type":"",')],
    ['with a member twice, in another spelling', text.replace('"leaf_index":3', '"leaf_index":4,"leaf\\u005findex":3')],
    [
      'with the same member twice, pretty-printed',
      pretty.replace('"leaf_index": 3', '"leaf_index": 3,\n"leaf_index": 3'),
    ],
    ['with a number of another type', text.replace('"leaf_index":3', '"leaf_index":"3"')],
    ['with a second value', `${text}{}`],
    ['nested deeply', '['.repeat(100_000)],
    ['too long', ' '.repeat(131_073)],
  ])('%s fails as no receipt', (_, file) => {
    expect(failedCheckOf(() => readReceiptFile(file))).toBe('format');
    expect(failedCheckOf(() => verifyReceiptFile(file, KEYS))).toBe('format');
  });

  it('that is reformatted fails where its content was changed', () => {
    const changed = { ...RECEIPT, inclusion: { ...RECEIPT.inclusion, leaf_index: 2 } };
    expect(failedCheckOf(() => verifyReceiptFile(JSON.stringify(changed, null, 2), KEYS))).toBe('inclusion');
  });
});

describe('sealRecord', () => {
  it('refuses to sign a record that verifiers refuse', () => {
    const seal = (change: object, digest?: string) =>
      failedCheckOf(() => sealRecord({ ...RECORD, ...change }, RECORD_SIGNER, digest));
    expect(seal({ kernel_key_id: OTHER_SIGNER.keyid })).toBe('record_key');
    expect(seal({ decision_hash: null })).toBe('record');
    expect(seal({}, '0'.repeat(64))).toBe('subject');
  });

  it('refuses a record that is larger than a record may be', () => {
    const large = {
      rule_ids: Array.from({ length: 64 }, () => 'r'.repeat(128)),
      risk_basis: Array.from({ length: 64 }, () => 'r'.repeat(128)),
    };
    expect(() => sealRecord({ ...RECORD, ...large }, RECORD_SIGNER)).toThrow(new Fault('record.too_large'));
  });

  it('signs the bytes that it returns', () => {
    const { payloadBytes, envelope } = sealRecord(RECORD, RECORD_SIGNER);
    expect(Buffer.from(envelope.payload, 'base64')).toEqual(Buffer.from(payloadBytes));
  });
});

describe('published keys', () => {
  const [entry] = PUBLISHED.record_keys;

  it('are read from the file', () => {
    const { recordKeys, logKeys } = parseKeySet(JSON.stringify(PUBLISHED, null, 2));
    expect([...recordKeys.keys()]).toEqual([RECORD_SIGNER.keyid]);
    expect(logKeys.map(({ name }) => name)).toEqual([DEPLOYMENT]);
  });

  it('list revoked checkpoint keys separately, and verify nothing with them', () => {
    expect(KEYS.revokedLogKeys).toEqual([]);
    const revoked = parseKeySet(JSON.stringify({ ...PUBLISHED, log_keys: [], revoked_log_keys: PUBLISHED.log_keys }));
    expect([revoked.logKeys, revoked.revokedLogKeys.map(({ name }) => name)]).toEqual([[], [DEPLOYMENT]]);
    expect(failedCheckOf(() => verifyReceipt(RECEIPT, revoked))).toBe('checkpoint');
  });

  it.each<[string, unknown]>([
    ['no keys', {}],
    ['an unknown member', { ...PUBLISHED, revoked: [] }],
    ['an unknown member of a key', { ...PUBLISHED, record_keys: [{ ...entry, revoked: true }] }],
    ['a key under another name', { ...PUBLISHED, record_keys: [{ ...entry, keyid: 'other' }] }],
    ['a key twice', { ...PUBLISHED, record_keys: [entry, entry] }],
    ['a key that is none', { ...PUBLISHED, record_keys: [{ ...entry, jwk: {} }] }],
    ['a log key that is none', { ...PUBLISHED, log_keys: ['writ.local'] }],
    ['a revoked log key that is none', { ...PUBLISHED, revoked_log_keys: ['writ.local'] }],
    ['a log key that is trusted and revoked', { ...PUBLISHED, revoked_log_keys: PUBLISHED.log_keys }],
  ])('are refused with %s', (_, published) => {
    expect(failedCheckOf(() => parseKeySet(JSON.stringify(published)))).toBe('keys');
  });

  it('are refused as no JSON', () => {
    expect(failedCheckOf(() => parseKeySet('{'))).toBe('keys');
  });
});

describe('a bug in a library', () => {
  it('is not reported as a bad receipt', () => {
    const broken = {
      ...KEYS,
      recordKeys: new Map([
        [
          RECORD_SIGNER.keyid,
          {
            verifier: {
              keyid: '',
              verify: () => {
                throw new TypeError('bug');
              },
              verifyOnThread: () => Promise.reject(new TypeError('bug')),
            },
            notBefore: null,
            notAfter: null,
            revokedAt: null,
          },
        ],
      ]),
    };
    expect(() => verifyReceipt(RECEIPT, broken)).toThrow(TypeError);
    expect(sealEnvelope('t', new Uint8Array(0), RECORD_SIGNER).payload).toBe('');
  });
});
