// SPDX-License-Identifier: Apache-2.0
//
// A small log with a receipt in it, for the specs. Everything is fixed: keys, salt, ids and time. Not part of the
// package.
import { logIdOf } from '@writ/contract';
import type { AuditRecord, Receipt } from '@writ/contract';
import { argsHash } from '@writ/digest';
import { leafHash, proveInclusion, rootOf } from '@writ/merkle';
import { decodeBase64, formatCheckpoint, formatNoteKey, parseSigner, sealEnvelope, signNote } from '@writ/signing';
import type { Signer } from '@writ/signing';
import { keySetOf } from './key-set.ts';
import type { PublishedKeys } from './key-set.ts';
import { ReceiptError } from './receipt-error.ts';
import { assembleReceipt } from './receipt-file.ts';
import { sealRecord } from './seal.ts';

/** RFC 8410 §7: the fixed head of a PKCS #8 Ed25519 key, then a seed of one byte repeated. */
export function signerOf(seedByte: number): Signer {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seedByte)]);
  return parseSigner(`-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`);
}

export const RECORD_SIGNER = signerOf(1);
export const LOG_SIGNER = signerOf(2);
export const OTHER_SIGNER = signerOf(3);
export const DEPLOYMENT = 'writ.local';
export const RECORDED_AT = 1_767_225_600_000;

const body = '01kdvq8qfwe9gr4v9m1h7e3x2z';
export const TENANT_ID = `ten_${body}`;
export const LOG_ID = logIdOf(TENANT_ID);
export const OPERATION_ID = `op_${body}`;

export const RECORD: AuditRecord = {
  v: 1,
  record_id: `rec_${body}`,
  kind: 'tool_call',
  log_id: LOG_ID,
  tenant_id: TENANT_ID,
  kernel_key_id: RECORD_SIGNER.keyid,
  recorded_at: RECORDED_AT,
  operation_id: OPERATION_ID,
  attempt: 1,
  phase: 'outcome',
  verdict: 'admitted',
  rule_ids: ['baseline.write'],
  fault_code: null,
  approval_refs: [],
  agent_id: `agt_${body}`,
  capability_token_id: `cap_${body}`,
  tool_id: 'fs.write',
  tool_definition_digest: '1'.repeat(64),
  args_hash: argsHash(new Uint8Array(32).fill(9), { path: 'src/a.ts', content: 'export {};\n' }),
  result_hash: '2'.repeat(64),
  policy_hash: '3'.repeat(64),
  state_snapshot_id: `snap_${'4'.repeat(64)}`,
  new_snapshot_id: `snap_${'5'.repeat(64)}`,
  commit_delta_id: `delta_${'6'.repeat(64)}`,
  workspace_id: `wsp_${body}`,
  provenance: { source: 'api', dialect: 'native' },
  task_class: 'general',
  autonomy_mode: 'autopilot',
  risk_score: 0.125,
  risk_basis: ['write.inside_root'],
  tx_outcome: 'committed',
  budget_delta: null,
  decision_record_id: `rec_${body}`,
  decision_hash: '7'.repeat(64),
  effect_digest: '8'.repeat(64),
  egress_count: 0,
  egress_hash: null,
  image_digest: null,
  actor: null,
  change: null,
  trace_id: 'a'.repeat(32),
  span_id: 'b'.repeat(16),
};

export const PUBLISHED: PublishedKeys = {
  record_keys: [
    {
      keyid: RECORD_SIGNER.keyid,
      jwk: RECORD_SIGNER.publicJwk,
      not_before: RECORDED_AT - 1000,
      not_after: RECORDED_AT + 1000,
    },
  ],
  log_keys: [formatNoteKey(DEPLOYMENT, LOG_SIGNER.publicKey)],
};
export const KEYS = keySetOf(PUBLISHED);

export interface LogOptions {
  readonly origin?: string;
  readonly keyName?: string;
  readonly logSigner?: Signer;
  /** The size that the proof claims, if not the log's. */
  readonly treeSize?: number;
  readonly leafIndex?: number;
}

/** Puts payload bytes into a log of five leaves, at index 3, and makes the receipt. */
export function logged(envelope: Receipt['envelope'], options: LogOptions = {}): Receipt {
  const leaves = [0, 1, 2, 3, 4].map((i) => leafHash(i === 3 ? decodeBase64(envelope.payload) : Uint8Array.of(i)));
  const hashes = proveInclusion(3, leaves.length, (level, index) =>
    rootOf(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
  );
  const text = formatCheckpoint({
    origin: options.origin ?? `${DEPLOYMENT}/${LOG_ID}`,
    treeSize: leaves.length,
    root: rootOf(leaves),
  });
  const checkpoint = signNote(text, { name: options.keyName ?? DEPLOYMENT, signer: options.logSigner ?? LOG_SIGNER });
  return assembleReceipt(envelope, {
    leafIndex: options.leafIndex ?? 3,
    treeSize: options.treeSize ?? leaves.length,
    hashes,
    checkpoint,
  });
}

export const RECEIPT = logged(sealRecord(RECORD, RECORD_SIGNER).envelope);

/** A receipt with a payload that a broken kernel might sign. */
export function receiptOf(statement: unknown, payloadType = 'application/vnd.in-toto+json'): Receipt {
  const text = typeof statement === 'string' ? statement : JSON.stringify(statement);
  return logged(sealEnvelope(payloadType, Buffer.from(text), RECORD_SIGNER));
}

/** The check of the ReceiptError that `run` throws; `none` if it throws nothing. Other errors are rethrown. */
export function failedCheckOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ReceiptError) return error.check;
    throw error;
  }
  return 'none';
}
