// SPDX-License-Identifier: Apache-2.0
import {
  APPROVAL_GROUPS_MAX,
  APPROVALS_COUNTED_MAX,
  type ApprovalGroup,
  type ApprovalGroups,
  type AutonomyMode,
  type KernelRequest,
} from '@writ/contract';
import { REASON_CODES } from './selection.ts';

/** A row of the statement below. */
export interface GroupRow {
  readonly alike: string;
  readonly tool_id: string;
  readonly agent_id: string;
  readonly autonomy_mode: AutonomyMode;
  readonly reason_codes: string[];
  readonly count: number;
  readonly created_at: number;
  readonly expires_at: number;
  /** as Postgres writes a numeric */
  readonly risk_score: string;
  readonly waiting: number;
  readonly groups: number;
}

const ORDERS = {
  count: 'g.count DESC, g.expires_at, g.alike',
  expires: 'g.expires_at, g.count DESC, g.alike',
} as const satisfies Record<KernelRequest<'approval.groups'>['order'], string>;

/** Whether a condition is on calls, too: without them, counting costs a tenth. It has no text of a caller. */
const isOfCall = (condition: string): boolean => /\bo\./.test(condition);

/** One call more than is counted is read, to know whether there are more. The oldest come first. */
export const groupsStatement = (where: string, order: keyof typeof ORDERS): string => `
  WITH waiting AS MATERIALIZED (
    SELECT a.alike, a.approval_id, a.created_at, a.expires_at, a.risk_score
    FROM kernel.approval a ${isOfCall(where) ? 'JOIN kernel.operation o ON o.operation_id = a.operation_id' : ''}
    WHERE ${where} ORDER BY a.created_at, a.approval_id LIMIT ${APPROVALS_COUNTED_MAX + 1}),
  alike AS (
    SELECT alike, min(approval_id) AS one, count(*)::integer AS count, min(created_at) AS created_at,
      min(expires_at) AS expires_at, max(risk_score) AS risk_score
    FROM (SELECT * FROM waiting ORDER BY created_at, approval_id LIMIT ${APPROVALS_COUNTED_MAX}) counted GROUP BY alike),
  shown AS (
    SELECT g.*, (SELECT count(*)::integer FROM waiting) AS waiting, count(*) OVER ()::integer AS groups
    FROM alike g ORDER BY ${ORDERS[order]} LIMIT ${APPROVAL_GROUPS_MAX})
  SELECT g.*, o.tool_id, o.agent_id, a.autonomy_mode, ${REASON_CODES} AS reason_codes
  FROM shown g JOIN kernel.approval a ON a.approval_id = g.one JOIN kernel.operation o ON o.operation_id = a.operation_id
  ORDER BY ${ORDERS[order]}`;

export function viewGroups(rows: readonly GroupRow[]): ApprovalGroups {
  const waiting = rows[0]?.waiting ?? 0;
  return {
    items: rows.map(viewGroup),
    waiting: Math.min(waiting, APPROVALS_COUNTED_MAX),
    groups: rows[0]?.groups ?? 0,
    complete: waiting <= APPROVALS_COUNTED_MAX,
  };
}

const viewGroup = ({
  alike,
  tool_id,
  agent_id,
  autonomy_mode,
  reason_codes,
  count,
  ...row
}: GroupRow): ApprovalGroup => ({
  alike,
  tool_id,
  agent_id: agent_id as ApprovalGroup['agent_id'],
  autonomy_mode,
  reason_codes,
  count,
  created_at: row.created_at,
  expires_at: row.expires_at,
  risk_score: Number(row.risk_score),
});
