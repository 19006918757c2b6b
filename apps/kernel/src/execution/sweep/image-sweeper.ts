// SPDX-License-Identifier: Apache-2.0
import type { Announcer } from '../announcements/index.ts';
import { readAttemptFacts, type AttemptFacts } from '../attempts/index.ts';
import {
  outcomeFault,
  frozenFault,
  unreportedOutcome,
  type OutcomeFault,
  type OutcomeWriter,
} from '../outcomes/index.ts';
import { ownImages, type Images } from '../../judging/judgement/index.ts';
import { refusalOf, type Reevaluated, type Reevaluation } from '../reevaluation/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { unlessToolChanged } from '../../foundation/database/kernel-errors.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { CallRef } from '../../foundation/rows/attempt-rows.ts';
import type { ReplacedVerdict } from '../../foundation/database/functions/dispatch.ts';
import { eachInTurn } from './each-in-turn.ts';

/** Rows that one sweep reads. */
const ROWS_MAX = 200;
/** The rule that a decision's record names where the call was decided before, under another image. */
const RULE = 'sandbox.image_replaced';
const CAUSE = { cause: 'the sandbox image was replaced while the call waited', code: 'approval.stale' } as const;

export interface ImageSweeperParts {
  readonly workers: CrossTenantPool;
  readonly tenants: TenantPool;
  readonly outcomeWriter: OutcomeWriter;
  readonly announcer: Announcer;
  readonly images: Images;
}

/**
 * Evaluates commands again that wait for an image which this deployment no longer uses. An update replaces the kernels'
 * image and then the executors'; a command that was admitted before and not run yet is bound to the old one, which no
 * executor has afterwards. Only calls that an executor left are evaluated, so a call that an executor of the old
 * version still serves keeps its decision. The worker's role finds the calls, the tenant's role decides, with a record.
 * Replicas of both versions may sweep at once: each decision waits for twice as many lost attempts as the one before,
 * so their number is bounded and the version that stays decides last.
 */
export class ImageSweeper {
  readonly #parts: ImageSweeperParts;
  readonly #reevaluation: Reevaluation;
  readonly #images: readonly string[];

  constructor(parts: ImageSweeperParts, reevaluation: Reevaluation) {
    this.#parts = parts;
    this.#reevaluation = reevaluation;
    this.#images = ownImages(parts.images);
  }

  /** Finds and decides: see `decide`. */
  async sweep(): Promise<ReturnType<ImageSweeper['decide']>> {
    return await this.decide(await this.find());
  }

  /** The waiting calls of all tenants whose image is another, and that executors have left often enough. */
  async find(): Promise<readonly CallRef[]> {
    const rows = await kernelSql.waitingInReplacedImages(this.#parts.workers.pool, {
      images: this.#images,
      rows: ROWS_MAX,
    });
    return rows;
  }

  /**
   * Decides the calls again. Resolves with how many got this deployment's image, and how many ended because they may
   * not run in it.
   */
  async decide(calls: readonly CallRef[]): Promise<{ replaced: number; ended: number }> {
    const results = await eachInTurn(
      calls,
      'calls whose image was replaced could not be decided again',
      ({ tenant_id, operation_id }) => this.#decideOne(tenant_id, operation_id),
    );
    return {
      replaced: results.filter((one) => one === 'replaced').length,
      ended: results.filter((one) => one === 'ended').length,
    };
  }

  /** Null where the call needs no decision any more, or not yet. */
  async #decideOne(tenantId: string, operationId: string): Promise<'replaced' | 'ended' | null> {
    const facts = await readAttemptFacts(this.#parts.tenants, { tenant_id: tenantId, operation_id: operationId });
    if (!this.#isDue(facts.operation) || (await this.#isRegistered(facts.operation))) return null;
    const reevaluated = await this.#reevaluation.evaluate(facts);
    if (reevaluated === null)
      return await this.#end(facts, outcomeFault('args.invalid', 'the arguments of the call were erased'));
    const fault = refusalOf(facts.operation, reevaluated, CAUSE);
    if (fault !== null) return await this.#end(facts, fault);
    if (!(await this.#reevaluation.resolvesToSamePaths(facts.operation, reevaluated)))
      return await this.#end(facts, outcomeFault('workspace.conflict'));
    const verdict = await this.#replace(facts.operation, reevaluated);
    if (verdict === 'replaced') return 'replaced';
    if (verdict === 'token.revoked' || verdict === 'token.expired')
      return await this.#end(facts, outcomeFault(verdict));
    return verdict === 'frozen' && facts.frozen !== null ? await this.#end(facts, frozenFault(facts.frozen)) : null;
  }

  /**
   * The condition of the statement that found it. Another sweep may have decided the call since, and its decision then
   * holds as long as any.
   */
  #isDue({ state, image_digest, attempt, reruns }: OperationRow): boolean {
    if (
      (state !== 'admitted' && state !== 'dispatched') ||
      image_digest === null ||
      this.#images.includes(image_digest)
    )
      return false;
    return attempt - (state === 'dispatched' ? 1 : 0) >= 2 ** reruns;
  }

  /** A tenant's image is none of the deployment's, and no update of the deployment replaces it. */
  async #isRegistered({ tenant_id, image_digest }: OperationRow): Promise<boolean> {
    return await kernelSql.isRegisteredImage(this.#parts.tenants.pool, {
      tenant: tenant_id,
      digest: image_digest ?? '',
    });
  }

  async #replace(operation: OperationRow, anew: Reevaluated): Promise<ReplacedVerdict['verdict']> {
    const { tenant_id, operation_id, attempt, decision_record_id } = operation;
    const { record, columns } = this.#reevaluation.decisionOf(operation, anew, RULE);
    const order = {
      tenant_id,
      operation_id,
      seen: { attempt, decision_record_id },
      decided: columns,
      rules: { ...anew.facts.rules, history: null },
      labels: anew.judgement.labels,
      record: { record_id: record.record_id, keyid: record.keyid, digest: record.digest },
    };
    const replaced = await unlessToolChanged(
      kernelSql.replaceImage(this.#parts.tenants.pool, { p: order, payload: record.payload, sig: record.sig }),
    );
    // The next sweep decides under the tool that is in force then.
    if (replaced === null) return 'again';
    if (replaced.verdict === 'replaced') this.#parts.announcer.announce(replaced.operation, [record]);
    return replaced.verdict;
  }

  async #end(seen: AttemptFacts, fault: OutcomeFault): Promise<'ended' | null> {
    // A call with an outstanding permit ends from the queue, when the permit has expired.
    if (seen.operation.state !== 'admitted') return null;
    return (await this.#parts.outcomeWriter.end(seen, unreportedOutcome(seen.operation, fault))).verdict === 'done'
      ? 'ended'
      : null;
  }
}
