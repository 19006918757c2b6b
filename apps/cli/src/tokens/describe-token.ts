// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, CapabilityToken, TokenUse, type Grant } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { describeNet } from '../parse-net.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';

/** A token in the API's form. */
export const Token = Type.Object({ ...CapabilityToken.properties, ...TokenUse.properties });
export type Token = Static<typeof Token>;

/** The status of a token, in a word. @param now milliseconds since the epoch */
export function statusOf({ revoked, grant }: Token, now: number): 'revoked' | 'expired' | 'not yet valid' | 'valid' {
  if (revoked) return 'revoked';
  if (now >= grant.expires_at) return 'expired';
  return now < grant.not_before ? 'not yet valid' : 'valid';
}

/** The whole token: its grant and status, and below them the usage of its budgets. */
export function describeToken(token: Token, now: number): string {
  const { grant, chain, session_approval: sessionApproval, job } = token;
  const fields = fieldsOf({
    token: token.capability_token_id,
    state: statusOf(token, now),
    agent: token.agent_id,
    chain: chain.length === 1 ? null : chain.map((id, depth) => `${'  '.repeat(depth)}${id}`).join('\n'),
    workspace: token.workspace_id ?? 'any',
    tools: grant.tools.join('\n') || 'none',
    files: rootsText(grant.fs) || 'none',
    hosts: grant.net.map(describeNet).join('\n'),
    secrets: grant.secrets.join('\n'),
    profiles: grant.profiles?.join('\n') ?? '',
    resources: grant.resources?.join('\n') ?? '',
    effects: grant.effects?.join('\n') ?? '',
    session:
      sessionApproval === undefined
        ? null
        : `${sessionApproval.session_id}: approved by ${sessionApproval.approval_id}, for ${sessionApproval.args === 'same' ? 'the same arguments' : 'these paths'}`,
    job: job === undefined ? null : `${job.job_id}: lists ${job.tools.join(', ') || 'nothing'}`,
    'valid from': momentOf(grant.not_before),
    'valid until': momentOf(grant.expires_at),
    budgets: Object.keys(grant.budgets).length === 0 ? 'unbounded' : null,
  });
  return Object.keys(grant.budgets).length === 0 && Object.keys(token.left).length === 0
    ? fields
    : `${fields}\n\n${budgetsTable(token)}`;
}

const rootsText = (fs: Grant['fs']): string =>
  fs
    .map(
      ({ path: root, read, write, denied }) =>
        `${denied === true ? 'no' : `${read ? 'r' : '-'}${write ? 'w' : '-'}`} ${root === '' ? '.' : root}`,
    )
    .join('\n');

/** One row per bounded dimension. `left` includes the tokens above, so it can be less than the row's own difference. */
function budgetsTable({ grant, used, reserved, left }: Token): string {
  const amount = (count: number | undefined): string => (count === undefined ? '-' : String(count));
  const rows = BUDGET_DIMENSIONS.filter((dimension) => left[dimension] !== undefined).map((dimension) => [
    dimension,
    ...[grant.budgets[dimension], used[dimension], reserved[dimension], left[dimension]].map(amount),
  ]);
  return tableOf(['budget', 'bound', 'used', 'reserved', 'left'], rows);
}
