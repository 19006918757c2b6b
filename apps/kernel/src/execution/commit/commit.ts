// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  isFinal,
  type Budgets,
  type Delta,
  type FaultCode,
  type ReportReply,
  type ReportRequest,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes } from '@writ/digest';
import { isSqlError } from '@writ/database';
import { deltaId } from '@writ/workspace';
import { readAttemptFacts, type AttemptFacts, type AttemptMemory } from '../attempts/index.ts';
import { effectHint, type CheckedEffect, type EffectCheck, type EffectApplier } from '../effects/index.ts';
import {
  ambiguousOutcome,
  isOutsideLane,
  outcomeFault,
  frozenFault,
  unchangedOutcomeOf,
  mergeReasons,
  stoppedFault,
  type OutcomeDraft,
  type OutcomeFault,
  type OutcomeWriter,
  type HeadChange,
} from '../outcomes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { EndVerdict } from '../../foundation/rows/attempt-rows.ts';
import { changeFault, type CallChanges, type DraftedChanges } from './call-changes.ts';
import type { HoldEffect } from './hold-effect.ts';
import type { Reruns } from './reruns.ts';
import { usageCounter } from './usage-counter.ts';

/**
 * Readings of the facts per report. A cancellation and a revocation change them once each, and so does a store that
 * moved since the call's change was staged.
 */
const READINGS_MAX = 4;

/** The steps of an effect until its outcome is written. */
export interface CommitSteps {
  readonly effects: EffectCheck;
  readonly applier: EffectApplier;
  readonly holds: HoldEffect;
  readonly reruns: Reruns;
  readonly changes: CallChanges;
}

/**
 * Ends attempts by what their executors report. INVARIANT (fenced): only the current attempt's executor, with its nonce
 * and while its lease lives, can end an operation; a repeated report gets the outcome that the first one had. INVARIANT
 * (all or nothing): the head moves in the transaction that ends the operation as `committed`, or not at all.
 */
export class Commit {
  readonly #tenants: TenantPool;
  readonly #blobs: BlobStore;
  readonly #steps: CommitSteps;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #memory: AttemptMemory;

  constructor(
    tenants: TenantPool,
    blobs: BlobStore,
    steps: CommitSteps,
    outcomeWriter: OutcomeWriter,
    memory: AttemptMemory,
  ) {
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#steps = steps;
    this.#outcomeWriter = outcomeWriter;
    this.#memory = memory;
  }

  /**
   * Resolves once the outcome is durable.
   * @throws Fault `attempt.fenced`; `overloaded` where the head kept moving: then nothing has ended, and the report may
   * be repeated.
   */
  async run(report: ReportRequest): Promise<ReportReply> {
    for (let readings = READINGS_MAX; readings > 0; readings -= 1) {
      const facts = this.#cachedFacts(report) ?? (await readAttemptFacts(this.#tenants, report));
      const settled = settledReply(facts, report);
      if (settled !== null) return settled;
      const verdict = await this.#decide(facts, report);
      if (verdict.verdict === 'done') {
        await this.#listAgain(report, facts.operation.tool_id);
        return { v: 1, state: verdict.operation.state, tx_outcome: verdict.operation.tx_outcome };
      }
      if (verdict.verdict === 'settled') return { v: 1, state: verdict.state, tx_outcome: verdict.tx_outcome };
      if (verdict.verdict === 'fenced' || verdict.verdict === 'gone') throw new Fault('attempt.fenced');
      // For `again`, `token.revoked`, `token.expired` and `frozen` the facts are read anew, and contain the reason.
    }
    throw new Fault('overloaded', 'the workspace kept changing');
  }

  /**
   * A call that found another definition at its MCP server has the tools of the server listed again at once. One that
   * the server didn't take has its person's access token renewed, if it has one.
   */
  async #listAgain({ tenant_id, operation_id, error }: ReportRequest, toolId: string): Promise<void> {
    if (error?.code === 'mcp.refused' || error?.code === 'mcp.unreachable')
      await kernelSql.renewMcpToken(this.#tenants.pool, { tenant: tenant_id, operation: operation_id });
    if (error?.code === 'mcp.definition_changed' || error?.code === 'mcp.definition_gone')
      await kernelSql.listMcpServerAgain(this.#tenants.pool, { tenant: tenant_id, tool: toolId });
  }

  /** An old attempt may be cached here after another replica received its report. */
  #cachedFacts({ operation_id, attempt }: ReportRequest): AttemptFacts | null {
    const cached = this.#memory.consume(operation_id);
    return cached?.operation.attempt === attempt ? cached : null;
  }

  async #decide(facts: AttemptFacts, report: ReportRequest): Promise<EndVerdict> {
    const checked = await this.#steps.effects.of(facts, report);
    const { delta, moreSupervision } = checked;
    const stopped = stopFault(facts) ?? checked.fault;
    const held = stopped === null && moreSupervision !== null && delta !== null && mayHold(facts);
    if (held) {
      const verdict = await this.#steps.holds.run(
        { facts, report, checked, moreSupervision },
        heldOutcome(facts, report, checked),
      );
      if (verdict !== null) return verdict;
    }
    const fault =
      stopped ??
      (held ? outcomeFault('tool.changed') : moreSupervision === null ? null : noApproverFault(moreSupervision));
    if (fault !== null || delta === null)
      return await this.#outcomeWriter.end(facts, failedOutcome(facts, report, checked, fault), report);
    const found = await this.#steps.changes.of(facts, report);
    if ('code' in found)
      return await this.#outcomeWriter.end(facts, failedOutcome(facts, report, checked, found), report);
    const { changes, announce } = found;
    if (delta.changes.length === 0 && facts.operation.precondition_refs.length === 0) {
      const draft = { ...committedOutcome(facts, report, checked, null), changes };
      return await this.#endWithChanges(facts, await this.#withOutsideDelta(facts, delta, draft), {
        report,
        announce,
        failed: (fault) => failedOutcome(facts, report, checked, fault),
      });
    }
    return await this.#steps.applier.apply(facts, { delta, contents: checked.contents }, async (change) => {
      const isConflict = 'code' in change && change.code === 'workspace.conflict';
      const again = isConflict ? await this.#steps.reruns.tryRerun(facts, report, usedOf(facts, report)) : null;
      if (again !== null && 'verdict' in again) return again;
      const end = again ?? change;
      const failed = (fault: OutcomeFault): OutcomeDraft => failedOutcome(facts, report, checked, fault);
      if ('code' in end) return await this.#outcomeWriter.end(facts, failed(end), report);
      const draft = { ...committedOutcome(facts, report, checked, end), changes };
      return await this.#endWithChanges(facts, await this.#withOutsideDelta(facts, delta, draft), {
        report,
        announce,
        failed,
      });
    });
  }

  /** Ends the call well, or with a fault where the kernel's own tables do not take its changes any more. */
  async #endWithChanges(
    facts: AttemptFacts,
    draft: OutcomeDraft,
    {
      report,
      announce,
      failed,
    }: Pick<DraftedChanges, 'announce'> & { report: ReportRequest; failed: (fault: OutcomeFault) => OutcomeDraft },
  ): Promise<EndVerdict> {
    try {
      const verdict = await this.#outcomeWriter.end(facts, draft, report);
      if (verdict.verdict === 'done') await announce();
      return verdict;
    } catch (error) {
      if (draft.changes === undefined || draft.changes.length === 0) throw error;
      // Another change of the store was published meanwhile: the record names the version that this one makes.
      if (isSqlError(error, 'info_store_moved')) return { verdict: 'again' };
      const fault = changeFault(error);
      if (fault === null) throw error;
      return await this.#outcomeWriter.end(facts, failed(fault), report);
    }
  }

  /**
   * A call that succeeded outside, or changed the kernel's own tables, is committed even if no file changed: it names
   * the empty delta of its snapshot, which is stored as any other delta is.
   */
  async #withOutsideDelta({ operation }: AttemptFacts, delta: Delta, ending: OutcomeDraft): Promise<OutcomeDraft> {
    const hasEffect =
      operation.effect_started || (isOutsideLane(operation) && operation.mutating) || (ending.changes ?? []).length > 0;
    if (!hasEffect || ending.txOutcome !== 'no_op') return ending;
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
  const hasCredentials =
    operation.attempt === attempt && operation.executor_id === executor_id && operation.nonce === nonce;
  if (!hasCredentials) throw new Fault('attempt.fenced');
  // Held for its effect: a repeated report, since the reply to the first was lost.
  if (isFinal(operation.state) || operation.state === 'held')
    return { v: 1, state: operation.state, tx_outcome: operation.tx_outcome };
  if (operation.state !== 'performing' || operation.lease_until === null || operation.lease_until < now)
    throw new Fault('attempt.fenced');
  return null;
}

/** Why an attempt that ran mustn't commit, whatever it did. */
function stopFault({ now, operation, chain, frozen }: AttemptFacts): OutcomeFault | null {
  if (operation.cancel_requested) return stoppedFault(operation);
  // Once something outside may have happened, a late end is better than an ambiguous one.
  if (operation.deadline !== null && operation.deadline <= now && !operation.effect_started)
    return outcomeFault('deadline');
  if (frozen !== null) return frozenFault(frozen);
  if (chain.some((token) => token.revoked_at !== null)) return outcomeFault('token.revoked');
  // An expired grant permits nothing more, not even the end of what began under it. Tokens have to last longer than
  // their calls.
  return chain.some(({ grant }) => grant.expires_at <= now)
    ? outcomeFault('token.expired', null, 'propose the call anew under a token that lasts longer')
    : null;
}

/**
 * An effect can wait for a person where the session has one. An effect that began something outside may wait too: if
 * nobody lets it commit, it ends `ambiguous`.
 */
const mayHold = ({ operation }: AttemptFacts): boolean => operation.session_mode === 'interactive';

function noApproverFault({
  mode,
  reasons,
  passes,
  requiresNewApproval,
}: NonNullable<CheckedEffect['moreSupervision']>): OutcomeFault {
  const hint = `in an interactive session the effect waits for a person; ${effectHint({ requiresNewApproval, reasons })}`;
  return outcomeFault(
    'effect.out_of_scope',
    reasons[0]?.message ?? `the policy asks for \`${mode}\` for this effect`,
    [hint, ...passes].join('. '),
  );
}

/** Settles the usage: whatever becomes of the effect, it costs nothing more. */
function heldOutcome(facts: AttemptFacts, report: ReportRequest, checked: CheckedEffect): OutcomeDraft {
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

/**
 * The other side says that it did nothing. An API answered the one request with a status of 4xx, which blames the
 * request (RFC 9110 §15.5); an MCP server did so, or with an error of JSON-RPC that blames it.
 */
const REFUSED_OUTSIDE: ReadonlySet<FaultCode | undefined> = new Set<FaultCode | undefined>([
  'api.refused',
  'mcp.refused',
]);

/**
 * Whether the call may have done something outside. Only the executor of a tool of an API or of an MCP server can
 * report that it did nothing. INVARIANT (a program's word proves nothing): what runs in a container sends requests of
 * its own, so that no refusal outweighs what was announced.
 */
const mayHaveActed = ({ operation }: AttemptFacts, fault: OutcomeFault | null): boolean =>
  operation.effect_started && (operation.image_digest !== null || !REFUSED_OUTSIDE.has(fault?.code));

/** INVARIANT (one doubt, no retry): a call that may have done something outside and doesn't commit ends `ambiguous`. */
function failedOutcome(
  facts: AttemptFacts,
  report: ReportRequest,
  checked: CheckedEffect,
  fault: OutcomeFault | null,
): OutcomeDraft {
  const { operation } = facts;
  const reported = {
    result: checked.result,
    requests: checked.requests,
    effectDigest: checked.digest,
    ...decidedBy(facts, checked),
  };
  if (isOutsideLane(operation) ? functionMayHaveActed(facts, report) : mayHaveActed(facts, fault))
    return { ...ambiguousOutcome(['performed', 'ambiguous'], outsideFault(facts, fault)), ...reported };
  const txOutcome = unchangedOutcomeOf(operation);
  return {
    ...reported,
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
 * Answers whether a function that a process of the tenant ran may have taken effect. It hasn't where the tool only
 * reads, and where its executor states so and no attempt before was lost: the record says that this is its claim.
 */
const functionMayHaveActed = ({ operation }: AttemptFacts, { ended, error }: ReportRequest): boolean =>
  operation.mutating && !(ended === 'failed' && error?.code === 'function.failed' && operation.leases_lost === 0);

/** Only for a function the fault says why its outcome doesn't count; what another call reports is in its list. */
const outsideFault = ({ operation }: AttemptFacts, fault: OutcomeFault | null): OutcomeFault =>
  isOutsideLane(operation) && fault !== null ? fault : outcomeFault('effect.ambiguous');

/** A change of the head is a commit; without one nothing was done, whether the tool may write or not (ADR 0009). */
function committedOutcome(
  facts: AttemptFacts,
  report: ReportRequest,
  checked: CheckedEffect,
  head: HeadChange | null,
): OutcomeDraft {
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

/** Policy judges only an effect that changes something. What it found goes into the record and the result. */
function decidedBy(
  { rules, operation }: AttemptFacts,
  { delta, findings }: CheckedEffect,
): Pick<OutcomeDraft, 'rules' | 'findings'> {
  if (delta === null || delta.changes.length === 0) return {};
  return { rules, ...(findings === null ? {} : { findings: mergeReasons(operation.reasons, findings) }) };
}

/** The call's usage including this attempt: it counts as one call, however often it ran. */
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
