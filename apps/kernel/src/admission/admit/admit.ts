// SPDX-License-Identifier: Apache-2.0
import { Fault, type OperationView } from '@writ/contract';
import {
  decideStanding,
  readFacts,
  readNamed,
  readSecretsKnown,
  readValueKnown,
  type Judge,
  type Judgement,
} from '../../judging/judgement/index.ts';
import { readOperation } from '../../execution/operations/read-operation.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operations/operation-views.ts';
import { NoAssigner, type Assigner } from '../../execution/direct-dispatch/assigner.ts';
import type { Announcer, Heard, Outcomes } from '../../execution/announcements/index.ts';
import { decideClaim } from './decide-claim.ts';
import type { Decisions, Written } from './decisions.ts';
import { isWhole, type RememberedFacts } from './fact-memory.ts';
import { anotherCall, readProposal, type Proposal, type SentCall } from './proposal.ts';
import type { Sources } from './sources.ts';
import { SessionApprovals } from './session-approvals.ts';

/**
 * How often one call is decided again because its facts changed. Each time another call committed first, so few tries
 * suffice.
 */
const DECISIONS_MAX = 5;
/** How long a final answer waits for its place in the log before it says `pending`. */
export const RECEIPT_WAIT_MS = 250;

/** A durable decision. `end` resolves with how the call ended; it is null for a call that was not admitted just now. */
export interface Decided {
  readonly row: OperationRow;
  readonly replayed: boolean;
  readonly end: Promise<Heard> | null;
}

/** What announces, dispatches and answers a decided call. */
export interface AdmissionReplies {
  readonly announcer: Announcer;
  readonly outcomes: Outcomes;
  readonly views: OperationViews;
  /** absent: no call is dispatched directly */
  readonly assigner?: Assigner;
}

/**
 * Admits, refuses or holds a proposed call. The decision, its reservation and its signed record are durable when this
 * resolves. From then on every end of the call is recorded. The same operation_id gets the same decision, and the same
 * idempotency key gets the same operation.
 */
export class Admit {
  readonly #sources: Sources;
  readonly #judge: Judge;
  readonly #decisions: Decisions;
  readonly #announcer: Announcer;
  readonly #outcomes: Outcomes;
  readonly #views: OperationViews;
  readonly #session: SessionApprovals;
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
    this.#session = new SessionApprovals(sources, judge);
  }

  /**
   * Decides. For an admitted call it listens for the end from the start, for `waitMs` milliseconds. Most calls end
   * within that time, also commands in a warm container. Faults change nothing: `record.backlog`, `queue.full`,
   * `overloaded`, `conflict` (the operation_id names another call), `request.malformed`, `not_found`.
   */
  async decide(call: SentCall, traceparent: string | null, waitMs: number): Promise<Decided> {
    const proposal = await readProposal(this.#sources.args, this.#sources.vault, call, traceparent);
    const admitted = await this.#admitRemembered(proposal);
    if (admitted !== null) return this.#tell(admitted, waitMs);
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const decided = await this.#decide(proposal, waitMs);
      if (decided !== null) return decided;
    }
    throw new Fault('overloaded', 'others kept changing what the call was decided on');
  }

  /** The operation as it is now, or as it ended within the wait. */
  async answer({ row, replayed, end }: Decided): Promise<OperationView> {
    const heard = (await end) ?? 'nothing';
    if (heard === 'nothing') return await this.#views.of(row, { replayed, waitMs: RECEIPT_WAIT_MS });
    const { row: ended, sealedResult } = heard === 'elsewhere' ? await this.#read(row) : heard;
    return await this.#views.of(ended, { replayed, waitMs: RECEIPT_WAIT_MS, sealedResult });
  }

  async #read({ tenant_id, operation_id }: OperationRow) {
    const found = await readOperation(this.#sources.tenants, tenant_id, operation_id);
    if (found === null) throw new Error(`operation \`${operation_id}\` was admitted and isn't there`);
    return found;
  }

  /** Null when the facts changed and the call must be decided again. */
  async #decide(proposal: Proposal, waitMs: number): Promise<Decided | null> {
    const read = await readFacts(this.#sources.tenants, this.#sources.policies, proposal.call);
    const readAt = this.#sources.memory.clock;
    // These facts depend on this call's arguments, so they aren't cached for similar calls.
    const { tenants } = this.#sources;
    const { call, args } = proposal;
    const facts = {
      ...read,
      value_known: await readValueKnown(tenants, call, args),
      secrets: await readSecretsKnown(tenants, call, read, args),
      ...(await readNamed(tenants, call, args)),
    };
    if (facts.existing !== null) return { row: sameProposal(facts.existing, proposal), replayed: false, end: null };
    const claim = decideClaim(proposal, facts);
    // This comes before any check that could refuse. Whatever has happened since, the caller gets the outcome of the
    // original call.
    if (claim?.effect === 'replay') return { row: claim.original, replayed: true, end: null };
    // Only calls that would wait in this queue are refused here. A call that a person has approved passes.
    if (facts.queueFull && !proposal.call.dry_run)
      throw new Fault('queue.full', 'as many calls of the tenant wait for an executor as may');
    const standing = decideStanding(proposal.call, facts);
    const judgement = await this.#judge.judge({
      call: proposal.call,
      prior: claim ?? standing,
      facts,
      args: proposal.args,
      approval: null,
    });
    const decision = (await this.#session.find(proposal, judgement)) ?? { proposal, judgement, facts };
    const written = await this.#decisions.write(decision.proposal, decision.judgement, decision.facts);
    if (written === null) return null;
    if (judgement.verdict === 'admitted' && written.row.state === 'admitted')
      this.#sources.memory.keep(proposal.call, read, judgement, readAt);
    return this.#tell(written, waitMs);
  }

  /**
   * Admits the call on the cached facts of the last similar call. Null where no facts are cached or they no longer
   * hold: then nothing was written, and the facts must be read.
   */
  async #admitRemembered(proposal: Proposal): Promise<Written | null> {
    const { memory } = this.#sources;
    const takenAt = memory.clock;
    const facts = memory.take(proposal.call);
    if (facts === null) return null;
    const judgement = await this.#judgeRemembered(proposal, facts);
    const written = judgement === null ? null : await this.#decisions.write(proposal, judgement, facts);
    memory.proved(proposal.call, facts, takenAt, written !== null);
    return written;
  }

  /**
   * Null unless the call is admitted whole by a policy that counts no past calls. For a refusal, a hold or an error the
   * facts must be read.
   */
  async #judgeRemembered({ call, args }: Proposal, facts: RememberedFacts): Promise<Judgement | null> {
    try {
      const policy = await this.#sources.policies.of(call.tenant_id, facts.rules.policy);
      if (policy.historyNeeds(call) !== null) return null;
      const named = await readNamed(this.#sources.tenants, call, args);
      const judgement = await this.#judge.judge({
        call,
        prior: decideStanding(call, facts),
        facts: { ...facts, ...named },
        args,
        approval: null,
      });
      return judgement.verdict === 'admitted' && isWhole(judgement) ? judgement : null;
    } catch {
      // An error on cached facts must not fail the call. If it comes again on facts that were read, it is reported
      // then.
      return null;
    }
  }

  #tell({ row, sealed, assigned }: Written, waitMs: number): Decided {
    const end = row.state === 'admitted' ? this.#outcomes.wait(row.operation_id, waitMs) : null;
    if (assigned !== null) this.#assigner.send(assigned);
    this.#announcer.announce(row, [sealed], { isAssigned: assigned !== null });
    return { row, replayed: false, end };
  }
}

function sameProposal(existing: OperationRow, proposal: Proposal): OperationRow {
  if (existing.proposal_digest !== proposal.digest) throw anotherCall();
  return existing;
}
