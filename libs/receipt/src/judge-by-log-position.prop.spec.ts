// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { leafHash, proveInclusion, rootOf } from '@writ/merkle';
import { formatCheckpoint, signNote, type Signer } from '@writ/signing';
import { judgeByLogPosition, parseRevocation, type KeyHistory } from './judge-by-log-position.ts';
import { readKeyHistory } from './key-history.ts';
import { formatKeyEvent } from './key-record.ts';
import { keySetOf, type KeySet } from './key-set.ts';
import { assembleReceipt } from './receipt-file.ts';
import {
  failedCheckOf,
  DEPLOYMENT,
  LOG_ID,
  LOG_SIGNER,
  PUBLISHED,
  RECORD,
  RECORDED_AT,
  signerOf,
} from './sample.contract.ts';
import { sealRecord } from './seal.ts';
import { verifyReceipt } from './verify.ts';

const ORIGIN = `${DEPLOYMENT}/${LOG_ID}`;
const SIGNERS: readonly Signer[] = [11, 12, 13].map(signerOf);
const signerAt = (i: number): Signer => SIGNERS[i] as Signer;

/** A leaf: its signer, and the key whose revocation it states, if any. */
interface Leaf {
  readonly by: number;
  readonly revokes: number | null;
}
const key = fc.nat({ max: SIGNERS.length - 1 });
const leaves = fc.array(fc.record({ by: key, revokes: fc.option(key) }), { minLength: 1, maxLength: 12 });
const revoked = fc.array(fc.boolean(), { minLength: SIGNERS.length, maxLength: SIGNERS.length });

const keysWith = (isRevoked: readonly boolean[]): KeySet =>
  keySetOf({
    ...PUBLISHED,
    record_keys: SIGNERS.map(({ keyid, publicJwk }, i) => ({
      keyid,
      jwk: publicJwk,
      ...(isRevoked[i] === true ? { revoked_from: RECORDED_AT + 5 } : {}),
    })),
  });

const recordOf = ({ by, revokes }: Leaf) => ({
  ...RECORD,
  kernel_key_id: signerAt(by).keyid,
  ...(revokes === null
    ? {}
    : {
        kind: 'key' as const,
        operation_id: null,
        phase: null,
        tx_outcome: null,
        new_snapshot_id: null,
        change: formatKeyEvent({
          event: 'revoked',
          purpose: 'record',
          keyid: signerAt(revokes).keyid,
          x: signerAt(revokes).publicJwk.x,
          from: RECORDED_AT + 5,
        }),
      }),
});

/**
 * The expected result, computed in the other direction: is there a valid revocation of the leaf's signer at or before
 * this leaf, and is there one at all?
 */
function expected(log: readonly Leaf[], at: number, isRevoked: readonly boolean[]): boolean {
  const { by } = log[at] as Leaf;
  if (isRevoked[by] !== true) return true;
  const counts = (leaf: Leaf): boolean => leaf.revokes === by && leaf.by !== by && isRevoked[leaf.by] !== true;
  return log.some(counts) && !log.slice(0, at + 1).some(counts);
}

/** The log's receipts, all for its newest checkpoint. */
function receiptsOf(log: readonly Leaf[]) {
  const sealed = log.map((leaf) => sealRecord(recordOf(leaf), signerAt(leaf.by)));
  const hashes = sealed.map(({ payloadBytes }) => leafHash(payloadBytes));
  const checkpoint = signNote(formatCheckpoint({ origin: ORIGIN, treeSize: log.length, root: rootOf(hashes) }), {
    name: DEPLOYMENT,
    signer: LOG_SIGNER,
  });
  const hashAt = (level: number, index: number): Uint8Array =>
    rootOf(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level));
  return sealed.map(({ envelope }, leafIndex) =>
    assembleReceipt(envelope, {
      leafIndex,
      treeSize: log.length,
      hashes: proveInclusion(leafIndex, log.length, hashAt),
      checkpoint,
    }),
  );
}

describe('in any history of keys', () => {
  it('a leaf by a revoked key is good exactly if it precedes the first revocation by another, valid key', () => {
    fc.assert(
      fc.property(leaves, revoked, (log, isRevoked) => {
        const keys = keysWith(isRevoked);
        const history: KeyHistory = log.flatMap((leaf, i) => parseRevocation(recordOf(leaf), ORIGIN, i) ?? []);
        for (const [leafIndex, { by }] of log.entries()) {
          if (isRevoked[by] !== true) continue;
          expect([
            leafIndex,
            judgeByLogPosition(
              { origin: ORIGIN, keyid: signerAt(by).keyid, leafIndex, note: null },
              history,
              keys,
              null,
            ).isGood,
          ]).toEqual([leafIndex, expected(log, leafIndex, isRevoked)]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a receipt verifies exactly then, with the receipts of key records as history in any order', () => {
    fc.assert(
      fc.property(leaves, revoked, fc.boolean(), (log, isRevoked, isReversed) => {
        const keys = keysWith(isRevoked);
        const receipts = receiptsOf(log);
        const said = receipts.filter((_, i) => log[i]?.revokes !== null);
        const history = readKeyHistory(isReversed ? said.toReversed() : said, keys);
        for (const [i, receipt] of receipts.entries()) {
          expect([i, failedCheckOf(() => verifyReceipt(receipt, keys, {}, null, history))]).toEqual([
            i,
            expected(log, i, isRevoked) ? 'none' : 'key_validity',
          ]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a revocation in one log has no effect on another', () => {
    const keys = keysWith([true, false, false]);
    const history: KeyHistory = [
      {
        purpose: 'record',
        origin: `${DEPLOYMENT}/log_other`,
        keyid: signerAt(0).keyid,
        leafIndex: 9,
        signedBy: signerAt(1).keyid,
        from: 0,
      },
    ];
    expect(
      judgeByLogPosition({ origin: ORIGIN, keyid: signerAt(0).keyid, leafIndex: 1, note: null }, history, keys, null),
    ).toMatchObject({ isGood: false, by: 'unproven' });
  });
});
