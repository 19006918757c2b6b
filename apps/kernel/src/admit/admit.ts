// SPDX-License-Identifier: Apache-2.0
import { Fault, type OperationView, type ProposedCall } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { decideStanding, readFacts, type Judge } from '../judgement/index.ts';
import type { TenantVault } from '../payload/index.ts';
import type { OperationRow, OperationViews, TenantPool } from '../store/index.ts';
import type { Announcer } from '../announce/index.ts';
import { decideClaim } from './decide-claim.ts';
import type { Decisions } from './decisions.ts';
import { anotherCall, readProposal, type Proposal } from './proposal.ts';

/** Times that one call is decided on facts that moved meanwhile. Each time somebody else got ahead, so few suffice. */
const DECISIONS_MAX = 5;
/** How long a final answer waits for its place in the log before it says `pending`. */
export const RECEIPT_WAIT_MS = 250;

/** What an admission reads from. */
export interface Sources { readonly tenants: TenantPool; readonly blobs: BlobStore; readonly vault: TenantVault }

/**
 * Admits, refuses or holds a proposed call. The decision, its reservation and its signed record are durable when this resolves; from
 * there on every end of the call is recorded. The same operation_id gets the same decision; the same idempotency key the same operation.
 */
export class Admit {
  readonly #sources: Sources;
  readonly #judge: Judge;
  readonly #decisions: Decisions;
  readonly #announcer: Announcer;
  readonly #views: OperationViews;

  constructor(sources: Sources, judge: Judge, decisions: Decisions, announcer: Announcer, views: OperationViews) {
    this.#sources = sources;
    this.#judge = judge;
    this.#decisions = decisions;
    this.#announcer = announcer;
    this.#views = views;
  }

  /** Faults leave nothing behind: `record.backlog`, `overloaded`, `conflict` (the operation_id names another call), `request.malformed`, `not_found`. */
  async run(call: ProposedCall, traceparent: string | null): Promise<OperationView> {
    const proposal = await readProposal(this.#sources.blobs, this.#sources.vault, call, traceparent);
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const answer = await this.#decide(proposal);
      if (answer !== null) return await this.#views.of(answer.row, { replayed: answer.replayed, waitMs: RECEIPT_WAIT_MS });
    }
    throw new Fault('overloaded', 'others kept changing what the call was decided on');
  }

  /** Null when it must be decided again. */
  async #decide(proposal: Proposal): Promise<{ row: OperationRow; replayed: boolean } | null> {
    const facts = await readFacts(this.#sources.tenants, proposal.call);
    if (facts.existing !== null) return { row: sameProposal(facts.existing, proposal), replayed: false };
    const claim = decideClaim(proposal, facts);
    // Before anything that could refuse: whatever has happened since, the caller is told what became of the call that it asks about.
    if (claim?.effect === 'replay') return { row: claim.original, replayed: true };
    const standing = decideStanding(proposal.call, facts);
    const judgement = await this.#judge.judge({ call: proposal.call, prior: claim ?? standing, facts, args: proposal.args, approval: null });
    const written = await this.#decisions.write(proposal, judgement, facts);
    if (written === null) return null;
    this.#announcer.announce(written.row, [written.sealed]);
    return { row: written.row, replayed: false };
  }
}

function sameProposal(existing: OperationRow, proposal: Proposal): OperationRow {
  if (existing.proposal_digest !== proposal.digest) throw anotherCall();
  return existing;
}
