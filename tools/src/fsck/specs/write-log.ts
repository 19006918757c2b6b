// SPDX-License-Identifier: Apache-2.0
import { createHash, generateKeyPairSync } from 'node:crypto';
import { formatId, logIdOf, type AuditRecord, type TenantId } from '@writ/contract';
import {
  appendLeaves,
  EMPTY_FRONTIER,
  encodeFrontier,
  encodeTile,
  growTiles,
  leafHash,
  rootOfFrontier,
  TILE_WIDTH,
  type Frontier,
  type Tile,
} from '@writ/merkle';
import { keySetOf, sealRecord, type KeySet } from '@writ/receipt';
import {
  cosign,
  formatCheckpoint,
  formatCosignerKey,
  formatNoteKey,
  parseSigner,
  signNote,
  type Signer,
} from '@writ/signing';
import type { Connection } from '../rows.ts';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
export const DEPLOYMENT = 'writ.test';
export const RECORD_SIGNER = newSigner();
/** The next record key. */
export const HEIR = newSigner();
/** The key of the checkpoints. */
export const LOG_SIGNER = newSigner();
/** The next checkpoint key, which signs none of them. */
export const LOG_HEIR = newSigner();
export const WITNESS = { name: 'witness.test', signer: newSigner() };
export const RECORDED_AT = 1_767_225_600_000;

export const PUBLISHED = {
  record_keys: [
    {
      keyid: RECORD_SIGNER.keyid,
      jwk: RECORD_SIGNER.publicJwk,
      not_before: RECORDED_AT,
      not_after: RECORDED_AT + 1_000_000,
    },
    { keyid: HEIR.keyid, jwk: HEIR.publicJwk },
  ],
  log_keys: [formatNoteKey(DEPLOYMENT, LOG_SIGNER.publicKey)],
};
export const KEYS: KeySet = keySetOf(PUBLISHED);

const idBytes = (n: number): Buffer => createHash('sha256').update(String(n)).digest().subarray(0, 16);

/** A record of a call, as the kernel makes it. Even ones are decisions, each followed by its outcome. */
export function recordOf(
  tenantId: TenantId,
  n: number,
  decisionPayload: Uint8Array | null,
  over: Partial<AuditRecord> = {},
): AuditRecord {
  const call = n - (n % 2);
  return {
    v: 1,
    record_id: formatId('record', idBytes(n)),
    kind: 'tool_call',
    log_id: logIdOf(tenantId),
    tenant_id: tenantId,
    kernel_key_id: RECORD_SIGNER.keyid,
    recorded_at: RECORDED_AT + n,
    operation_id: formatId('operation', idBytes(call)),
    attempt: 1,
    phase: decisionPayload === null ? 'decision' : 'outcome',
    verdict: 'admitted',
    rule_ids: ['allow-reads'],
    fault_code: null,
    approval_refs: [],
    agent_id: formatId('agent', idBytes(0)),
    capability_token_id: formatId('token', idBytes(0)),
    tool_id: 'fs.read',
    tool_definition_digest: '1'.repeat(64),
    args_hash: '2'.repeat(64),
    result_hash: null,
    policy_hash: '3'.repeat(64),
    state_snapshot_id: `snap_${'4'.repeat(64)}`,
    new_snapshot_id: null,
    commit_delta_id: null,
    workspace_id: formatId('workspace', idBytes(0)),
    provenance: {},
    task_class: 'general',
    autonomy_mode: 'autopilot',
    risk_score: 0,
    risk_basis: [],
    tx_outcome: decisionPayload === null ? null : 'no_op',
    budget_delta: null,
    decision_record_id: decisionPayload === null ? null : formatId('record', idBytes(call)),
    decision_hash: decisionPayload === null ? null : createHash('sha256').update(decisionPayload).digest('hex'),
    effect_digest: null,
    egress_count: 0,
    egress_hash: null,
    image_digest: null,
    actor: null,
    change: null,
    trace_id: null,
    span_id: null,
    ...over,
  };
}

/**
 * Writes a log as the ledger does, batch by batch, without the ledger's code.
 * @param before how many of the batches are in the form before ledger migration 0014: the partial tile of leaves is a
 * row, and the root has no hashes
 */
export async function writeLog(
  client: Connection,
  tenantId: TenantId,
  batches: readonly number[],
  before = 0,
): Promise<string> {
  const logId = logIdOf(tenantId);
  let frontier: Frontier = EMPTY_FRONTIER;
  let decision: Uint8Array | null = null;
  const edges = new Map<number, Tile>();
  for (const [batch, count] of batches.entries()) {
    const hashes: Uint8Array[] = [];
    for (let index = frontier.size; index < frontier.size + count; index += 1) {
      const record = recordOf(tenantId, index, index % 2 === 0 ? null : decision);
      const payload = await insertLeaf(client, index, record);
      await insertIndexRow(client, index, record);
      decision = index % 2 === 0 ? payload : null;
      hashes.push(leafHash(payload));
    }
    const tiles = growTiles(frontier.size, hashes, (level) => edges.get(level)?.hashes ?? []);
    for (const tile of tiles) {
      edges.set(tile.level, tile);
      if (batch >= before && tile.level === 0 && tile.width < TILE_WIDTH) continue;
      await client.query(
        'INSERT INTO ledger.tile (log_id, level, tile_index, width, tenant_id, hashes) VALUES ($1, $2, $3, $4, $5, $6)',
        [logId, tile.level, tile.index, tile.width, tenantId, Buffer.from(encodeTile(tile.hashes))],
      );
    }
    frontier = appendLeaves(frontier, hashes);
    await insertRoot(client, {
      logId,
      tenantId,
      frontier,
      edgeHashes: batch < before ? null : hashes.slice(Math.max(0, count - (frontier.size % TILE_WIDTH))),
    });
  }
  return logId;
}

/** `by`: the key that the record names as its signer. */
export async function insertLeaf(
  client: Connection,
  index: number,
  record: AuditRecord,
  by = RECORD_SIGNER,
): Promise<Uint8Array> {
  const { payloadBytes, envelope } = sealRecord(record, by);
  const [signature] = envelope.signatures;
  await client.query(
    `INSERT INTO ledger.leaf (log_id, leaf_index, tenant_id, record_id, kind, operation_id, phase, payload, keyid, sig, recorded_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      record.log_id,
      index,
      record.tenant_id,
      record.record_id,
      record.kind,
      record.operation_id,
      record.phase,
      Buffer.from(payloadBytes),
      signature?.keyid,
      Buffer.from(signature?.sig ?? '', 'base64'),
      record.recorded_at,
    ],
  );
  return payloadBytes;
}

async function insertIndexRow(client: Connection, index: number, record: AuditRecord): Promise<void> {
  await client.query(
    `INSERT INTO ledger.record_index (log_id, leaf_index, tenant_id, record_id, kind, operation_id, phase, recorded_at, is_drawn, agent_id, tool_id, verdict, tx_outcome, risk_score, resources, words)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true, $9, $10, $11, $12, $13, array_to_tsvector($14), array_to_tsvector('{allow-reads}') || to_tsvector('simple', 'allow reads'))`,
    [
      record.log_id,
      index,
      record.tenant_id,
      record.record_id,
      record.kind,
      record.operation_id,
      record.phase,
      record.recorded_at,
      record.agent_id,
      record.tool_id,
      record.verdict,
      record.tx_outcome,
      record.risk_score,
      [record.workspace_id, record.capability_token_id, record.policy_hash],
    ],
  );
}

async function insertRoot(
  client: Connection,
  {
    logId,
    tenantId,
    frontier,
    edgeHashes,
  }: { logId: string; tenantId: string; frontier: Frontier; edgeHashes: readonly Uint8Array[] | null },
): Promise<void> {
  const root = rootOfFrontier(frontier);
  await client.query(
    'INSERT INTO ledger.root (log_id, tree_size, tenant_id, root, frontier, edge_hashes) VALUES ($1, $2, $3, $4, $5, $6)',
    [
      logId,
      frontier.size,
      tenantId,
      Buffer.from(root),
      Buffer.from(encodeFrontier(frontier)),
      edgeHashes === null ? null : Buffer.from(encodeTile(edgeHashes)),
    ],
  );
  const text = formatCheckpoint({ origin: `${DEPLOYMENT}/${logId}`, treeSize: frontier.size, root });
  const note = signNote(text, { name: DEPLOYMENT, signer: LOG_SIGNER });
  await client.query('INSERT INTO ledger.checkpoint (log_id, tree_size, tenant_id, note) VALUES ($1, $2, $3, $4)', [
    logId,
    frontier.size,
    tenantId,
    note,
  ]);
  const [, keyHash] = formatCosignerKey(WITNESS.name, WITNESS.signer.publicKey).split('+');
  await client.query(
    'INSERT INTO ledger.cosignature (log_id, tree_size, tenant_id, witness, key_hash, line) VALUES ($1, $2, $3, $4, $5, $6)',
    [logId, frontier.size, tenantId, WITNESS.name, keyHash, cosign(text, WITNESS, RECORDED_AT / 1000)],
  );
}
