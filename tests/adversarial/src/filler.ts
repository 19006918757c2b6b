// SPDX-License-Identifier: Apache-2.0
import type { connect } from '@writ/database';

export type Client = Awaited<ReturnType<typeof connect>>;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  readonly isGenerated: boolean;
}

/** Values for columns with a check constraint. */
const PARTICULAR: Readonly<Record<string, string>> = {
  'blobs.blob.sha256': `sha256('x'::bytea)`,
  'blobs.blob.size': '1',
  'blobs.blob.bytes': `'x'::bytea`,
  'audio.ingest_device.keep_ms': '1',
  'audio.ingest_segment.end_ms': '1',
  'audio.ingest_segment.sealed': `decode(repeat('00', 348), 'hex')`,
  'blobs.chunk.upload': `sha256('x'::bytea)`,
  'kernel.approval.of': `'action'`,
  'kernel.approver_group.name': `'x'`,
  'kernel.approval.state': `'pending'`,
  'kernel.approval.risk_score': '0',
  'kernel.approval.alike': `'x'`,
  'kernel.operation.state': `'admitted'`,
  'kernel.freeze.scope': `'tool'`,
  'kernel.erasure.selector': `'before'`,
  'kernel.tool_version.version': '1',
  'kernel.tool_version.definition_digest': `repeat('0', 64)`,
  'kernel.tool_version.tool_id': `'x'`,
  'kernel.tool.version': '1',
  'kernel.tool.category': `'read'`,
  'kernel.secret.version': '1',
  'kernel.session_value.scope': `'once'`,
  'kernel.kept_output.attempt': '1',
  'kernel.label.scope': `'session'`,
  'kernel.preview.lane': `'inline'`,
  'kernel.preview.state': `'waiting'`,
  'kernel.policy_set.policy_hash': `repeat('0', 64)`,
  'kernel.policy_set.version': '1',
  'kernel.policy_activation.seq': '1',
  'kernel.vote.says': `'approve'`,
  'kernel.vote.role': `'admin'`,
  'kernel.usage_day.calls': '1',
  'kernel.period_budget.subject_kind': `'agent'`,
  'kernel.period_budget.period': `'day'`,
  'kernel.period_budget.measure': `'calls'`,
  'kernel.delegation.role': `'admin'`,
  'kernel.delegation.to_principal': `'y'`,
  'kernel.delegation.autonomy_mode': `'soft_gate'`,
  'kernel.registrar_key.keyid': `repeat('0', 43)`,
  'kernel.sandbox.name': `'x'`,
  'kernel.resource.kind': `'model'`,
  'kernel.resource.digest': `repeat('0', 64)`,
  'kernel.resource_grant.kind': `'model'`,
  'kernel.resource_grant.right': `'use'`,
  'kernel.resource_grant.clearance': `'autopilot'`,
  'kernel.skill.name': `'x'`,
  'kernel.skill.digest': `repeat('0', 64)`,
  'kernel.image.name': `'x'`,
  'kernel.image.digest': `repeat('0', 64)`,
  'kernel.mcp_tool.remote_name': `'x'`,
  'kernel.mcp_tool.state': `'gone'`,
  'kernel.execution_profile.name': `'x'`,
  'kernel.execution_profile.digest': `repeat('0', 64)`,
  'kernel.notice.mcp_server': `'{}'`,
  'ledger.tile.hashes': `decode(repeat('00', 32), 'hex')`,
  'ledger.tile.width': '1',
  'ledger.root.root': `decode(repeat('00', 32), 'hex')`,
  'ledger.root.tree_size': '1',
  'orchestrator.api_key.role': `'admin'`,
  'orchestrator.identity_provider.name': `'x'`,
  'orchestrator.token_denial.kind': `'jti'`,
  'orchestrator.sign_in_session.kind': `'browser'`,
  'orchestrator.member.kind': `'service'`,
  'orchestrator.member.name': `'x'`,
  'orchestrator.invitation.role': `'admin'`,
  'orchestrator.invitation.address_hash': `decode(repeat('00', 32), 'hex')`,
  'orchestrator.channel.kind': `'slack'`,
  'orchestrator.webhook.events': `'{x}'`,
  'orchestrator.run.place': '1',
  'orchestrator.run.role': `'agent'`,
  'orchestrator.run_event.seq': '1',
  'orchestrator.erasure.round': '1',
  'orchestrator.job.state': `'paused'`,
  'orchestrator.job.conversation': `'fresh'`,
  'orchestrator.job.overlap': `'skip'`,
  'orchestrator.job.missed': `'skip'`,
  'orchestrator.job_start.state': `'queued'`,
};

const BY_TYPE: Readonly<Record<string, string>> = {
  text: `'x'`,
  bigint: '0',
  integer: '0',
  smallint: '0',
  numeric: '0',
  boolean: 'false',
  tsvector: `''`,
  jsonb: `'{}'`,
  bytea: `decode(repeat('00', 32), 'hex')`,
  'text[]': `'{}'`,
};

export async function columnsOf(owner: Client, table: string): Promise<Column[]> {
  const { rows } = await owner.query<Column>(
    `SELECT attname AS name, regexp_replace(format_type(atttypid, atttypmod), '\\(.*\\)', '') AS type, NOT attnotnull AS nullable, atthasdef OR attidentity <> '' AS "hasDefault",
       attgenerated <> '' OR attidentity = 'a' AS "isGenerated"
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows;
}

/**
 * Inserts one row of each tenant into the table, whatever its foreign keys and triggers (as a superuser in replica
 * mode). So row-level security has rows to hide. Ids contain the tenant's name, so that rows of two tenants don't
 * collide.
 */
export async function plantRows(owner: Client, table: string, tenants: readonly string[]): Promise<void> {
  const columns = (await columnsOf(owner, table)).filter(
    ({ name, nullable, hasDefault }) => (!nullable && !hasDefault) || `${table}.${name}` in PARTICULAR,
  );
  for (const tenant of tenants) {
    const values = columns.map(({ name, type }) => {
      if (name === 'tenant_id') return `'${tenant}'`;
      const particular = PARTICULAR[`${table}.${name}`];
      if (particular !== undefined) return particular;
      if (type === 'text') return `'x of ${tenant}'`;
      // Hashes find their rows, so each is there once.
      if (type === 'bytea' && name.endsWith('_hash')) return `sha256('${tenant}'::bytea)`;
      const value = BY_TYPE[type];
      if (value === undefined) throw new Error(`no value for ${table}.${name} of type ${type}`);
      return value;
    });
    await owner.query(
      `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`).join(', ')}) VALUES (${values.join(', ')})`,
    );
  }
}
