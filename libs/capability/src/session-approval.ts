// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FsResource, Reason, SessionApproval, Verdict } from '@writ/contract';
import { attenuate, type ChildToken } from './attenuate.ts';
import { narrowTo } from './narrow-to.ts';

/** A call that a person approves for its session. */
export interface SessionTokenRequest {
  /** the token that the call was proposed under */
  readonly token: CapabilityToken;
  readonly workspace_id: string;
  readonly tool_id: string;
  /**
   * the resources in its arguments, as written and as links lead, in scope form; null for a command, whose resources
   * are unknown
   */
  readonly resources: readonly FsResource[] | null;
  readonly uses: number;
  /** milliseconds since the epoch */
  readonly expires_at: number;
}

/**
 * Decides whether a session grant may become a token, and returns its fields: a child of the call's token for its tool,
 * its paths and its workspace alone. A call whose files are unknown keeps the roots, hosts, secrets and registered
 * resources of its token, since only an identical call counts as approved under it.
 */
export function decideSessionToken({
  token,
  workspace_id,
  tool_id,
  resources,
  uses,
  expires_at,
}: SessionTokenRequest): Verdict<{ child: ChildToken }> {
  const { net, secrets, resources: registered = [] } = token.grant;
  const narrow = narrowTo({
    token,
    tool_id,
    resources,
    uses,
    expires_at,
    ...(resources === null ? { net, secrets, registered } : {}),
  });
  return attenuate(token, { ...narrow, workspace_id });
}

/** A call that needs a person's approval. */
export interface PendingCall {
  readonly session_id: string | null;
  readonly policy_hash: string;
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  /** why it is held */
  readonly reasons: readonly Pick<Reason, 'code'>[];
}

/**
 * Answers whether the call is like the approved one: of the session, under the same policy, with no higher risk, and
 * neither risky nor held for a reason that the person didn't see. The token has the tool, paths, times and count;
 * `sameArgs` tells whether the arguments are identical.
 */
export function isLikeApproved(approval: SessionApproval, call: PendingCall, sameArgs: boolean): boolean {
  return (
    call.session_id === approval.session_id &&
    call.policy_hash === approval.policy_hash &&
    call.risk_score <= approval.risk_max &&
    call.risk_basis.every((basis) => approval.risk_basis.includes(basis)) &&
    call.reasons.every(({ code }) => approval.reasons.includes(code)) &&
    (approval.args === 'any' || sameArgs)
  );
}
