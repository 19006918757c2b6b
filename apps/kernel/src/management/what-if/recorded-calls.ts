// SPDX-License-Identifier: Apache-2.0
import {
  MK8_RUN,
  SHELL_DANGEROUS,
  type JobListing,
  type RecordedCallRef,
  type TenantId,
  type ToolDefinition,
} from '@writ/contract';
import { listsTool } from '@writ/capability';
import type { BlobStore } from '@writ/blobs';
import { inTenant } from '@writ/database';
import { storedArgumentsOf } from '../../execution/held/index.ts';
import {
  decideForm,
  delegatorsOf,
  pastQueryFor,
  readNamedEnvironment,
  sessionOf,
  toolDigestOf,
  type Arguments,
  type ArgumentsReader,
  type Refusal,
  type ToolReader,
  isStaged,
  personOf,
} from '../../judging/judgement/index.ts';
import { isUnreadable, type TenantVault } from '../../evidence/payload/index.ts';
import type { ReadyPolicy } from '../../judging/policies/index.ts';
import type { JudgedAction } from '../../judging/policies/policy-sets.ts';
import { readToolOf } from '../../judging/definitions/tenant-tools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RowPosition } from '@writ/paging';
import { databaseNow } from '../../foundation/database/database-now.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** A recorded call, with its stored arguments. */
export type RecordedCall = Pick<HeldCall, 'operation' | 'args' | 'args_ref'> & {
  readonly now: number;
  readonly labels: readonly string[];
  readonly agents: readonly string[];
  readonly jobs: readonly JobListing[];
};

/** The sources of recorded calls. Arguments are decrypted here and are not passed on. */
export interface RecordedSources {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly trees: Trees;
  readonly tools: ToolReader;
  readonly args: ArgumentsReader;
}

/** Labels as they were at the call: those of earlier calls. */
const SELECT = `SELECT kernel.now_ms() AS now, to_jsonb(o) AS operation, encode(y.args, 'base64') AS args, y.args_ref,
  (SELECT coalesce(jsonb_agg(DISTINCT l.label), '[]') FROM kernel.label l WHERE l.tenant_id = o.tenant_id AND l.operation_id <> o.operation_id AND l.at <= o.created_at
     AND ((l.scope = 'session' AND l.id = coalesce(o.session_id, o.capability_token_id)) OR (l.scope = 'workspace' AND l.id = o.workspace_id))) AS labels,
  (SELECT coalesce(jsonb_agg(t.agent_id ORDER BY array_position(k.chain, t.capability_token_id) DESC), '[]') FROM kernel.token k JOIN kernel.token t ON t.capability_token_id = ANY (k.chain)
     WHERE k.capability_token_id = o.capability_token_id) AS agents,
  (SELECT coalesce(jsonb_agg(t.job), '[]') FROM kernel.token k JOIN kernel.token t ON t.capability_token_id = ANY (k.chain)
     WHERE k.capability_token_id = o.capability_token_id AND t.job IS NOT NULL) AS jobs
  FROM kernel.operation o JOIN kernel.payload y ON y.operation_id = o.operation_id`;

/** Counts as they were at the call; null where none are needed. */
const COUNTS = `SELECT CASE WHEN $3::jsonb IS NOT NULL THEN kernel.session_history($1, $2, $3::jsonb, $6) END AS history,
  CASE WHEN $5::jsonb IS NOT NULL THEN kernel.session_past($1, $2, $4, $5::jsonb, $6) END AS past`;

/** Finds calls by their ids, and by the idempotency keys that they claimed. */
const NAMED = `WHERE o.operation_id IN (SELECT unnest($1::text[]) UNION ALL
  SELECT i.operation_id FROM jsonb_to_recordset($2::jsonb) AS k(agent_id text, tool_id text, idempotency_key text) JOIN kernel.idempotency i USING (agent_id, tool_id, idempotency_key))`;

/** Reads recorded calls for another evaluation. */
export class RecordedCalls {
  readonly #sources: RecordedSources;

  constructor(sources: RecordedSources) {
    this.#sources = sources;
  }

  async find(tenantId: string, operationId: string): Promise<RecordedCall | null> {
    return (await this.#select(tenantId, 'WHERE o.operation_id = $1', [operationId]))[0] ?? null;
  }

  /** The database's clock, in milliseconds. */
  async now(tenantId: string): Promise<number> {
    return await databaseNow(this.#sources.tenants, tenantId);
  }

  /** Newest first. */
  async listSince(tenantId: string, since: number, after: RowPosition, rows: number): Promise<RecordedCall[]> {
    return await this.#select(
      tenantId,
      'WHERE o.created_at >= $1 AND (o.created_at, o.operation_id) < ($2, $3) ORDER BY o.created_at DESC, o.operation_id DESC LIMIT $4',
      [since, after.created_at, after.id, rows],
    );
  }

  /** Finds calls in the order of `names`; null where the tenant has no such call. */
  async findNamed(tenantId: string, names: readonly RecordedCallRef[]): Promise<(RecordedCall | null)[]> {
    const [ids, keys] = [
      names.flatMap((name) => ('operation_id' in name ? [name.operation_id] : [])),
      names.filter((name) => !('operation_id' in name)),
    ];
    const found = await this.#select(tenantId, NAMED, [ids, JSON.stringify(keys)]);
    return names.map(
      (name) =>
        found.find(({ operation: o }) =>
          'operation_id' in name
            ? o.operation_id === name.operation_id
            : o.idempotency_key === name.idempotency_key && o.agent_id === name.agent_id && o.tool_id === name.tool_id,
        ) ?? null,
    );
  }

  /**
   * The action that policy was evaluated on, without counts of past calls. Or the reason, in words, why it wasn't or
   * can't be evaluated again.
   */
  async actionOf(call: RecordedCall): Promise<JudgedAction | string> {
    const { operation } = call;
    if (wasRefusedBeforePolicy(operation))
      return `policy was not evaluated: the call was refused before, as \`${operation.fault_code ?? operation.state}\``;
    if (operation.workspace_id === null || operation.state_snapshot_id === null) return 'the call was on no workspace';
    const args = await this.#argumentsOf(call);
    if (args === null) return "the arguments of the call are stored and can't be read";
    const decided = await readToolOf(this.#sources.tenants, operation);
    const named = await readNamedEnvironment(this.#sources.tenants, operation, args, decided);
    const tool = await this.#sources.tools.read(operation, decided, args, named);
    const changed = tool === null ? null : changedSince(operation, tool);
    if (changed !== null) return changed;
    const form = decideForm(
      { ...operation, workspace_id: operation.workspace_id, max_autonomy: null, idempotency_key: 'asked again' },
      tool,
      args,
    );
    if (form.effect === 'refuse') return form.message;
    const { tenant_id, agent_id, workspace_id, task_class, session_mode, state_snapshot_id } = operation;
    const jobs = call.jobs.map((job) => ({ job }));
    const resources = await Promise.all(
      form.resources.map(async (resource) => ({
        ...resource,
        path: await this.#sources.trees.resolve(tenant_id as TenantId, state_snapshot_id, resource.path),
      })),
    );
    return {
      tenant_id,
      agent_id,
      delegated_by: delegatorsOf(
        agent_id,
        call.agents.map((id) => ({ agent_id: id })),
      ),
      workspace_id,
      tool: form.tool,
      args: form.args.value,
      resources,
      task_class,
      session_mode,
      person: personOf(operation),
      job_lists_tool: listsTool(jobs, operation.tool_id),
      max_autonomy: null,
      staged_change: isStaged(operation),
      labels: call.labels,
      history: null,
      past: null,
    };
  }

  /** Null where what is stored can't be read: one call must not end the evaluation of the others. */
  async #argumentsOf(call: RecordedCall): Promise<Arguments | Refusal | null> {
    try {
      return await this.#sources.args.readStored(call.operation, storedArgumentsOf(call));
    } catch (error) {
      if (isUnreadable(error)) return null;
      throw error;
    }
  }

  /** The action with the counts that the set and the risk score need, as they were before the call. */
  async withCounts(action: JudgedAction, { active }: ReadyPolicy, operation: OperationRow): Promise<JudgedAction> {
    const { tenant_id, operation_id, tool_id, created_at } = operation;
    const [needs, countedPast] = [active.historyNeeds(operation), pastQueryFor(tool_id)];
    if (needs === null && countedPast === null) return action;
    const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
    const [row] = await inTenant(
      this.#sources.tenants.pool,
      tenant_id,
      async (client) =>
        (
          await client.query<Pick<JudgedAction, 'history' | 'past'>>(COUNTS, [
            tenant_id,
            sessionOf(operation),
            text(needs),
            operation_id,
            text(countedPast),
            created_at,
          ])
        ).rows,
      { readOnly: true },
    );
    return { ...action, ...row };
  }

  async #select(tenantId: string, where: string, values: unknown[]): Promise<RecordedCall[]> {
    return await inTenant(
      this.#sources.tenants.pool,
      tenantId,
      async (client) => (await client.query<RecordedCall>(`${SELECT} ${where}`, values)).rows,
      { readOnly: true },
    );
  }
}

/** Whether the call was refused before policy was evaluated. */
const wasRefusedBeforePolicy = ({ autonomy_mode, fault_code }: OperationRow): boolean =>
  autonomy_mode === 'no_go' && !POLICY_REFUSALS.includes(fault_code);
const POLICY_REFUSALS: readonly OperationRow['fault_code'][] = [
  'policy.denied',
  'policy.error',
  'policy.args_untyped',
  'policy.args_changed',
];

/**
 * Why a call can't be decided again, in words: its sandbox or profile has changed. Null where it can. Only the digest
 * of an old sandbox or profile is stored.
 */
function changedSince({ tool_id, tool_definition_digest }: OperationRow, tool: ToolDefinition): string | null {
  if (tool_id !== SHELL_DANGEROUS.tool_id && tool_id !== MK8_RUN.tool_id) return null;
  if (toolDigestOf(tool) === tool_definition_digest) return null;
  return tool_id === SHELL_DANGEROUS.tool_id
    ? 'the execution profile that the command was decided under is another by now, or gone'
    : 'the sandbox that the script was decided in is another by now, or gone';
}
