// SPDX-License-Identifier: Apache-2.0
import type { ApprovalBrief, PreviewView } from '@writ/contract';
import { countVotes } from '../../../execution/held/votes-of-call.ts';
import type { ApprovalRow, VoteRow } from '../../../foundation/rows/held-rows.ts';
import { reservedFor } from '../reserved-for.ts';
import { PREVIEW_STATES } from '../view-preview.ts';
import { REASON_CODES } from './selection.ts';

/** A row of the statement below. Nothing in it is sealed. */
export interface BriefRow {
  readonly approval: ApprovalRow;
  readonly tool_id: string;
  readonly agent_id: string;
  readonly session_id: string | null;
  readonly workspace_id: string | null;
  readonly person: string | null;
  /** as Postgres writes a numeric */
  readonly risk_score: string;
  readonly reason_codes: string[];
  readonly preview: keyof typeof PREVIEW_STATES | null;
  readonly alike: string;
  readonly votes: readonly VoteRow[];
}

/** What a page shows beside its rows is read for these rows alone. */
export const briefStatement = (where: string, orderBy: string, limit: string): string => `
  WITH page AS MATERIALIZED (
    SELECT a, ${REASON_CODES} AS reason_codes, o.tool_id, o.agent_id, o.session_id, o.workspace_id, o.person, coalesce(a.risk_score, o.risk_score) AS risk_score,
      row_number() OVER (ORDER BY ${orderBy}) AS place
    FROM kernel.approval a JOIN kernel.operation o ON o.operation_id = a.operation_id
    WHERE ${where} ORDER BY ${orderBy} LIMIT ${limit})
  SELECT to_jsonb(p.a) - 'reasons' AS approval, p.tool_id, p.agent_id, p.session_id, p.workspace_id, p.person, p.risk_score, p.reason_codes,
    v.state AS preview, coalesce((p.a).alike, kernel.alike_key(p.tool_id, p.agent_id, (p.a).autonomy_mode, (p.a).reasons)) AS alike,
    CASE WHEN EXISTS (SELECT FROM kernel.vote w WHERE w.approval_id = (p.a).approval_id) THEN kernel.votes_of(p.a) ELSE '[]' END AS votes
  FROM page p LEFT JOIN kernel.preview v ON v.operation_id = (p.a).operation_id ORDER BY p.place`;

export function viewBrief(row: BriefRow): ApprovalBrief {
  const { approval, votes } = row;
  return {
    approval_id: approval.approval_id as ApprovalBrief['approval_id'],
    operation_id: approval.operation_id as ApprovalBrief['operation_id'],
    tool_id: row.tool_id,
    agent_id: row.agent_id as ApprovalBrief['agent_id'],
    session_id: row.session_id,
    workspace_id: row.workspace_id,
    person_id: row.person,
    autonomy_mode: approval.autonomy_mode,
    of: approval.of,
    state: approval.state,
    risk_score: Number(row.risk_score),
    reason_codes: row.reason_codes,
    preview: previewOf(row),
    votes: countVotes({ ...approval, votes }),
    ...reservedFor({ approval, votes }),
    alike: row.alike,
    created_at: approval.created_at,
    expires_at: approval.expires_at,
    decided_at: approval.decided_at,
  };
}

const previewOf = ({ approval, preview }: BriefRow): PreviewView['state'] =>
  approval.of === 'effect' ? 'ready' : preview === null ? 'none' : PREVIEW_STATES[preview];
