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

/** Times that one call is decided on facts that moved meanwhile. Each time somebody else got ahead, so few suffice. */
const DECISIONS_MAX = 5;
/** How long a final answer waits for its place in the log before it says `pending`. */
export const RECEIPT_WAIT_MS = 250;

/** What was decided, durable. Of a call that was admitted just now, `end` tells what becomes of it. */
export interface Decided {
  readonly row: OperationRow;
  readonly replayed: boolean;
  readonly end: Promise<Heard> | null;
}

/** By what a decided call is announced, dispatched and answered. */
export interface AdmissionReplies {
  readonly announcer: Announcer;
  readonly outcomes: Outcomes;
  readonly views: OperationViews;
  /** absent: every call waits its turn */
  readonly assigner?: Assigner;
}

/**
 * Admits, refuses or holds a proposed call. The decision, its reservation and its signed record are durable when this
 * resolves; from there on every end of the call is recorded. The same operation_id gets the same decision; the same
 * idempotency key the same operation.
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
   * Decides. Where a call is admitted, its end is listened for from the start, for `waitMs` milliseconds: most calls
   * take less, commands in a warm container among them. Faults leave nothing behind: `record.backlog`, `queue.full`,
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

  /** The operation as it stands, or as it ended while its end was waited for. */
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

  /** Null when it must be decided again. */
  async #decide(proposal: Proposal, waitMs: number): Promise<Decided | null> {
    const read = await readFacts(this.#sources.tenants, this.#sources.policies, proposal.call);
    const readAt = this.#sources.memory.clock;
    // Of this call's arguments, so it isn't remembered for others of its kind.
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
    // Before anything that could refuse: whatever has happened since, the caller is told what became of the call that
    // it asks about.
    if (claim?.effect === 'replay') return { row: claim.original, replayed: true, end: null };
    // Only what would wait there itself; what a person has approved gets in.
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
   * Admits the call on what the last one of its kind was decided on. Null where nothing is remembered or it holds no
   * more: nothing was written, and the facts must be read.
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
   * Null for anything but a whole admission that counts nothing of the past: what refuses or holds a call is read, and
   * so is what fails.
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
      // Memory is no reason to fail: if what failed still does on facts that are read, it is said then.
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
