// SPDX-License-Identifier: Apache-2.0
import type { SessionApproval } from '@writ/contract';
import { isLikeApproved, matchesTool } from '@writ/capability';
import { keptOf } from '../../execution/held/index.ts';
import {
  decideStanding,
  readFacts,
  readNamed,
  toolDigestOf,
  type CallFacts,
  type Judge,
  type Judgement,
} from '../../judging/judgement/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { readOperation } from '../../execution/operations/read-operation.ts';
import type { ApprovedSession } from '../../foundation/database/functions/admission.ts';
import type { Sources } from './sources.ts';
import type { Proposal } from './proposal.ts';

/**
 * Tokens looked at for one call, the newest first: a person who says yes so often in one session is asked once more.
 */
const TOKENS_MAX = 16;

/**
 * A call that runs under a yes for its session: decided as any other, with that token in the place of the one that its
 * caller named.
 */
export interface GrantedCall {
  readonly proposal: Proposal;
  readonly judgement: Judgement;
  readonly facts: CallFacts;
}

/**
 * Finds what stands for a person's yes to a call that would be held. Asked only then, so that no other call pays for
 * it. INVARIANT (no second mechanism): what lets the call pass is a token, with the validity, the budget and the
 * revocation of one; it is judged whole under that token, and what writes the decision asserts its chain.
 */
export class SessionApprovals {
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
      rows: TOKENS_MAX,
    });
    for (const candidate of found) {
      if (
        !candidate.tools.some((pattern) => matchesTool(pattern, call.tool_id)) ||
        !(await this.#isLike(candidate, proposal, held))
      )
        continue;
      const standing = await this.#under(candidate, proposal);
      if (standing !== null) return standing;
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
    const approved = await this.#sources.args.kept(of, keptOf({ args, args_ref }));
    return 'canonical' in approved && 'canonical' in asked && Buffer.from(approved.canonical).equals(asked.canonical);
  }

  /**
   * A yes counts for the tool as it was shown, and a script for the sandbox as it was signed then: another definition
   * is asked about anew.
   */
  async #isSameTool(
    { operation_id }: SessionApproval,
    { tenant_id }: Proposal['call'],
    { tool }: Judgement,
  ): Promise<boolean> {
    const approved = await readOperation(this.#sources.tenants, tenant_id, operation_id);
    return approved !== null && tool !== null && approved.row.tool_definition_digest === toolDigestOf(tool);
  }

  async #under({ capability_token_id, approval }: ApprovedSession, proposal: Proposal): Promise<GrantedCall | null> {
    const own_token = proposal.call.capability_token_id;
    const call = { ...proposal.call, capability_token_id };
    const { tenants, policies } = this.#sources;
    const facts = { ...(await readFacts(tenants, policies, call)), ...(await readNamed(tenants, call, proposal.args)) };
    const judgement = await this.#judge.judge({
      call,
      prior: decideStanding(call, facts),
      facts,
      args: proposal.args,
      approval: { satisfies: 'soft_gate' },
    });
    // The policy may be another by now, or ask for more people: then the person is asked.
    if (
      judgement.verdict !== 'admitted' ||
      judgement.policy_hash !== approval.policy_hash ||
      (judgement.approvers?.count ?? 1) > 1
    )
      return null;
    const said = { code: 'approval.session', message: `approved for the session by \`${approval.approval_id}\`` };
    return {
      proposal: { ...proposal, call, session: { approval_id: approval.approval_id, own_token } },
      judgement: { ...judgement, reasons: [...judgement.reasons, said] },
      facts,
    };
  }
}
