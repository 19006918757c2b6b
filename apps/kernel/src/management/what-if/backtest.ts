// SPDX-License-Identifier: Apache-2.0
import { BACKTEST_PAYLOAD_TYPE, Fault, type Backtest, type BacktestPage, type KernelRequest } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { FairTurns, type FairTurnsBounds } from '@writ/fairness';
import { sealEnvelope, type Signer } from '@writ/signing';
import { inSlices } from '@writ/worker-pool';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import { pageOf } from '@writ/paging';
import { parseCursor } from '../../foundation/database/cursor.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { compareVerdicts } from './compare-verdicts.ts';
import { compileCandidate } from './candidate-policy.ts';
import { countChanges, EFFECT_BOUNDS, PageEffects, type EffectBounds } from './backtest-effects.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';
import type { RecordedEffects } from './recorded-effects.ts';

const EXAMPLES_MAX = 20;
/** Each may take several KiB. */
const REDACTION_EXAMPLES_MAX = 5;
/**
 * Concurrent pages of one replica. Each keeps a processor busy for some seconds, which calls need too. One tenant has
 * one page at a time.
 */
const PAGES: FairTurnsBounds = {
  atOnce: 2,
  perTenantMax: 1,
  waitingMax: 2,
  refusal: () => new Fault('overloaded', '2 backtests of the tenant wait: try again later'),
};
type Change = BacktestPage['examples'][number];
type RedactionChange = NonNullable<BacktestPage['redactions']>['examples'][number];
type Request = KernelRequest<'policy.backtest'>;

/** Collaborators for judging effects. */
export interface BacktestDependencies {
  readonly effects: RecordedEffects;
  readonly bounds?: EffectBounds;
  /** monotonic milliseconds */
  readonly now: () => number;
}

/**
 * Runs a backtest: which decisions on recorded calls a set would change, and which on their committed effects. Both
 * sets are evaluated, as in a replay. The answer is signed with the key of records, under its own payload type, so it
 * can't be read as a record or a permit.
 */
export class BacktestPolicy {
  readonly #calls: RecordedCalls;
  readonly #repository: PolicyRepository;
  readonly #signer: Signer;
  readonly #dependencies: BacktestDependencies;
  readonly #turns: FairTurns;

  constructor(calls: RecordedCalls, repository: PolicyRepository, signer: Signer, dependencies: BacktestDependencies) {
    this.#calls = calls;
    this.#repository = repository;
    this.#signer = signer;
    this.#dependencies = dependencies;
    this.#turns = new FairTurns(PAGES, dependencies.now);
  }

  /**
   * Makes one page of at most `limit` calls, and of fewer where their effects use up the limits of a page.
   *
   * @throws Fault `auth.role`, `not_found`, `overloaded`, `policy.invalid`, `policy.unreadable`, `request.malformed`
   */
  async run(request: Request): Promise<Backtest> {
    requireRole(request.caller, 'admin', 'operator', 'auditor');
    return await this.#turns.run(request.caller.tenant_id, async () => await this.#page(request));
  }

  async #page({ caller, policy, document, since, cursor, limit, ...more }: Request): Promise<Backtest> {
    const { tenant_id } = caller;
    const candidate =
      document === null
        ? (await this.#repository.find(tenant_id, policy)).ready
        : await compileCandidate(this.#repository, tenant_id, document);
    const found = await this.#calls.listSince(tenant_id, since, parseCursor(cursor), limit + 1);
    const effects = more.effects === true ? this.#effectsFor(candidate) : null;
    const changes: Change[] = [];
    const redactions: RedactionChange[] = [];
    let [processed, skipped] = [0, 0];
    for await (const call of inSlices(found.slice(0, limit))) {
      if (effects?.isFull === true && processed > 0) break;
      processed += 1;
      const compared = await this.#changeOf(call, candidate);
      if (compared === null) skipped += 1;
      else {
        const { change, redaction } = compared;
        if (change.from !== change.to) changes.push(change);
        if (redaction !== null) redactions.push(redaction);
      }
      await effects?.judge(call.operation);
    }
    const { items, next_cursor } = pageOf(found, Math.max(processed, 1), positionOf);
    const { name, enforcement } = candidate.set.document;
    const page: BacktestPage = {
      v: 1,
      tenant_id,
      kernel_key_id: this.#signer.keyid,
      candidate: { policy_hash: candidate.set.policy_hash, name, enforcement },
      since,
      cursor,
      next_cursor,
      made_at: items[0]?.now ?? (await this.#calls.now(tenant_id)),
      examined: items.length,
      skipped,
      changed: changes.length,
      changes: countChanges(changes),
      examples: changes.slice(0, EXAMPLES_MAX),
      ...redactionsOf(redactions),
      ...(effects === null ? {} : { effects: effects.result() }),
    };
    return { page, envelope: sealEnvelope(BACKTEST_PAYLOAD_TYPE, canonicalBytes(page), this.#signer) };
  }

  #effectsFor(candidate: ReadyPolicy): PageEffects {
    const { effects, bounds = EFFECT_BOUNDS, now } = this.#dependencies;
    return new PageEffects(effects, this.#repository, candidate, bounds, now);
  }

  /** Null where the call can't be compared. */
  async #changeOf(
    call: RecordedCall,
    candidate: ReadyPolicy,
  ): Promise<{ readonly change: Change; readonly redaction: RedactionChange | null } | null> {
    const { operation_id, tool_id } = call.operation;
    const verdicts = await compareVerdicts(this.#calls, this.#repository, call, candidate);
    if (typeof verdicts === 'string') return null;
    const { was, would_be } = verdicts;
    const change = { operation_id, tool_id, from: was.mode, to: would_be.mode, rule_ids: would_be.rule_ids };
    const [from, to] = [was.redactions ?? [], would_be.redactions ?? []];
    const isSame = JSON.stringify(from) === JSON.stringify(to);
    return { change, redaction: isSame ? null : { operation_id, tool_id, from, to } };
  }
}

const redactionsOf = (changes: readonly RedactionChange[]): Pick<BacktestPage, 'redactions'> =>
  changes.length === 0
    ? {}
    : { redactions: { changed: changes.length, examples: changes.slice(0, REDACTION_EXAMPLES_MAX) } };

const positionOf = ({ operation: { created_at, operation_id } }: RecordedCall) => ({ created_at, id: operation_id });
