// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  LIMITS,
  type CapabilityToken,
  type Reason,
  type SessionApproval,
  type SessionAsk,
} from '@writ/contract';
import { decideSessionToken } from '@writ/capability';
import { contentDigest } from '../../evidence/changes/index.ts';
import { hasRun } from '../../execution/held/index.ts';
import { composeRecord, traceIdsOf, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { newId } from '@writ/nest-kit';
import type { Rejudged } from './judge-held.ts';

/** The token of a session grant. */
export interface SessionToken {
  /** as kernel.put_session_token reads them */
  readonly columns: Readonly<Record<string, unknown>>;
  readonly record: SealedRecord;
  /** for the caller of the call that was approved */
  readonly said: Reason;
}

/**
 * Turns an approval into a session grant: a child of the call's own token. INVARIANT (one person, one gate): it
 * replaces exactly one approver of a soft gate. What takes an administrator, or more than one person, is approved one
 * call at a time. So is an effect that the policy stopped.
 * @throws Fault `conflict`, `token.depth`, `token.not_narrower`
 */
export function sessionToken(sealer: RecordSealer, rejudged: Rejudged, actor: string, ask: SessionAsk): SessionToken {
  const {
    held: { operation, approval },
    facts,
  } = rejudged;
  const token = childOf(rejudged, actor, ask);
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
    said: {
      code: 'approval.session',
      message: `approved for the session: ${String(ask.uses)} more calls like it run under \`${capability_token_id}\` until ${until}`,
    },
  };
}

function childOf(
  rejudged: Rejudged,
  issuer: string,
  { uses, ttl_ms }: SessionAsk,
): CapabilityToken & { readonly session_approval: SessionApproval } {
  const { held, judgement, facts } = rejudged;
  const { operation, approval } = held;
  const { tool } = judgement;
  const no = refusedFor(rejudged);
  if (no !== null || tool === null || operation.session_id === null || operation.workspace_id === null)
    throw new Fault('conflict', no ?? "the call can't be approved for a session");
  const { chainTokens } = LIMITS;
  if (facts.chain.length >= chainTokens.max)
    throw new Fault(chainTokens.fault, `a token is at most the ${String(chainTokens.max)}th of its chain`);
  const [parent] = facts.chain;
  if (parent === undefined) throw new Error(`operation \`${operation.operation_id}\` was judged without a token`);
  // Of a command nobody can say what it touches: the very same one alone is like it.
  const args = tool.class === 'inline' && judgement.touched.length > 0 ? 'any' : 'same';
  const verdict = decideSessionToken({
    token: parent.token,
    workspace_id: operation.workspace_id,
    tool_id: tool.tool_id,
    resources: args === 'any' ? judgement.touched : null,
    uses,
    expires_at: facts.now + ttl_ms,
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

/** Why a call is approved alone; null where it needn't be. */
function refusedFor({ held, judgement }: Rejudged): string | null {
  if (held.operation.session_id === null) return 'the call names no session: approve it alone';
  if (hasRun(held)) return 'what waits is an effect: approve it alone';
  if (
    judgement.tool?.category === 'admin' ||
    held.approval.autonomy_mode !== 'soft_gate' ||
    judgement.autonomy_mode !== 'soft_gate'
  )
    return 'what takes an administrator is approved one call at a time';
  if (Math.max(held.approval.quorum, judgement.approvers?.count ?? 1) > 1)
    return 'what takes more than one person is approved one call at a time';
  return null;
}
