// SPDX-License-Identifier: Apache-2.0
// A log of one record with its receipt, with newly made keys.
import { generateKeyPairSync } from 'node:crypto';
import { logIdOf, type AuditRecord } from '@writ/contract';
import { argsHash } from '@writ/digest';
import { leafHash, rootOf } from '@writ/merkle';
import { assembleReceipt, encodeReceipt, sealRecord } from '@writ/receipt';
import { decodeBase64, formatCheckpoint, formatNoteKey, parseSigner, signNote, type Signer } from '@writ/signing';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);

const ID = '01kdvq8qfwe9gr4v9m1h7e3x2z';
const DEPLOYMENT = 'writ.local';
const RECORDED_AT = 1_767_225_600_000;
export const OPERATION_ID = `op_${ID}`;

const recordBy = (signer: Signer): AuditRecord => ({
  v: 1,
  record_id: `rec_${ID}`,
  kind: 'tool_call',
  log_id: logIdOf(`ten_${ID}`),
  tenant_id: `ten_${ID}`,
  kernel_key_id: signer.keyid,
  recorded_at: RECORDED_AT,
  operation_id: OPERATION_ID,
  attempt: 1,
  phase: 'outcome',
  verdict: 'admitted',
  rule_ids: ['baseline.write'],
  fault_code: null,
  approval_refs: [],
  agent_id: `agt_${ID}`,
  capability_token_id: `cap_${ID}`,
  tool_id: 'shell.run',
  tool_definition_digest: '1'.repeat(64),
  args_hash: argsHash(new Uint8Array(32).fill(9), { command: 'true' }),
  result_hash: '2'.repeat(64),
  policy_hash: '3'.repeat(64),
  state_snapshot_id: `snap_${'4'.repeat(64)}`,
  new_snapshot_id: `snap_${'5'.repeat(64)}`,
  commit_delta_id: `delta_${'6'.repeat(64)}`,
  workspace_id: `wsp_${ID}`,
  provenance: { source: 'api', dialect: 'native' },
  task_class: 'general',
  autonomy_mode: 'autopilot',
  risk_score: 0,
  risk_basis: [],
  tx_outcome: 'committed',
  budget_delta: null,
  decision_record_id: `rec_${ID}`,
  decision_hash: '7'.repeat(64),
  effect_digest: '8'.repeat(64),
  egress_count: 0,
  egress_hash: null,
  image_digest: null,
  actor: null,
  change: null,
  trace_id: 'a'.repeat(32),
  span_id: 'b'.repeat(16),
});

/** The file of a receipt, and the text of the file of keys that verifies it. */
export function sampleReceipt(): { readonly file: string; readonly keys: string } {
  const [record, log] = [newSigner(), newSigner()];
  const { envelope } = sealRecord(recordBy(record), record);
  const root = rootOf([leafHash(decodeBase64(envelope.payload))]);
  const text = formatCheckpoint({ origin: `${DEPLOYMENT}/${logIdOf(`ten_${ID}`)}`, treeSize: 1, root });
  const proof = {
    leafIndex: 0,
    treeSize: 1,
    hashes: [],
    checkpoint: signNote(text, { name: DEPLOYMENT, signer: log }),
  };
  const keys = {
    record_keys: [{ keyid: record.keyid, jwk: record.publicJwk }],
    log_keys: [formatNoteKey(DEPLOYMENT, log.publicKey)],
  };
  return { file: encodeReceipt(assembleReceipt(envelope, proof)), keys: JSON.stringify(keys) };
}
