// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Budgets, type Delta, type FaultCode, type ReportReply, type ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { readAttemptFacts, type AttemptFacts, type AttemptMemory } from '../attempts/index.ts';
import { ambiguousEnding, endingFault, frozenFault, nothingDone, type Ending, type EndingFault, type Endings, type EndVerdict, type Head, type HeadChange } from '../endings/index.ts';
import { decidePreconditions, readVersions, type RulesInForce } from '../judgement/index.ts';
import type { TenantPool, Trees } from '../store/index.ts';
import type { CheckedEffect, EffectCheck } from './effect-check.ts';
import { makeNewHead } from './new-head.ts';
import type { Reruns } from './reruns.ts';
import { Turns } from './turns.ts';

/** Heads tried per reading. Commits of this replica take turns, so another try means that another replica was faster. */
const TRIES_MAX = 8;
/** Readings of the facts per report: they change by a cancellation or a revocation, and each happens once. */
const READINGS_MAX = 4;
/** What makes an effect impossible to commit on the head that it meets, as opposed to our own store failing. */
const ON_THE_HEAD: ReadonlySet<FaultCode> = new Set<FaultCode>(['workspace.conflict', 'effect.invalid']);

const CONFLICT_HINT = 'read the newest state and propose the call anew, with a new `idempotency_key`';

/** An effect that may commit, and all that its end is made of. */
interface Stage {
  readonly facts: AttemptFacts;
  readonly report: ReportRequest;
  readonly checked: CheckedEffect;
  readonly delta: Delta;
}

/**
 * Ends attempts by what their executors report.
 * INVARIANT (fenced): only the current attempt's executor, with its nonce and while its lease lives, can end an operation; a report that is
 * repeated gets the outcome that the first one had.
 * INVARIANT (all or nothing): the head moves in the transaction that ends the operation as `committed`, or not at all.
 */
export class Commit {
  readonly #tenants: TenantPool;
  readonly #blobs: BlobStore;
  readonly #trees: Trees;
  readonly #effects: EffectCheck;
  readonly #endings: Endings;
  readonly #memory: AttemptMemory;
  readonly #reruns: Reruns;
  readonly #turns = new Turns();

  constructor(tenants: TenantPool, blobs: BlobStore, trees: Trees, effects: EffectCheck, endings: Endings, memory: AttemptMemory, reruns: Reruns) {
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#trees = trees;
    this.#effects = effects;
    this.#endings = endings;
    this.#memory = memory;
    this.#reruns = reruns;
  }

  /** Resolves once the outcome is durable. @throws Fault `attempt.fenced`; `overloaded` where the head kept moving: then nothing has ended, and the report may be repeated. */
  async run(report: ReportRequest): Promise<ReportReply> {
    for (let readings = READINGS_MAX; readings > 0; readings -= 1) {
      const facts = this.#remembered(report) ?? await readAttemptFacts(this.#tenants, report);
      const settled = settledReply(facts, report);
      if (settled !== null) return settled;
      const verdict = await this.#decide(facts, report);
      if (verdict.verdict === 'done') return { v: 1, state: verdict.operation.state, tx_outcome: verdict.operation.tx_outcome };
      if (verdict.verdict === 'settled') return { v: 1, state: verdict.state, tx_outcome: verdict.tx_outcome };
      if (verdict.verdict === 'fenced' || verdict.verdict === 'gone') throw new Fault('attempt.fenced');
      // `again`, `token.revoked` and `frozen`: the facts say why when they are read anew.
    }
    throw new Fault('overloaded', 'the workspace kept changing');
  }

  /** An attempt of the past may be remembered here while another replica heard its report. */
  #remembered({ operation_id, attempt }: ReportRequest): AttemptFacts | null {
    const known = this.#memory.take(operation_id);
    return known?.operation.attempt === attempt ? known : null;
  }

  async #decide(facts: AttemptFacts, report: ReportRequest): Promise<EndVerdict> {
    const checked = await this.#effects.of(facts, report);
    const fault = stopFault(facts) ?? checked.fault;
    const { delta } = checked;
    if (fault !== null || delta === null) return await this.#endings.end(facts, failedEnding(facts, report, checked, fault), report);
    if (delta.changes.length === 0 && facts.operation.precondition_refs.length === 0) {
      return await this.#endings.end(facts, goodEnding(facts, report, checked, null), report);
    }
    return await this.#turns.take(workspaceOf(facts), facts.head, (head, left) => this.#commit({ facts, report, checked, delta }, head, left));
  }

  async #commit(stage: Stage, newest: Head, left: (head: Head) => void): Promise<EndVerdict> {
    const { facts, report, checked } = stage;
    let head = newest;
    for (let tries = TRIES_MAX; tries > 0; tries -= 1) {
      const change = await this.#newHead(stage, head);
      const again = 'code' in change && change.code === 'workspace.conflict' ? await this.#reruns.of(facts, report, usedOf(facts, report)) : null;
      if (again !== null) return again;
      const ending = 'code' in change ? failedEnding(facts, report, checked, change) : goodEnding(facts, report, checked, change);
      const verdict = await this.#endings.end(facts, ending, report);
      const moved = ending.head?.new_snapshot_id ?? null;
      if (verdict.verdict === 'done' && moved !== null) left({ snapshot_id: moved, seq: head.seq + 1 });
      if (verdict.verdict !== 'again' || verdict.head === undefined) return verdict;
      head = verdict.head;
    }
    return { verdict: 'again' };
  }

  /** The state that the effect leads to on this head, or why it can't be there. */
  async #newHead({ facts: { operation }, checked: { contents }, delta }: Stage, head: Head): Promise<HeadChange | EndingFault> {
    const unmet = await decidePreconditions(this.#trees, operation, head.snapshot_id, await readVersions(this.#tenants, operation));
    if (unmet !== null) return endingFault(unmet.code, unmet.message, unmet.hint);
    if (delta.changes.length === 0) return { ...head, new_snapshot_id: null, delta_id: null };
    try {
      return await makeNewHead(this.#blobs, operation.tenant_id, { delta, contents }, head);
    } catch (error) {
      if (error instanceof Fault && ON_THE_HEAD.has(error.code)) return endingFault(error.code, error.detail, error.code === 'workspace.conflict' ? CONFLICT_HINT : null);
      throw error;
    }
  }
}

/** The reply to a report of an attempt that has ended; null while it runs. @throws Fault `attempt.fenced` for any other attempt, and for a lease that ran out. */
function settledReply({ now, operation }: AttemptFacts, { attempt, executor_id, nonce }: ReportRequest): ReportReply | null {
  const isSpeaker = operation.attempt === attempt && operation.executor_id === executor_id && operation.nonce === nonce;
  if (!isSpeaker) throw new Fault('attempt.fenced');
  if (isFinal(operation.state)) return { v: 1, state: operation.state, tx_outcome: operation.tx_outcome };
  if (operation.state !== 'performing' || operation.lease_until === null || operation.lease_until < now) throw new Fault('attempt.fenced');
  return null;
}

/** Why an attempt that ran mustn't count any more, whatever it did. */
function stopFault({ now, operation, chain, frozen }: AttemptFacts): EndingFault | null {
  if (operation.cancel_requested) return endingFault('cancelled');
  // Once something outside may have happened, coming late is better than leaving it in doubt.
  if (operation.deadline !== null && operation.deadline <= now && !operation.effect_started) return endingFault('deadline');
  if (frozen !== null) return frozenFault(frozen);
  return chain.some((token) => token.revoked_at !== null) ? endingFault('token.revoked') : null;
}

/** INVARIANT (one doubt, no retry): a call that may have done something outside and doesn't commit ends `ambiguous`. */
function failedEnding(facts: AttemptFacts, report: ReportRequest, checked: CheckedEffect, fault: EndingFault | null): Ending {
  const { operation, rules } = facts;
  const told = { result: checked.result, effectDigest: checked.digest, ...decidedBy(rules, checked) };
  if (operation.effect_started) return { ...ambiguousEnding(['performed', 'ambiguous']), ...told };
  const txOutcome = nothingDone(operation);
  return { ...told, states: ['performed', txOutcome], txOutcome, fault, head: null, used: usedOf(facts, report), chainValid: false };
}

/** A change of the head is a commit; without one nothing was done, whether the tool may write or not (docs/adr: an empty effect). */
function goodEnding(facts: AttemptFacts, report: ReportRequest, checked: CheckedEffect, head: HeadChange | null): Ending {
  const txOutcome = (head?.new_snapshot_id ?? null) === null ? 'no_op' : 'committed';
  return {
    states: ['performed', txOutcome], txOutcome, fault: null, result: checked.result, effectDigest: checked.digest, head, used: usedOf(facts, report), chainValid: true,
    ...decidedBy(facts.rules, checked),
  };
}

/** Policy is asked about an effect that there is. */
const decidedBy = (rules: RulesInForce, { delta }: CheckedEffect): Pick<Ending, 'rules'> => (delta !== null && delta.changes.length > 0 ? { rules } : {});

/** What the call has used with this attempt: one call, however often it ran. */
function usedOf({ operation: { spent } }: AttemptFacts, { usage }: ReportRequest): Budgets {
  const inAll = (dimension: 'cpu_ms' | 'wall_ms' | 'disk_write_bytes'): number => (spent[dimension] ?? 0) + usage[dimension];
  return { calls: 1, cpu_ms: inAll('cpu_ms'), wall_ms: inAll('wall_ms'), disk_write_bytes: inAll('disk_write_bytes') };
}

function workspaceOf({ operation }: AttemptFacts): string {
  if (operation.workspace_id === null) throw new Error(`operation \`${operation.operation_id}\` has an attempt without a workspace`);
  return operation.workspace_id;
}
