// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FsResource, Reason, SessionApproval, Verdict } from '@writ/contract';
import { attenuate, type ChildToken } from './attenuate.ts';
import { narrowTo } from './narrow-to.ts';

/** A call that a person approves for its session. */
export interface SessionTokenAsk {
  /** the one that the call was proposed under */
  readonly token: CapabilityToken;
  readonly workspace_id: string;
  readonly tool_id: string;
  /** what its arguments touch, as written and as links lead, in scope form; null for a command, which can't say */
  readonly resources: readonly FsResource[] | null;
  readonly uses: number;
  /** milliseconds since the epoch */
  readonly expires_at: number;
}

/**
 * Decides whether a session grant may become a token, and gives its fields: a child of the call's token for its tool,
 * its paths and its workspace alone. A command keeps the roots, hosts and secrets of its token, since only the very
 * same command counts as approved under it.
 */
export function decideSessionToken({
  token,
  workspace_id,
  tool_id,
  resources,
  uses,
  expires_at,
}: SessionTokenAsk): Verdict<{ child: ChildToken }> {
  const { net, secrets } = token.grant;
  const narrow = narrowTo({
    token,
    tool_id,
    resources,
    uses,
    expires_at,
    ...(resources === null ? { net, secrets } : {}),
  });
  return attenuate(token, { ...narrow, workspace_id });
}

/** What a call is asked a person's yes for. */
export interface AskedCall {
  readonly session_id: string | null;
  readonly policy_hash: string;
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  /** what it is held for */
  readonly reasons: readonly Pick<Reason, 'code'>[];
}

/**
 * Answers whether the call is like the one that was approved: of the session, under the same policy, no riskier, and
 * neither risky nor held for a reason that the person wasn't shown. Tool, paths, times and count are the token's;
 * `sameArgs` says whether the arguments are the very same.
 */
export function isLikeApproved(approval: SessionApproval, call: AskedCall, sameArgs: boolean): boolean {
  return (
    call.session_id === approval.session_id &&
    call.policy_hash === approval.policy_hash &&
    call.risk_score <= approval.risk_max &&
    call.risk_basis.every((basis) => approval.risk_basis.includes(basis)) &&
    call.reasons.every(({ code }) => approval.reasons.includes(code)) &&
    (approval.args === 'any' || sameArgs)
  );
}
