// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  LIMITS,
  SESSION_APPROVAL,
  type CapabilityToken,
  type Reason,
  type SessionApproval,
  type SessionGrantTerms,
} from '@writ/contract';
import { decideSessionToken } from '@writ/capability';
import { contentDigest } from '../../evidence/changes/index.ts';
import { hasRun } from '../../execution/held/index.ts';
import { composeRecord, traceIdsOf, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { newId } from '@writ/nest-kit';
import type { Rejudged } from './judge-held.ts';

/** The token of a session grant. */
export interface SessionGrant {
  /** the parameter of kernel.put_session_token */
  readonly columns: Readonly<Record<string, unknown>>;
  readonly record: SealedRecord;
  /** the reason for the caller of the approved call */
  readonly reason: Reason;
}

/**
 * Turns an approval into a session grant: a child of the call's own token. INVARIANT (one person, one gate): it
 * replaces exactly one approver of a soft gate. Calls that need an administrator or more than one person are approved
 * one at a time. So is an effect that the policy stopped.
 * @throws Fault `conflict`, `token.depth`, `token.not_narrower`
 */
export function makeSessionGrant(
  sealer: RecordSealer,
  rejudged: Rejudged,
  actor: string,
  ask: SessionGrantTerms,
): SessionGrant {
  const {
    held: { operation, approval },
    facts,
  } = rejudged;
  const token = childTokenOf(rejudged, actor, ask);
  const { capability_token_id, agent_id, workspace_id, grant, session_approval } = token;
  const record = sealer.seal(
    composeRecord({
      kind: 'token',
      recorded_at: facts.now,
      tenant_id: operation.tenant_id,
      operation_id: operation.operation_id,
      agent_id,
      capability_token_id,
      workspace_id,
      actor,
      approval_refs: [approval.approval_id],
      change: { verb: 'token_attenuated', subject: capability_token_id, digest: contentDigest(token) },
      ...traceIdsOf(operation.traceparent),
    }),
    { actionDigest: null, newRoot: null },
  );
  const chain = [...facts.chain.map((above) => above.token.capability_token_id).reverse(), capability_token_id];
  const { parent_id, issuer, created_at } = token;
  const until = new Date(grant.expires_at).toISOString();
  return {
    columns: {
      capability_token_id,
      agent_id,
      parent_id,
      chain,
      workspace_id,
      grant_json: grant,
      issuer,
      created_at,
      session_approval,
    },
    record,
    reason: {
      code: 'approval.session',
      message: `approved for the session: ${String(ask.uses)} more calls like it run under \`${capability_token_id}\` until ${until}`,
    },
  };
}

function childTokenOf(
  rejudged: Rejudged,
  issuer: string,
  { uses, ttl_ms = rejudged.judgement.session_grant_ms }: SessionGrantTerms,
): CapabilityToken & { readonly session_approval: SessionApproval } {
  const { held, judgement, facts } = rejudged;
  const { operation, approval } = held;
  const { tool } = judgement;
  const problem = sessionGrantProblem(rejudged);
  if (problem !== null || tool === null || operation.session_id === null || operation.workspace_id === null)
    throw new Fault('conflict', problem ?? "the call can't be approved for a session");
  const { chainTokens } = LIMITS;
  if (facts.chain.length >= chainTokens.max)
    throw new Fault(chainTokens.fault, `a token is at most the ${String(chainTokens.max)}th of its chain`);
  const [parent] = facts.chain;
  if (parent === undefined) throw new Error(`operation \`${operation.operation_id}\` was judged without a token`);
  // The files that a command touches are unknown, so only the identical command is like it.
  const args = tool.class === 'inline' && judgement.touched.length > 0 ? 'any' : 'same';
  const verdict = decideSessionToken({
    token: parent.token,
    workspace_id: operation.workspace_id,
    tool_id: tool.tool_id,
    resources: args === 'any' ? judgement.touched : null,
    uses,
    expires_at: facts.now + Math.min(ttl_ms, SESSION_APPROVAL.ttlMs.max),
  });
  if (verdict.effect === 'refuse') throw new Fault(verdict.code, verdict.message);
  return {
    v: 1,
    ...verdict.child,
    capability_token_id: newId('token'),
    agent_id: operation.agent_id,
    issuer,
    created_at: facts.now,
    revoked_at: null,
    session_approval: {
      approval_id: approval.approval_id,
      operation_id: operation.operation_id,
      session_id: operation.session_id,
      policy_hash: judgement.policy_hash,
      args,
      risk_max: operation.risk_score,
      risk_basis: [...operation.risk_basis],
      reasons: [...new Set([...operation.reasons, ...approval.reasons].map(({ code }) => code))],
    },
  };
}

/** Why a call can't get a session grant; null where it can. */
function sessionGrantProblem({ held, judgement }: Rejudged): string | null {
  if (held.operation.session_id === null) return 'the call has no session: approve it without a session grant';
  if (hasRun(held)) return 'the approval is for an effect: approve it without a session grant';
  if (
    judgement.tool?.category === 'admin' ||
    held.approval.autonomy_mode !== 'soft_gate' ||
    judgement.autonomy_mode !== 'soft_gate'
  )
    return 'a call that needs an administrator gets no session grant';
  if (held.approval.demands !== null || judgement.approvers?.groups !== undefined)
    return 'a call that is reserved for groups gets no session grant';
  if (Math.max(held.approval.quorum, judgement.approvers?.count ?? 1) > 1)
    return 'a call that needs more than one person gets no session grant';
  return null;
}
