// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Budgets, type Delta, type ReportReply, type ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes } from '@writ/digest';
import { deltaId } from '@writ/workspace';
import { readAttemptFacts, type AttemptFacts, type AttemptMemory } from '../attempts/index.ts';
import { effectHint, type CheckedEffect, type EffectCheck, type EffectApplier } from '../effects/index.ts';
import {
  ambiguousEnding,
  endingFault,
  frozenFault,
  nothingDone,
  saidBeside,
  stoppedFault,
  type Ending,
  type EndingFault,
  type OutcomeWriter,
  type HeadChange,
} from '../outcomes/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { EndVerdict } from '../../foundation/rows/attempt-rows.ts';
import type { HoldEffect } from './hold-effect.ts';
import type { Reruns } from './reruns.ts';
import { usageCounter } from './usage-counter.ts';

/** Readings of the facts per report: they change by a cancellation or a revocation, and each happens once. */
const READINGS_MAX = 4;

/** What an effect goes through until its outcome is written. */
export interface CommitSteps {
  readonly effects: EffectCheck;
  readonly landing: EffectApplier;
  readonly holds: HoldEffect;
  readonly reruns: Reruns;
}

/**
 * Ends attempts by what their executors report. INVARIANT (fenced): only the current attempt's executor, with its nonce
 * and while its lease lives, can end an operation; a report that is repeated gets the outcome that the first one had.
 * INVARIANT (all or nothing): the head moves in the transaction that ends the operation as `committed`, or not at all.
 */
export class Commit {
  readonly #tenants: TenantPool;
  readonly #blobs: BlobStore;
  readonly #steps: CommitSteps;
  readonly #endings: OutcomeWriter;
  readonly #memory: AttemptMemory;

  constructor(
    tenants: TenantPool,
    blobs: BlobStore,
    steps: CommitSteps,
    endings: OutcomeWriter,
    memory: AttemptMemory,
  ) {
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#steps = steps;
    this.#endings = endings;
    this.#memory = memory;
  }

  /**
   * Resolves once the outcome is durable.
   * @throws Fault `attempt.fenced`; `overloaded` where the head kept moving: then nothing has ended, and the report may
   * be repeated.
   */
  async run(report: ReportRequest): Promise<ReportReply> {
    for (let readings = READINGS_MAX; readings > 0; readings -= 1) {
      const facts = this.#remembered(report) ?? (await readAttemptFacts(this.#tenants, report));
      const settled = settledReply(facts, report);
      if (settled !== null) return settled;
      const verdict = await this.#decide(facts, report);
      if (verdict.verdict === 'done')
        return { v: 1, state: verdict.operation.state, tx_outcome: verdict.operation.tx_outcome };
      if (verdict.verdict === 'settled') return { v: 1, state: verdict.state, tx_outcome: verdict.tx_outcome };
      if (verdict.verdict === 'fenced' || verdict.verdict === 'gone') throw new Fault('attempt.fenced');
      // `again`, `token.revoked`, `token.expired` and `frozen`: the facts say why when they are read anew.
    }
    throw new Fault('overloaded', 'the workspace kept changing');
  }

  /** An attempt of the past may be remembered here while another replica heard its report. */
  #remembered({ operation_id, attempt }: ReportRequest): AttemptFacts | null {
    const known = this.#memory.take(operation_id);
    return known?.operation.attempt === attempt ? known : null;
  }

  async #decide(facts: AttemptFacts, report: ReportRequest): Promise<EndVerdict> {
    const checked = await this.#steps.effects.of(facts, report);
    const { delta, asks } = checked;
    const stopped = stopFault(facts) ?? checked.fault;
    const held = stopped === null && asks !== null && delta !== null && mayHold(facts);
    if (held) {
      const verdict = await this.#steps.holds.run({ facts, report, checked, asks }, heldEnding(facts, report, checked));
      if (verdict !== null) return verdict;
    }
    const fault = stopped ?? (held ? endingFault('tool.changed') : asks === null ? null : nobodyToAsk(asks));
    if (fault !== null || delta === null)
      return await this.#endings.end(facts, failedEnding(facts, report, checked, fault), report);
    if (delta.changes.length === 0 && facts.operation.precondition_refs.length === 0) {
      return await this.#endings.end(
        facts,
        await this.#outside(facts, delta, goodEnding(facts, report, checked, null)),
        report,
      );
    }
    return await this.#steps.landing.land(facts, { delta, contents: checked.contents }, async (change) => {
      const isConflict = 'code' in change && change.code === 'workspace.conflict';
      const again = isConflict ? await this.#steps.reruns.of(facts, report, usedOf(facts, report)) : null;
      if (again !== null && 'verdict' in again) return again;
      const end = again ?? change;
      return await this.#endings.end(
        facts,
        'code' in end
          ? failedEnding(facts, report, checked, end)
          : await this.#outside(facts, delta, goodEnding(facts, report, checked, end)),
        report,
      );
    });
  }

  /**
   * What was done outside and ended well is committed, though nothing here has changed: it names the empty delta of its
   * snapshot, which is stored as any other is.
   */
  async #outside({ operation }: AttemptFacts, delta: Delta, ending: Ending): Promise<Ending> {
    if (!operation.effect_started || ending.txOutcome !== 'no_op') return ending;
    const empty = { ...delta, changes: [] };
    await this.#blobs.putMany(operation.tenant_id, [canonicalBytes(empty)]);
    return { ...ending, states: ['performed', 'committed'], txOutcome: 'committed', outsideDeltaId: deltaId(empty) };
  }
}

/**
 * The reply to a report of an attempt that has ended; null while it runs.
 * @throws Fault `attempt.fenced` for any other attempt, and for a lease that ran out.
 */
function settledReply(
  { now, operation }: AttemptFacts,
  { attempt, executor_id, nonce }: ReportRequest,
): ReportReply | null {
  const isSpeaker = operation.attempt === attempt && operation.executor_id === executor_id && operation.nonce === nonce;
  if (!isSpeaker) throw new Fault('attempt.fenced');
  // Held for its effect: a report that is repeated, since the answer to the first was lost.
  if (isFinal(operation.state) || operation.state === 'held')
    return { v: 1, state: operation.state, tx_outcome: operation.tx_outcome };
  if (operation.state !== 'performing' || operation.lease_until === null || operation.lease_until < now)
    throw new Fault('attempt.fenced');
  return null;
}

/** Why an attempt that ran mustn't count any more, whatever it did. */
function stopFault({ now, operation, chain, frozen }: AttemptFacts): EndingFault | null {
  if (operation.cancel_requested) return stoppedFault(operation);
  // Once something outside may have happened, coming late is better than leaving it in doubt.
  if (operation.deadline !== null && operation.deadline <= now && !operation.effect_started)
    return endingFault('deadline');
  if (frozen !== null) return frozenFault(frozen);
  if (chain.some((token) => token.revoked_at !== null)) return endingFault('token.revoked');
  // A grant that is over permits nothing more, not even the end of what began under it: who needs room issues tokens
  // that last longer than their calls.
  return chain.some(({ grant }) => grant.expires_at <= now)
    ? endingFault('token.expired', null, 'propose the call anew under a token that lasts longer')
    : null;
}

/**
 * An effect can wait for a person where there is one to ask. One that began something outside may wait too: where
 * nobody lets it commit, it ends `ambiguous`.
 */
const mayHold = ({ operation }: AttemptFacts): boolean => operation.session_mode === 'interactive';

function nobodyToAsk({ mode, reasons, passes, asksAnew }: NonNullable<CheckedEffect['asks']>): EndingFault {
  const hint = `in an interactive session the effect waits for a person; ${effectHint({ asksAnew, reasons })}`;
  return endingFault(
    'effect.out_of_scope',
    reasons[0]?.message ?? `the policy asks for \`${mode}\` for this effect`,
    [hint, ...passes].join('. '),
  );
}

/** Settled as used; whatever becomes of the effect costs nothing more. */
function heldEnding(facts: AttemptFacts, report: ReportRequest, checked: CheckedEffect): Ending {
  return {
    states: ['performed', 'held'],
    txOutcome: null,
    fault: null,
    requests: checked.requests,
    result: checked.result === null ? null : { ...checked.result, bytes: null, ref: null },
    effectDigest: checked.digest,
    head: null,
    used: usedOf(facts, report),
    countedBy: usageCounter(facts, report),
    chainValid: true,
    ...decidedBy(facts, checked),
  };
}

/** INVARIANT (one doubt, no retry): a call that may have done something outside and doesn't commit ends `ambiguous`. */
function failedEnding(
  facts: AttemptFacts,
  report: ReportRequest,
  checked: CheckedEffect,
  fault: EndingFault | null,
): Ending {
  const { operation } = facts;
  const told = {
    result: checked.result,
    requests: checked.requests,
    effectDigest: checked.digest,
    ...decidedBy(facts, checked),
  };
  if (operation.effect_started) return { ...ambiguousEnding(['performed', 'ambiguous']), ...told };
  const txOutcome = nothingDone(operation);
  return {
    ...told,
    states: ['performed', txOutcome],
    txOutcome,
    fault,
    head: null,
    used: usedOf(facts, report),
    countedBy: usageCounter(facts, report),
    chainValid: false,
  };
}

/**
 * A change of the head is a commit; without one nothing was done, whether the tool may write or not (ADR 0009).
 */
function goodEnding(
  facts: AttemptFacts,
  report: ReportRequest,
  checked: CheckedEffect,
  head: HeadChange | null,
): Ending {
  const txOutcome = (head?.new_snapshot_id ?? null) === null ? 'no_op' : 'committed';
  return {
    states: ['performed', txOutcome],
    txOutcome,
    fault: null,
    result: checked.result,
    requests: checked.requests,
    effectDigest: checked.digest,
    head,
    used: usedOf(facts, report),
    chainValid: true,
    countedBy: usageCounter(facts, report),
    ...decidedBy(facts, checked),
  };
}

/** Policy is asked about an effect that there is. What it says beside its verdict goes into record and result. */
function decidedBy({ rules, operation }: AttemptFacts, { delta, said }: CheckedEffect): Pick<Ending, 'rules' | 'said'> {
  if (delta === null || delta.changes.length === 0) return {};
  return { rules, ...(said === null ? {} : { said: saidBeside(operation.reasons, said) }) };
}

/** What the call has used with this attempt: one call, however often it ran. */
function usedOf({ operation: { spent } }: AttemptFacts, { usage }: ReportRequest): Budgets {
  const inAll = (dimension: 'cpu_ms' | 'wall_ms' | 'disk_write_bytes' | 'egress_bytes'): number =>
    (spent[dimension] ?? 0) + (usage[dimension] ?? 0);
  return {
    calls: 1,
    cpu_ms: inAll('cpu_ms'),
    wall_ms: inAll('wall_ms'),
    disk_write_bytes: inAll('disk_write_bytes'),
    egress_bytes: inAll('egress_bytes'),
  };
}
