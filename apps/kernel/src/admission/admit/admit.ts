// SPDX-License-Identifier: Apache-2.0
import { Fault, type OperationView } from '@writ/contract';
import { schedulingClassOf } from '@writ/fairness';
import {
  decidePrerequisites,
  readFacts,
  readNamedEnvironment,
  readExistingSecrets,
  readGivenSecrets,
  readStagedChange,
  readValueExists,
  type Judge,
  type Judgement,
} from '../../judging/judgement/index.ts';
import { readOperation } from '../../execution/operation-views/read-operation.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operation-views/operation-views.ts';
import { NoAssigner, type Assigner } from '../../execution/direct-dispatch/assigner.ts';
import type { Announcer, OutcomeNews, Outcomes } from '../../execution/announcements/index.ts';
import { decideClaim } from './decide-claim.ts';
import { verifyMaySee } from './verify-may-see.ts';
import type { Decisions, WrittenDecision } from './decisions.ts';
import { hasFullLimits, type CachedFacts } from './fact-cache.ts';
import { conflictFault, readProposal, type Proposal, type SentCall } from './proposal.ts';
import type { Sources } from './sources.ts';
import { SessionGrants } from './session-grants.ts';

/**
 * How often one call is decided again because its facts changed. Each time another call committed first, so a few tries
 * suffice.
 */
const DECISIONS_MAX = 5;
/** How long a final answer waits for the log to include its record, before the receipt is `pending`. */
export const RECEIPT_WAIT_MS = 250;

/**
 * A durable decision. `end` resolves when the call has ended. It is null for a call that was not admitted by this
 * request.
 */
export interface DecidedCall {
  readonly row: OperationRow;
  readonly replayed: boolean;
  readonly end: Promise<OutcomeNews> | null;
}

/** Collaborators that announce, dispatch and answer a decided call. */
export interface AdmissionReplies {
  readonly announcer: Announcer;
  readonly outcomes: Outcomes;
  readonly views: OperationViews;
  /** where it is absent, no call is dispatched directly */
  readonly assigner?: Assigner;
}

/**
 * Admits, refuses or holds a proposed call. When this resolves, the decision, its reservation and its signed record are
 * durable. From then on, every end of the call is recorded. The same operation_id gets the same decision, and the same
 * idempotency key gets the same operation.
 */
export class Admit {
  readonly #sources: Sources;
  readonly #judge: Judge;
  readonly #decisions: Decisions;
  readonly #announcer: Announcer;
  readonly #outcomes: Outcomes;
  readonly #views: OperationViews;
  readonly #sessionGrants: SessionGrants;
  readonly #assigner: Assigner;

  constructor(
    sources: Sources,
    judge: Judge,
    decisions: Decisions,
    { announcer, outcomes, views, assigner = new NoAssigner() }: AdmissionReplies,
  ) {
    this.#assigner = assigner;
    this.#sources = sources;
    this.#judge = judge;
    this.#decisions = decisions;
    this.#announcer = announcer;
    this.#outcomes = outcomes;
    this.#views = views;
    this.#sessionGrants = new SessionGrants(sources, judge);
  }

  /**
   * Decides the call. For an admitted call it subscribes to the end before it returns, for `waitMs` milliseconds. Most
   * calls end within that time, including commands in a warm container. A fault changes nothing: `record.backlog`,
   * `queue.full`, `overloaded`, `conflict` (the operation_id names another call), `request.malformed`, `not_found`.
   */
  async decide(call: SentCall, traceparent: string | null, waitMs: number): Promise<DecidedCall> {
    const proposal = await readProposal(this.#sources.args, this.#sources.vault, call, traceparent);
    const admitted = await this.#admitOnCachedFacts(proposal);
    if (admitted !== null) return this.#announce(admitted, waitMs);
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const decided = await this.#decide(proposal, waitMs);
      if (decided !== null) return decided;
    }
    throw new Fault('overloaded', 'the facts of the decision kept changing');
  }

  /** The operation as it is now, or the ended operation where it ends within the wait. */
  async answer({ row, replayed, end }: DecidedCall): Promise<OperationView> {
    const result = (await end) ?? 'nothing';
    if (result === 'nothing') return await this.#views.of(row, { replayed, waitMs: RECEIPT_WAIT_MS });
    const { row: ended, sealedResult } = result === 'elsewhere' ? await this.#read(row) : result;
    return await this.#views.of(ended, { replayed, waitMs: RECEIPT_WAIT_MS, sealedResult });
  }

  async #read({ tenant_id, operation_id }: OperationRow) {
    const found = await readOperation(this.#sources.tenants, tenant_id, operation_id);
    if (found === null) throw new Error(`operation \`${operation_id}\` was admitted and isn't there`);
    return found;
  }

  /** Null when the facts changed and the call must be decided again. */
  async #decide(proposal: Proposal, waitMs: number): Promise<DecidedCall | null> {
    const read = await readFacts(this.#sources.tenants, this.#sources.policies, proposal.call);
    const readAt = this.#sources.memory.clock;
    // These facts depend on this call's arguments, so they aren't cached for similar calls.
    const { tenants } = this.#sources;
    const { call, args } = proposal;
    const facts = {
      ...read,
      staged: await readStagedChange(this.#sources, call, args, read),
      value_exists: await readValueExists(tenants, call, args),
      secrets: await readExistingSecrets(tenants, call, read, args),
      given_secrets: await readGivenSecrets(tenants, call, read, args),
      ...(await readNamedEnvironment(tenants, call, args, read.tool)),
    };
    await verifyMaySee(tenants.pool, call, facts.existing ?? facts.claim?.operation ?? null);
    if (facts.existing !== null) return { row: sameProposal(facts.existing, proposal), replayed: false, end: null };
    const claim = decideClaim(proposal, facts);
    // This comes before every check that could refuse. Whatever has happened since, the caller gets the outcome of the
    // original call.
    if (claim?.effect === 'replay') return { row: claim.original, replayed: true, end: null };
    // Only calls that would wait in this queue are refused here. A call that a person has approved passes.
    const isFull = schedulingClassOf(proposal.call) === 'interactive' ? facts.queueFull : facts.backgroundQueueFull;
    if (isFull && !proposal.call.dry_run)
      throw new Fault('queue.full', "the tenant's queue of calls that wait for an executor is full");
    const prior = decidePrerequisites(proposal.call, facts);
    const judgement = await this.#judge.judge({
      call: proposal.call,
      prior: claim ?? prior,
      facts,
      args: proposal.args,
      approval: null,
    });
    const decision = (await this.#sessionGrants.find(proposal, judgement)) ?? { proposal, judgement, facts };
    const written = await this.#decisions.write(decision.proposal, decision.judgement, decision.facts);
    if (written === null) return null;
    if (judgement.verdict === 'admitted' && written.row.state === 'admitted')
      this.#sources.memory.store(proposal.call, read, judgement, readAt);
    return this.#announce(written, waitMs);
  }

  /**
   * Admits the call on the cached facts of the last similar call. Returns null where no facts are cached or they no
   * longer hold. Then nothing was written, and the facts must be read.
   */
  async #admitOnCachedFacts(proposal: Proposal): Promise<WrittenDecision | null> {
    const { memory } = this.#sources;
    const takenAt = memory.clock;
    const facts = memory.find(proposal.call);
    if (facts === null) return null;
    const judgement = await this.#judgeOnCachedFacts(proposal, facts);
    const written = judgement === null ? null : await this.#decisions.write(proposal, judgement, facts);
    memory.recordUse(proposal.call, facts, takenAt, written !== null);
    return written;
  }

  /**
   * Null unless the policy admits the call with its full limits and counts no past calls. For a refusal, a hold or an
   * error the facts must be read.
   */
  async #judgeOnCachedFacts({ call, args }: Proposal, facts: CachedFacts): Promise<Judgement | null> {
    try {
      const policy = await this.#sources.policies.of(call.tenant_id, facts.rules.policy);
      if (policy.historyNeeds(call) !== null) return null;
      const named = await readNamedEnvironment(this.#sources.tenants, call, args, facts.tool);
      const judgement = await this.#judge.judge({
        call,
        prior: decidePrerequisites(call, facts),
        facts: { ...facts, ...named },
        args,
        approval: null,
      });
      return judgement.verdict === 'admitted' && hasFullLimits(judgement) ? judgement : null;
    } catch {
      // An error on cached facts must not fail the call. If it recurs on facts that were read, it is reported then.
      return null;
    }
  }

  #announce({ row, sealed, assigned }: WrittenDecision, waitMs: number): DecidedCall {
    const end = row.state === 'admitted' ? this.#outcomes.wait(row.operation_id, waitMs) : null;
    if (assigned !== null) this.#assigner.send(assigned);
    this.#announcer.announce(row, [sealed], { isAssigned: assigned !== null });
    return { row, replayed: false, end };
  }
}

function sameProposal(existing: OperationRow, proposal: Proposal): OperationRow {
  if (existing.proposal_digest !== proposal.digest) throw conflictFault();
  return existing;
}
