// SPDX-License-Identifier: Apache-2.0
//
// Changes that are applied in two steps: a dry run shows the change, and another call applies it. INVARIANT (shown, or
// nothing): a call counts as staged only if the kernel finds the recorded dry run of exactly this action. It is one
// under the same token and in the same session, within the time that policy sets. INVARIANT (once): its idempotency key
// is made of that dry run, so a change is applied once.
import { STAGED, type ProposedCall } from '@writ/contract';
import { inTenant } from '@writ/database';
import { sha256Hex } from '@writ/digest';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { PolicySets } from '../policies/policy-sets.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

type Refs = Pick<JudgedCall, 'precondition_refs'>;
const refsOf = ({ precondition_refs }: Refs) => precondition_refs.filter(({ kind }) => kind === 'staged');

/** Whether the call says that it stages a change, or applies a staged one. It counts once it was decided. */
export const isStaged = (call: Refs): boolean => refsOf(call).length > 0;

/** Decides whether a call that applies a staged change really does. Null: it does, or it applies none. */
export function decideStaged(call: Refs, { staged }: Pick<CallFacts, 'staged'>): Refusal | null {
  if (!isStaged(call)) return null;
  return staged === undefined ? unmet('it was not verified that the change was staged') : staged;
}

interface StagingSources {
  readonly tenants: TenantPool;
  readonly vault: TenantVault;
  readonly policies: PolicySets;
}

/** A dry run that staged a change: it was not refused, and nothing ran. */
interface StagedRow extends Pick<
  OperationRow,
  | 'agent_id'
  | 'tool_id'
  | 'capability_token_id'
  | 'workspace_id'
  | 'session_id'
  | 'args_hash'
  | 'precondition_refs'
  | 'created_at'
> {
  readonly salt: Buffer | null;
}

/* A dry run that was not refused has no lane. */
const STAGED_ROW = `
  SELECT o.agent_id, o.tool_id, o.capability_token_id, o.workspace_id, o.session_id, o.args_hash, o.precondition_refs,
    o.created_at, p.salt
  FROM kernel.operation o JOIN kernel.payload p USING (operation_id)
  WHERE o.operation_id = $1 AND o.tenant_id = $2 AND o.state = 'no_op' AND o.lane IS NULL AND o.fault_code IS NULL`;

/** Why the call applies no staged change; null where it does, or doesn't claim to. Faults where it can't be read. */
export async function readStagedChange(
  sources: StagingSources,
  call: ProposedCall,
  args: Arguments | Refusal,
  { now, rules }: Pick<CallFacts, 'now' | 'rules'>,
): Promise<Refusal | null> {
  const [named, ...others] = refsOf(call);
  if (named === undefined || 'effect' in args) return null;
  if (others.length > 0 || named.version !== STAGED.version) return unmet('a call applies one staged change at most');
  if (call.dry_run) return named.ref === STAGED.ref ? null : unmet('a dry run applies no staged change');
  if (call.idempotency_key !== `${STAGED.keyPrefix}${named.ref}`)
    return unmet(`the idempotency key of a staged change is \`${STAGED.keyPrefix}<operation>\``);
  const row = await readRow(sources.tenants, call, named.ref);
  if (row === null || !(await isSameAction(sources.vault, call, args, named.ref, row)))
    return unmet('no such change was staged in this session');
  const { stagedChangeMs } = await sources.policies.of(call.tenant_id, rules.policy);
  return row.created_at + stagedChangeMs <= now ? unmet('the time of the staged change is over') : null;
}

async function readRow(tenants: TenantPool, { tenant_id }: ProposedCall, ref: string): Promise<StagedRow | null> {
  const { rows } = await inTenant(
    tenants.pool,
    tenant_id,
    async (client) => await client.query<StagedRow>(STAGED_ROW, [ref, tenant_id]),
    { readOnly: true },
  );
  return rows[0] ?? null;
}

async function isSameAction(
  vault: TenantVault,
  call: ProposedCall,
  { canonical }: Arguments,
  ref: string,
  row: StagedRow,
): Promise<boolean> {
  const isSame =
    row.precondition_refs.some(({ kind, ref: of }) => kind === 'staged' && of === STAGED.ref) &&
    row.agent_id === call.agent_id &&
    row.tool_id === call.tool_id &&
    row.capability_token_id === call.capability_token_id &&
    row.workspace_id === call.workspace_id &&
    row.session_id === call.session_id;
  if (!isSame || row.salt === null) return false;
  // The hash of the arguments is salted, and the salt is sealed with them. It is gone where they were erased.
  const salt = await vault.calls.open(call.tenant_id, ref, 'salt', row.salt);
  return salt !== null && sha256Hex(salt, canonical) === row.args_hash;
}

const unmet = (message: string): Refusal => refusal('precondition.failed', message, 'stage the change anew');
