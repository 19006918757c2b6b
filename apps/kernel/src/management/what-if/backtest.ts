// SPDX-License-Identifier: Apache-2.0
import { BACKTEST_PAYLOAD_TYPE, type Backtest, type BacktestPage, type KernelRequest } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { sealEnvelope, type Signer } from '@writ/signing';
import { inSlices } from '@writ/worker-pool';
import { FairTurns } from '../../execution/effects/index.ts';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import { pageOf } from '@writ/paging';
import { parseCursor } from '../../foundation/database/cursor.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { askBoth } from './ask-both.ts';
import { readyCandidate } from './asked-of.ts';
import { countChanges, EFFECT_BOUNDS, PageEffects, type EffectBounds } from './backtest-effects.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';
import type { RecordedEffects } from './recorded-effects.ts';

const EXAMPLES_MAX = 20;
/**
 * Pages that one replica makes at once: each keeps a processor busy for some seconds, which calls need too. One tenant
 * makes one at a time.
 */
const PAGES = { atOnce: 2, waitingMax: 2, what: 'backtests of the tenant wait' };
type Change = BacktestPage['examples'][number];
type Request = KernelRequest<'policy.backtest'>;

/** What a backtest judges effects with. */
export interface BacktestParts {
  readonly effects: RecordedEffects;
  readonly bounds?: EffectBounds;
  /** monotonic milliseconds */
  readonly now: () => number;
}

/**
 * Asks a set about recorded calls: which decisions would be others, and which on the effects that they committed. Both
 * sets are asked: see `askBoth` and `askBothOfEffect`. The answer is signed with the key of records, under a type of
 * its own: it can't be read as a record or a permit.
 */
export class BacktestPolicy {
  readonly #calls: RecordedCalls;
  readonly #shelf: PolicyRepository;
  readonly #signer: Signer;
  readonly #parts: BacktestParts;
  readonly #turns: FairTurns;

  constructor(calls: RecordedCalls, shelf: PolicyRepository, signer: Signer, parts: BacktestParts) {
    this.#calls = calls;
    this.#shelf = shelf;
    this.#signer = signer;
    this.#parts = parts;
    this.#turns = new FairTurns(PAGES, parts.now);
  }

  /**
   * One page: at most `limit` calls are looked at, and fewer where their effects take all that a page may use.
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
        ? (await this.#shelf.find(tenant_id, policy)).ready
        : await readyCandidate(this.#shelf, tenant_id, document);
    const found = await this.#calls.since(tenant_id, since, parseCursor(cursor), limit + 1);
    const effects = more.effects === true ? this.#effectsFor(candidate) : null;
    const changes: Change[] = [];
    let [looked, skipped] = [0, 0];
    for await (const call of inSlices(found.slice(0, limit))) {
      if (effects?.isFull === true && looked > 0) break;
      looked += 1;
      const change = await this.#changeOf(call, candidate);
      if (change === null) skipped += 1;
      else if (change.from !== change.to) changes.push(change);
      await effects?.judge(call.operation);
    }
    const { items, next_cursor } = pageOf(found, Math.max(looked, 1), placeOf);
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
      ...(effects === null ? {} : { effects: effects.said() }),
    };
    return { page, envelope: sealEnvelope(BACKTEST_PAYLOAD_TYPE, canonicalBytes(page), this.#signer) };
  }

  #effectsFor(candidate: ReadyPolicy): PageEffects {
    const { effects, bounds = EFFECT_BOUNDS, now } = this.#parts;
    return new PageEffects(effects, this.#shelf, candidate, bounds, now);
  }

  /** Null where there is nothing to compare. */
  async #changeOf(call: RecordedCall, candidate: ReadyPolicy): Promise<Change | null> {
    const { operation_id, tool_id } = call.operation;
    const asked = await askBoth(this.#calls, this.#shelf, call, candidate);
    if (typeof asked === 'string') return null;
    const { was, would_be } = asked;
    return { operation_id, tool_id, from: was.mode, to: would_be.mode, rule_ids: would_be.rule_ids };
  }
}

const placeOf = ({ operation: { created_at, operation_id } }: RecordedCall) => ({ created_at, id: operation_id });
