// SPDX-License-Identifier: Apache-2.0
//
// Verifies a receipt offline, from public keys and nothing else. INVARIANT (signed only): every returned value comes
// from bytes that a known key signed, parsed after the signature was checked. Each step has a name, in the order of
// `CHECKS`; the first failure ends it.
import { RECORD_PAYLOAD_TYPE, predicateTypeOf } from '@writ/contract';
import type { AuditRecord, Receipt } from '@writ/contract';
import { leafHash, verifyInclusion } from '@writ/merkle';
import { decodeBase64, parseCheckpoint, verifyEnvelope, verifyNote } from '@writ/signing';
import type { Checkpoint, NoteKey } from '@writ/signing';
import { judgeByLogPosition, judgeCheckpoint, UNPROVEN } from './judge-by-log-position.ts';
import type { Judgement, KeyHistory } from './judge-by-log-position.ts';
import type { KeySet, RecordKey } from './key-set.ts';
import { ReceiptError } from './receipt-error.ts';
import type { CheckName } from './receipt-error.ts';
import { readReceiptFile, requireReceipt } from './receipt-file.ts';
import { demand, within } from './run-check.ts';
import { readRecord, requireSigningKey } from './signed-record.ts';
import type { SignedRecord } from './signed-record.ts';
import type { Subject } from './statement.ts';
import { verifyWitnessed } from './verify-witnessed.ts';
import type { Witnessing } from './trust-policy.ts';
import type { PassedCheck } from './passed-check.ts';

/** The caller's knowledge of the receipt that it wants. Without it, a genuine receipt of another call would pass. */
export interface Expectation {
  readonly operationId?: string;
  readonly logId?: string;
  readonly deployment?: string;
  readonly toolId?: string;
  readonly agentId?: string;
  readonly capabilityTokenId?: string;
  readonly workspaceId?: string;
}

export interface VerifiedReceipt {
  readonly checks: readonly PassedCheck[];
  readonly record: AuditRecord;
  readonly subject: readonly Subject[];
  readonly checkpoint: Checkpoint;
  readonly deployment: string;
}

/** What a file of a receipt proves. */
export interface VerifiedFile extends VerifiedReceipt {
  /** whether it is another spelling of the same JSON than Writ writes: its content is proven all the same */
  readonly isReformatted: boolean;
}

/**
 * Verifies a receipt file, in any formatting of its JSON. Without `witnessing` the checkpoint needs no witnesses. A
 * record of a key that was revoked since is judged by its position in the log: by `history`, of verified key records
 * (`readKeyHistory`), or by what witnesses saw before.
 *
 * @throws ReceiptError with the failed check, and nothing else, for any file.
 */
export function verifyReceiptFile(
  file: string | Uint8Array,
  keys: KeySet,
  expected: Expectation = {},
  witnessing: Witnessing | null = null,
  history: KeyHistory = [],
): VerifiedFile {
  const { receipt, isReformatted } = readReceiptFile(file);
  return { ...verifyReceipt(receipt, keys, expected, witnessing, history), isReformatted };
}

/**
 * Verifies a receipt. For a file, `verifyReceiptFile` also refuses what isn't its own JSON.
 *
 * @throws ReceiptError with the failed check.
 */
export function verifyReceipt(
  receipt: Receipt,
  keys: KeySet,
  expected: Expectation = {},
  witnessing: Witnessing | null = null,
  history: KeyHistory = [],
): VerifiedReceipt {
  const checks: PassedCheck[] = [];
  const passed = (name: CheckName, detail: string) => checks.push({ name, detail });
  const { envelope, inclusion } = requireReceipt(receipt);
  passed('format', receipt.media_type);
  const payload = verifySignature(envelope, keys, passed);
  const { record, subject } = readStatement(payload, passed);
  const keyid = signingKeyOf(envelope);
  const { revokedAt } = verifyRecordKey(record, keyid, keys, passed);
  // A revoked key's record may be valid by its position in the log, which is proved further below.
  demand('key_validity', revokedAt === null || history.length > 0 || witnessing !== null, UNPROVEN);
  const validityAt = checks.length;
  const { checkpoint, signedBy } = readCheckpoint(inclusion, keys, passed);
  const { name: deployment, verifier } = verifyOrigin(checkpoint, signedBy, record, passed);
  const checkpointProblem = judgeCheckpoint(inclusion.checkpoint, verifier.keyid, history, keys, witnessing);
  demand('checkpoint', checkpointProblem === null, checkpointProblem ?? '');
  if (witnessing !== null) checks.push(...verifyWitnessed(inclusion.checkpoint, witnessing.terms, witnessing.now));
  verifyInclusionOf(payload, inclusion, checkpoint, passed);
  const logged = { origin: checkpoint.origin, keyid, leafIndex: inclusion.leaf_index, note: inclusion.checkpoint };
  const validity =
    revokedAt === null
      ? new Date(record.recorded_at).toISOString()
      : requireGood(judgeByLogPosition(logged, history, keys, witnessing));
  checks.splice(validityAt, 0, { name: 'key_validity', detail: validity });
  requireExpected(factsOf(record, deployment), expected, passed);
  return { checks, record, subject, checkpoint, deployment };
}

type Passed = (name: CheckName, detail: string) => void;

function signingKeyOf(envelope: Receipt['envelope']): string {
  return envelope.signatures.map(({ keyid }) => keyid).join();
}

function verifySignature(envelope: Receipt['envelope'], keys: KeySet, passed: Passed): Uint8Array {
  demand('payload_type', envelope.payloadType === RECORD_PAYLOAD_TYPE, 'the envelope carries another payload type');
  passed('payload_type', envelope.payloadType);
  const verifiers = new Map([...keys.recordKeys].map(([keyid, { verifier }]) => [keyid, verifier]));
  const payload = within('signature', () => verifyEnvelope(envelope, verifiers, RECORD_PAYLOAD_TYPE));
  passed('signature', `record key \`${signingKeyOf(envelope)}\``);
  return payload;
}

function readStatement(payload: Uint8Array, passed: Passed): SignedRecord {
  const { record, subject } = readRecord(payload);
  passed('statement', 'in-toto Statement v1');
  passed('record', `\`${record.record_id}\``);
  passed('predicate_type', predicateTypeOf(record.kind));
  passed('subject', subject.map(({ name, digest }) => `\`${name}\` sha256:${digest.sha256}`).join(', '));
  return { record, subject };
}

function verifyRecordKey(record: AuditRecord, keyid: string, keys: KeySet, passed: Passed): RecordKey {
  const key = requireSigningKey(record, keyid, keys);
  passed('record_key', `\`${keyid}\``);
  return key;
}

function requireGood({ isGood, words }: Judgement): string {
  demand('key_validity', isGood, words);
  return words;
}

function readCheckpoint(
  inclusion: Receipt['inclusion'],
  keys: KeySet,
  passed: Passed,
): { checkpoint: Checkpoint; signedBy: readonly NoteKey[] } {
  const { text, signedBy } = within('checkpoint', () => verifyNote(inclusion.checkpoint, keys.logKeys));
  const checkpoint = within('checkpoint', () => parseCheckpoint(text));
  passed('checkpoint', `log key ${signedBy.map(({ name, keyHash }) => `\`${name}+${keyHash}\``).join(', ')}`);
  return { checkpoint, signedBy };
}

/**
 * The log's own key is the one whose name, with the record's log, is the origin. A witness's signature does not replace
 * it.
 */
function verifyOrigin(
  { origin }: Checkpoint,
  signedBy: readonly NoteKey[],
  record: AuditRecord,
  passed: Passed,
): NoteKey {
  const key = signedBy.find(({ name }) => origin === `${name}/${record.log_id}`);
  if (key === undefined)
    throw new ReceiptError(
      'origin',
      "the checkpoint is of another log than the record's, or of another deployment than its key",
    );
  passed('origin', `\`${origin}\``);
  return key;
}

function verifyInclusionOf(
  payload: Uint8Array,
  inclusion: Receipt['inclusion'],
  checkpoint: Checkpoint,
  passed: Passed,
): void {
  const { leaf_index: leafIndex, tree_size: treeSize } = inclusion;
  demand('tree_size', treeSize === checkpoint.treeSize, 'the proof is for another tree size than the checkpoint');
  passed('tree_size', String(treeSize));
  within('inclusion', () => {
    const hashes = inclusion.hashes.map((hash) => decodeBase64(hash));
    verifyInclusion({ leafHash: leafHash(payload), leafIndex, treeSize, hashes }, checkpoint.root);
  });
  passed('inclusion', `leaf ${String(leafIndex)} of ${String(treeSize)}`);
}

const factsOf = (record: AuditRecord, deployment: string): Readonly<Record<keyof Expectation, string | null>> => ({
  operationId: record.operation_id,
  logId: record.log_id,
  deployment,
  toolId: record.tool_id,
  agentId: record.agent_id,
  capabilityTokenId: record.capability_token_id,
  workspaceId: record.workspace_id,
});

/** What each expectation is of, in the message where it is not met. */
const EXPECTED = {
  operationId: '',
  logId: '',
  deployment: '',
  toolId: 'the tool ',
  agentId: 'the agent ',
  capabilityTokenId: 'the capability token ',
  workspaceId: 'the workspace ',
} as const satisfies Record<keyof Expectation, string>;

function requireExpected(found: ReturnType<typeof factsOf>, expected: Expectation, passed: Passed): void {
  for (const name of Object.keys(EXPECTED) as (keyof Expectation)[]) {
    const wanted = expected[name];
    if (wanted === undefined) continue;
    demand('expectation', found[name] === wanted, `the receipt is genuine but not of ${EXPECTED[name]}\`${wanted}\``);
    passed('expectation', `${EXPECTED[name]}\`${wanted}\``);
  }
}
