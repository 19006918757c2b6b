// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, CapabilityToken, TokenUse, type Grant } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';

/** A token as the API shows it. */
export const Token = Type.Object({ ...CapabilityToken.properties, ...TokenUse.properties });
export type Token = Static<typeof Token>;

/** What it can be used for now, in a word. @param now milliseconds since the epoch */
export function standingOf({ revoked, grant }: Token, now: number): 'revoked' | 'expired' | 'not yet valid' | 'valid' {
  if (revoked) return 'revoked';
  if (now >= grant.expires_at) return 'expired';
  return now < grant.not_before ? 'not yet valid' : 'valid';
}

/** All of a token: what it grants, where it stands, and under it what is gone of its budgets. */
export function describeToken(token: Token, now: number): string {
  const { grant, chain, session_approval: approved, job } = token;
  const fields = fieldsOf({
    token: token.capability_token_id,
    state: standingOf(token, now),
    agent: token.agent_id,
    chain: chain.length === 1 ? null : chain.map((id, depth) => `${'  '.repeat(depth)}${id}`).join('\n'),
    workspace: token.workspace_id ?? 'any',
    tools: grant.tools.join('\n') || 'none',
    files: rootsText(grant.fs) || 'none',
    hosts: grant.net.map(({ domain, methods }) => `${methods.join(',')} ${domain}`).join('\n'),
    secrets: grant.secrets.join('\n'),
    profiles: grant.profiles?.join('\n') ?? '',
    effects: grant.effects?.join('\n') ?? '',
    session:
      approved === undefined
        ? null
        : `${approved.session_id}: approved by ${approved.approval_id}, for ${approved.args === 'same' ? 'the same arguments' : 'these paths'}`,
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

/** One row a bounded dimension. `left` counts the tokens above too, so it may be less than the row's own difference. */
function budgetsTable({ grant, used, reserved, left }: Token): string {
  const amount = (count: number | undefined): string => (count === undefined ? '-' : String(count));
  const rows = BUDGET_DIMENSIONS.filter((dimension) => left[dimension] !== undefined).map((dimension) => [
    dimension,
    ...[grant.budgets[dimension], used[dimension], reserved[dimension], left[dimension]].map(amount),
  ]);
  return tableOf(['budget', 'bound', 'used', 'reserved', 'left'], rows);
}
