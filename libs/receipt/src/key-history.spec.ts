// SPDX-License-Identifier: Apache-2.0
import { cosign, formatCosignerKey, parseCosignerKey, verifyNote } from '@writ/signing';
import { readKeyHistory } from './key-history.ts';
import { formatKeyEvent, keyEventOf, type KeyEvent } from './key-record.ts';
import { keySetOf } from './key-set.ts';
import { CHECKS } from './receipt-error.ts';
import {
  DEPLOYMENT,
  failedCheckOf,
  KEYS,
  LOG_ID,
  LOG_SIGNER,
  logged,
  OTHER_SIGNER,
  PUBLISHED,
  RECEIPT,
  RECORD,
  RECORD_SIGNER,
  RECORDED_AT,
  signerOf,
} from './sample.contract.ts';
import { sealRecord } from './seal.ts';
import { verifyReceipt } from './verify.ts';

const EVENT: KeyEvent = {
  event: 'revoked',
  purpose: 'record',
  keyid: RECORD_SIGNER.keyid,
  x: RECORD_SIGNER.publicJwk.x,
  from: RECORDED_AT + 5,
};
const recordOf = (event: KeyEvent, by = OTHER_SIGNER) => ({
  ...RECORD,
  kind: 'key' as const,
  kernel_key_id: by.keyid,
  operation_id: null,
  phase: null,
  tx_outcome: null,
  new_snapshot_id: null,
  change: formatKeyEvent(event),
});
const REVOKED = keySetOf({
  ...PUBLISHED,
  record_keys: [
    { ...PUBLISHED.record_keys[0], revoked_from: EVENT.from },
    { keyid: OTHER_SIGNER.keyid, jwk: OTHER_SIGNER.publicJwk },
  ],
});
const ORIGIN = `${DEPLOYMENT}/${LOG_ID}`;
const revokedAt = (leafIndex: number) => [
  {
    purpose: 'record' as const,
    origin: ORIGIN,
    keyid: RECORD_SIGNER.keyid,
    leafIndex,
    signedBy: OTHER_SIGNER.keyid,
    from: EVENT.from,
  },
];

describe('a key record', () => {
  it('states the event of a key, and its time', () => {
    for (const event of ['introduced', 'retired', 'revoked'] as const)
      for (const purpose of ['record', 'checkpoint'] as const) {
        expect(keyEventOf(recordOf({ ...EVENT, event, purpose }))).toEqual({ ...EVENT, event, purpose });
      }
    expect(
      formatKeyEvent({ ...EVENT, purpose: 'checkpoint', from: 8_640_000_000_000_000 }).subject.length,
    ).toBeLessThanOrEqual(128);
  });

  it.each([
    ['of another kind', { ...recordOf(EVENT), kind: 'change' as const }],
    ['without a change', { ...recordOf(EVENT), change: null }],
    ['of an event that nobody knows', { ...recordOf(EVENT), change: { ...formatKeyEvent(EVENT), verb: 'key_lent' } }],
    [
      'of another purpose',
      {
        ...recordOf(EVENT),
        change: { ...formatKeyEvent(EVENT), subject: formatKeyEvent(EVENT).subject.replace('record', 'permit') },
      },
    ],
    ["whose id is another key's", recordOf({ ...EVENT, keyid: OTHER_SIGNER.keyid })],
    [
      'without a date',
      { ...recordOf(EVENT), change: { ...formatKeyEvent(EVENT), subject: `record.${EVENT.keyid}.${EVENT.x}.` } },
    ],
  ])('%s says nothing of a key', (_what, record) => {
    expect(keyEventOf(record)).toBeNull();
  });
});

describe('a history of keys', () => {
  it('has the statements of other keys about a key, with their positions', () => {
    expect(readKeyHistory([logged(sealRecord(recordOf(EVENT), OTHER_SIGNER).envelope)], REVOKED)).toEqual(revokedAt(3));
  });

  it('ignores statements of a key about itself, and those of a revoked key', () => {
    expect(readKeyHistory([logged(sealRecord(recordOf(EVENT, RECORD_SIGNER), RECORD_SIGNER).envelope)], KEYS)).toEqual(
      [],
    );
    expect(
      readKeyHistory(
        [
          logged(
            sealRecord(
              recordOf({ ...EVENT, keyid: OTHER_SIGNER.keyid, x: OTHER_SIGNER.publicJwk.x }, RECORD_SIGNER),
              RECORD_SIGNER,
            ).envelope,
          ),
        ],
        REVOKED,
      ),
    ).toEqual([]);
  });

  it("refuses receipts of other records, and those that don't verify", () => {
    const receipt = logged(sealRecord(recordOf(EVENT), OTHER_SIGNER).envelope);
    expect(failedCheckOf(() => readKeyHistory([RECEIPT], KEYS))).toBe('expectation');
    expect(failedCheckOf(() => readKeyHistory([receipt], KEYS))).toBe('signature');
    expect(
      failedCheckOf(() =>
        readKeyHistory([{ ...receipt, inclusion: { ...receipt.inclusion, leaf_index: 2 } }], REVOKED),
      ),
    ).toBe('inclusion');
  });
});

describe('a receipt by a key that was revoked', () => {
  it('verifies if it precedes the revocation, and reports it among the checks, in their order', () => {
    const { checks } = verifyReceipt(RECEIPT, REVOKED, {}, null, revokedAt(4));
    expect(checks.find(({ name }) => name === 'key_validity')?.detail).toMatch(
      /^signed by a key that was revoked from .*, but recorded before the revocation \(leaf 3 < 4\)$/,
    );
    const order = Object.keys(CHECKS);
    expect(checks.map(({ name }) => order.indexOf(name))).toEqual(
      checks.map(({ name }) => order.indexOf(name)).sort((a, b) => a - b),
    );
  });

  it('fails if it follows the revocation, whatever its date', () => {
    expect(() => verifyReceipt(RECEIPT, REVOKED, {}, null, revokedAt(2))).toThrow(
      'before the record was logged (leaf 3 > 2)',
    );
  });

  it("fails if its position isn't proved, whatever the history", () => {
    expect(
      failedCheckOf(() =>
        verifyReceipt(
          { ...RECEIPT, inclusion: { ...RECEIPT.inclusion, leaf_index: 1 } },
          REVOKED,
          {},
          null,
          revokedAt(2),
        ),
      ),
    ).toBe('inclusion');
  });

  it('verifies without a history exactly if a quorum of witnesses saw its checkpoint before the revocation', () => {
    const witnesses = [signerOf(21), signerOf(22)];
    const terms = {
      keys: witnesses.map((signer, i) => parseCosignerKey(formatCosignerKey(`witness${String(i)}`, signer.publicKey))),
      quorum: 2,
      checkpointAgeMaxMs: null,
    };
    const { text } = verifyNote(RECEIPT.inclusion.checkpoint, KEYS.logKeys);
    const seenAt = (...times: readonly number[]) => ({
      ...RECEIPT,
      inclusion: {
        ...RECEIPT.inclusion,
        checkpoint: times.reduce(
          (note, ms, i) =>
            note + cosign(text, { name: `witness${String(i)}`, signer: witnesses[i]! }, Math.floor(ms / 1000)),
          RECEIPT.inclusion.checkpoint,
        ),
      },
    });
    const failed = (receipt: typeof RECEIPT): string =>
      failedCheckOf(() => verifyReceipt(receipt, REVOKED, {}, { terms, now: RECORDED_AT + 100_000 }));
    const [before, after] = [EVENT.from - 2_000, EVENT.from + 2_000];
    expect([
      failed(seenAt(before, before)),
      failed(seenAt(before, after)),
      failed(seenAt(after, after)),
      failed(seenAt(before)),
    ]).toEqual(['none', 'key_validity', 'key_validity', 'witnesses']);
  });
});

describe('a receipt under a checkpoint key that its log says was revoked', () => {
  const { keyid, publicJwk } = LOG_SIGNER;
  const GONE: KeyEvent = { event: 'revoked', purpose: 'checkpoint', keyid, x: publicJwk.x, from: RECORDED_AT + 5 };
  const both = keySetOf({
    ...PUBLISHED,
    record_keys: [...PUBLISHED.record_keys, { keyid: OTHER_SIGNER.keyid, jwk: OTHER_SIGNER.publicJwk }],
  });
  const said = readKeyHistory([logged(sealRecord(recordOf(GONE), OTHER_SIGNER).envelope)], both);

  it('is refused, whatever the position of the revocation and the size of its tree', () => {
    expect(said).toEqual([
      { purpose: 'checkpoint', origin: ORIGIN, keyid, leafIndex: 3, signedBy: OTHER_SIGNER.keyid, from: GONE.from },
    ]);
    for (const leafIndex of [0, 3, 1_000_000]) {
      expect(() =>
        verifyReceipt(
          RECEIPT,
          both,
          {},
          null,
          said.map((one) => ({ ...one, leafIndex })),
        ),
      ).toThrow(`was revoked from ${new Date(GONE.from).toISOString()} on (leaf ${String(leafIndex)})`);
      expect(failedCheckOf(() => verifyReceipt(RECEIPT, both, {}, null, said))).toBe('checkpoint');
    }
  });

  it('verifies if the stating key is revoked itself, or another key or purpose is meant', () => {
    const revoked = keySetOf({
      ...PUBLISHED,
      record_keys: [
        ...PUBLISHED.record_keys,
        { keyid: OTHER_SIGNER.keyid, jwk: OTHER_SIGNER.publicJwk, revoked_from: 1 },
      ],
    });
    for (const [keys, history] of [
      [revoked, said],
      [both, said.map((one) => ({ ...one, keyid: OTHER_SIGNER.keyid }))],
      [both, said.map((one) => ({ ...one, purpose: 'record' as const }))],
    ] as const) {
      expect(verifyReceipt(RECEIPT, keys, {}, null, history).record).toEqual(RECORD);
    }
  });

  it('verifies if a quorum of witnesses saw the same checkpoint before', () => {
    const witness = signerOf(21);
    const terms = {
      keys: [parseCosignerKey(formatCosignerKey('witness', witness.publicKey))],
      quorum: 1,
      checkpointAgeMaxMs: null,
    };
    const { text } = verifyNote(RECEIPT.inclusion.checkpoint, KEYS.logKeys);
    const seenAt = (ms: number) => ({
      ...RECEIPT,
      inclusion: {
        ...RECEIPT.inclusion,
        checkpoint:
          RECEIPT.inclusion.checkpoint + cosign(text, { name: 'witness', signer: witness }, Math.floor(ms / 1000)),
      },
    });
    const now = GONE.from + 100_000;
    expect(verifyReceipt(seenAt(GONE.from - 2_000), both, {}, { terms, now }, said).record).toEqual(RECORD);
    expect(failedCheckOf(() => verifyReceipt(seenAt(GONE.from + 2_000), both, {}, { terms, now }, said))).toBe(
      'checkpoint',
    );
  });
});
