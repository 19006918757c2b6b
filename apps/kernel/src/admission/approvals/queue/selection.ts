// SPDX-License-Identifier: Apache-2.0
import { Fault, principalOf, type ApprovalFilter, type Caller } from '@writ/contract';
import { isApprover } from '../require-approver.ts';

/** Collects the values of a statement, and names each by its place. */
export class StatementValues {
  readonly all: unknown[] = [];

  add(value: unknown): string {
    this.all.push(value);
    return `$${this.all.length}`;
  }
}

/** What selects approvals. */
export interface Selection {
  readonly caller: Caller;
  /** null: of every state */
  readonly state: string | null;
  /** those alone that the caller may decide now by an own right */
  readonly mine?: true;
  readonly filter?: ApprovalFilter;
}

/** The codes of an approval's reasons, each once, in their order: the reason that decided comes first. */
export const REASON_CODES = `ARRAY(SELECT r.value ->> 'code' FROM jsonb_array_elements(a.reasons) WITH ORDINALITY AS r
  GROUP BY 1 ORDER BY min(r.ordinality))`;

/** The key of an approval: one that was decided before approvals had keys has none of its own. */
const ALIKE = `coalesce(a.alike, kernel.alike_key(o.tool_id, o.agent_id, a.autonomy_mode, a.reasons))`;

/** `waits`: every selected approval waits, and so has its place in queues. */
type Condition<V> = (value: string, of: V, waits: boolean) => string;

/** Each condition of a filter, on `a` of kernel.approval and `o` of kernel.operation. */
const CONDITIONS: { readonly [K in keyof Required<ApprovalFilter>]: Condition<Required<ApprovalFilter>[K]> } = {
  tool_id: (value, of) => (of.endsWith('*') ? `starts_with(o.tool_id, rtrim(${value}, '*'))` : `o.tool_id = ${value}`),
  agent_id: (value) => `o.agent_id = ${value}`,
  session_id: (value) => `o.session_id = ${value}`,
  autonomy_mode: (value) => `a.autonomy_mode = ${value}`,
  group: (value) => `a.demands IS NOT NULL AND ${value} = ANY (kernel.groups_of_approval(a))`,
  person_id: (value) => `o.person = ${value}`,
  risk_min: (value, _of, waits) =>
    `${waits ? 'a.risk_score' : 'coalesce(a.risk_score, o.risk_score)'} >= ${value}::numeric`,
  since: (value) => `a.created_at >= ${value}::bigint`,
  until: (value) => `a.created_at < ${value}::bigint`,
  expires_before: (value) => `a.expires_at < ${value}::bigint`,
  alike: (value, _of, waits) => `${waits ? 'a.alike' : ALIKE} = ${value}`,
};

/** The condition of a selection, on `a` of kernel.approval and `o` of kernel.operation. @throws Fault `auth.role` */
export function conditionOf({ caller, state, mine, filter = {} }: Selection, values: StatementValues): string {
  if (!isApprover(caller) && caller.role !== 'auditor')
    throw new Fault('auth.role', 'approvals take the role `admin`, `operator` or `auditor`');
  if (mine === true && !isApprover(caller))
    throw new Fault('auth.role', 'only the roles `admin` and `operator` decide');
  const waits = state === 'pending' || mine === true;
  const given = Object.entries(filter) as [keyof ApprovalFilter, never][];
  return [
    `a.tenant_id = ${values.add(caller.tenant_id)}`,
    // A literal, so that the planner sees that indexes of what waits have every row.
    ...(state === 'pending' ? [`a.state = 'pending'`] : state === null ? [] : [`a.state = ${values.add(state)}`]),
    ...(mine === true ? [mineOf(caller, values)] : []),
    ...given.map(([name, of]) => CONDITIONS[name](values.add(of), of, waits)),
  ].join(' AND ');
}

/**
 * The approvals that the caller may decide now by an own right: as `requireApprover`, one vote for each person, and the
 * groups that they are reserved for.
 */
function mineOf(caller: Caller, values: StatementValues): string {
  const [principal, role] = [values.add(principalOf(caller)), values.add(caller.role)];
  const [key, agent] = [values.add(caller.api_key_id), values.add(caller.agent_id)];
  return `a.state = 'pending' AND a.expires_at > kernel.now_ms()
  AND (a.autonomy_mode <> 'escalated' OR ${role} = 'admin') AND o.agent_id IS DISTINCT FROM ${agent} AND o.proposed_by <> ${key}
  AND NOT ${principal} = ANY (CASE WHEN o.proposers = '{}' THEN ARRAY[o.proposed_by] ELSE o.proposers END)
  AND NOT EXISTS (SELECT FROM kernel.vote v WHERE v.approval_id = a.approval_id AND v.says = 'approve'
    AND (v.principal = ${principal} OR v.cast_as = ${principal}) AND kernel.vote_counts(v, a))
  AND (a.demands IS NULL OR kernel.shared_groups(a.tenant_id, ARRAY[${principal}], kernel.now_ms()) && kernel.groups_of_approval(a))`;
}
