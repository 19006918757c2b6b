// SPDX-License-Identifier: Apache-2.0
//
// A receipt with newly made keys, and tampered variants of it. Not part of the page.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { formatId, logIdOf, type AuditRecord } from '@writ/contract';
import { leafHash, nodeHash, rootOf } from '@writ/merkle';
import { assembleReceipt, encodeReceipt, sealRecord } from '@writ/receipt';
import {
  decodeBase64,
  formatCheckpoint,
  formatCosignerKey,
  formatNoteKey,
  parseSigner,
  signNote,
  type Signer,
} from '@writ/signing';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);

export const DEPLOYMENT = 'writ.example';
export const NOW = 1_767_225_600_000;
const [kernel, ledger, witness, stranger] = [newSigner(), newSigner(), newSigner(), newSigner()];
const tenant_id = formatId('tenant', randomBytes(16));
export const OPERATION_ID = formatId('operation', randomBytes(16));
const hash = (digit: number): string => String(digit).repeat(64);

const record = (signer: Signer, more: Partial<AuditRecord> = {}): AuditRecord => ({
  v: 1,
  record_id: formatId('record', randomBytes(16)),
  kind: 'tool_call',
  log_id: logIdOf(tenant_id),
  tenant_id,
  kernel_key_id: signer.keyid,
  recorded_at: NOW,
  operation_id: OPERATION_ID,
  attempt: 1,
  phase: 'outcome',
  verdict: 'admitted',
  rule_ids: ['baseline.write'],
  fault_code: null,
  approval_refs: [],
  agent_id: formatId('agent', randomBytes(16)),
  capability_token_id: formatId('token', randomBytes(16)),
  tool_id: 'fs.write',
  tool_definition_digest: hash(1),
  args_hash: hash(2),
  result_hash: hash(3),
  policy_hash: hash(4),
  state_snapshot_id: `snap_${hash(5)}`,
  new_snapshot_id: `snap_${hash(6)}`,
  commit_delta_id: `delta_${hash(7)}`,
  workspace_id: formatId('workspace', randomBytes(16)),
  provenance: { source: 'api', dialect: 'native' },
  task_class: 'general',
  autonomy_mode: 'autopilot',
  risk_score: 0.125,
  risk_basis: ['write.inside_root'],
  tx_outcome: 'committed',
  budget_delta: null,
  decision_record_id: formatId('record', randomBytes(16)),
  decision_hash: hash(8),
  effect_digest: hash(9),
  egress_count: 0,
  egress_hash: null,
  image_digest: null,
  actor: null,
  change: null,
  trace_id: 'a'.repeat(32),
  span_id: 'b'.repeat(16),
  ...more,
});

/** A receipt of leaf 1 in a log of three. */
function receiptBy(kernelKey: Signer, logKey: Signer, more: Partial<AuditRecord> = {}): string {
  const { envelope } = sealRecord(record(kernelKey, more), kernelKey);
  const leaves = [
    leafHash(Uint8Array.of(0)),
    leafHash(decodeBase64(envelope.payload)),
    leafHash(Uint8Array.of(2)),
  ] as const;
  const checkpoint = signNote(
    formatCheckpoint({ origin: `${DEPLOYMENT}/${logIdOf(tenant_id)}`, treeSize: 3, root: rootOf(leaves) }),
    { name: DEPLOYMENT, signer: logKey },
  );
  return encodeReceipt(
    assembleReceipt(envelope, { leafIndex: 1, treeSize: 3, hashes: [leaves[0], leaves[2]], checkpoint }),
  );
}

export const receiptFile = receiptBy(kernel, ledger);
/** The same receipt, as an editor saves it. */
export const reformattedFile = JSON.stringify(JSON.parse(receiptFile), null, 2);
/** A receipt of a call whose usage the agent of its sandbox counted. */
export const countedFile = receiptBy(kernel, ledger, { budget_delta: { cpu_ms: 5 }, usage_counted_by: 'agent' });

type Json = { envelope: { payload: string }; inclusion: { hashes: string[]; checkpoint: string } };

/** The receipt with a change, in the encoding of receipts. */
function changed(change: (receipt: Json) => void): string {
  const receipt = JSON.parse(receiptFile) as Json;
  change(receipt);
  return `${JSON.stringify(receipt)}\n`;
}

/** Tampered receipts, by the check that they fail. */
export const tamperedFiles: Readonly<Record<string, string>> = {
  'every member once and no other': receiptFile.replace('{', '{"media_type":"application/json",'),
  'a known record key signed the payload': changed(({ envelope }) => {
    envelope.payload = Buffer.from(
      Buffer.from(envelope.payload, 'base64').toString().replace('"committed"', '"no_op"'),
    ).toString('base64');
  }),
  'a known record key signed': receiptBy(stranger, ledger),
  'a known log key signed the checkpoint': receiptBy(kernel, stranger),
  'the record is in the log': changed(({ inclusion }) => {
    inclusion.hashes[0] = Buffer.from(nodeHash(new Uint8Array(32), new Uint8Array(32))).toString('base64');
  }),
};

const published = {
  record_keys: [{ keyid: kernel.keyid, jwk: kernel.publicJwk }],
  log_keys: [formatNoteKey(DEPLOYMENT, ledger.publicKey)],
};
export const keysFile = JSON.stringify(published);

/** A trust policy for a deployment of these keys. */
export function policyFile(name = DEPLOYMENT, witnesses?: { quorum: number }): string {
  const keys = { ...published, log_keys: [formatNoteKey(name, ledger.publicKey)] };
  return JSON.stringify({
    v: 1,
    deployments: [
      {
        name,
        ...keys,
        ...(witnesses === undefined
          ? {}
          : { witnesses: { keys: [formatCosignerKey('w.example', witness.publicKey)], ...witnesses } }),
      },
    ],
  });
}
