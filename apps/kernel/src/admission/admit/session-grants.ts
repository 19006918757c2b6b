// SPDX-License-Identifier: Apache-2.0
import type { SessionApproval } from '@writ/contract';
import { isLikeApproved, matchesTool } from '@writ/capability';
import { storedArgumentsOf } from '../../execution/held/index.ts';
import {
  decidePrerequisites,
  readFacts,
  readNamedEnvironment,
  toolDigestOf,
  type CallFacts,
  type Judge,
  type Judgement,
} from '../../judging/judgement/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { readOperation } from '../../execution/operation-views/read-operation.ts';
import type { ApprovedSession } from '../../foundation/database/functions/admission.ts';
import type { Sources } from './sources.ts';
import type { Proposal } from './proposal.ts';

/**
 * Session grants that are checked for one call, newest first. With more grants in one session, the person is asked once
 * more.
 */
const GRANTS_MAX = 16;

/**
 * A call that runs under a session grant. It is decided like other calls, with the token of the grant in place of the
 * token that its caller named.
 */
export interface GrantedCall {
  readonly proposal: Proposal;
  readonly judgement: Judgement;
  readonly facts: CallFacts;
}

/**
 * Finds a session grant for a call that would be held. Other calls skip this query. INVARIANT (no second mechanism):
 * the grant is a token, with the validity, the budget and the revocation of a token. The call is judged as a whole
 * under that token, and the statement that writes the decision asserts its chain.
 */
export class SessionGrants {
  readonly #sources: Sources;
  readonly #judge: Judge;

  constructor(sources: Sources, judge: Judge) {
    this.#sources = sources;
    this.#judge = judge;
  }

  /** Null where the call is to be held. */
  async find(proposal: Proposal, held: Judgement): Promise<GrantedCall | null> {
    const { call } = proposal;
    if (call.session_id === null || held.verdict !== 'held' || held.waits_for !== 'action') return null;
    const found = await kernelSql.sessionApprovals(this.#sources.tenants.pool, {
      tenant: call.tenant_id,
      agent: call.agent_id,
      token: call.capability_token_id,
      session: call.session_id,
      rows: GRANTS_MAX,
    });
    for (const candidate of found) {
      if (
        !candidate.tools.some((pattern) => matchesTool(pattern, call.tool_id)) ||
        !(await this.#isLike(candidate, proposal, held))
      )
        continue;
      const granted = await this.#judgeUnder(candidate, proposal);
      if (granted !== null) return granted;
    }
    return null;
  }

  async #isLike(
    { approval, args, args_ref }: ApprovedSession,
    { call, args: asked }: Proposal,
    held: Judgement,
  ): Promise<boolean> {
    if (
      !isLikeApproved(approval, { ...held, session_id: call.session_id }, true) ||
      !(await this.#isSameTool(approval, call, held))
    )
      return false;
    if (approval.args === 'any') return true;
    const of = { operation_id: approval.operation_id, tenant_id: call.tenant_id };
    const approved = await this.#sources.args.readStored(of, storedArgumentsOf({ args, args_ref }));
    return 'canonical' in approved && 'canonical' in asked && Buffer.from(approved.canonical).equals(asked.canonical);
  }

  /**
   * A session grant covers the tool definition that was shown, and a script only in the sandbox definition that was
   * signed then. For another definition the person is asked again.
   */
  async #isSameTool(
    { operation_id }: SessionApproval,
    { tenant_id }: Proposal['call'],
    { tool }: Judgement,
  ): Promise<boolean> {
    const approved = await readOperation(this.#sources.tenants, tenant_id, operation_id);
    return approved !== null && tool !== null && approved.row.tool_definition_digest === toolDigestOf(tool);
  }

  async #judgeUnder(
    { capability_token_id, approval }: ApprovedSession,
    proposal: Proposal,
  ): Promise<GrantedCall | null> {
    const own_token = proposal.call.capability_token_id;
    const call = { ...proposal.call, capability_token_id };
    const { tenants, policies } = this.#sources;
    const read = await readFacts(tenants, policies, call);
    const facts = {
      ...read,
      // What it applies was verified under its own token, or it would not be held.
      staged: null,
      ...(await readNamedEnvironment(tenants, call, proposal.args, read.tool)),
    };
    const judgement = await this.#judge.judge({
      call,
      prior: decidePrerequisites(call, facts),
      facts,
      args: proposal.args,
      approval: { satisfies: 'soft_gate' },
    });
    // Where the policy has changed, or now asks for more people or for those of a group, the person is asked.
    if (
      judgement.verdict !== 'admitted' ||
      judgement.policy_hash !== approval.policy_hash ||
      (judgement.approvers?.count ?? 1) > 1 ||
      judgement.approvers?.groups !== undefined
    )
      return null;
    const reason = { code: 'approval.session', message: `approved for the session by \`${approval.approval_id}\`` };
    return {
      proposal: { ...proposal, call, sessionGrant: { approval_id: approval.approval_id, own_token } },
      judgement: { ...judgement, reasons: [...judgement.reasons, reason] },
      facts,
    };
  }
}
