// SPDX-License-Identifier: Apache-2.0
import { FIXED_TOOLS } from '@writ/contract';
import type { Announcer } from '../announcements/index.ts';
import { readAttemptFacts, type AttemptFacts } from '../attempts/index.ts';
import {
  outcomeFault,
  frozenFault,
  unreportedOutcome,
  type OutcomeFault,
  type OutcomeWriter,
} from '../outcomes/index.ts';
import { ownImages, toolDigestOf, type Images } from '../../judging/judgement/index.ts';
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
/** The rule that a decision's record names where the call was decided before, by what was replaced since. */
const RULES = { image: 'sandbox.image_replaced', tool: 'tool.definition_replaced' } as const;
type Replaced = keyof typeof RULES;
const CAUSES: Readonly<Record<Replaced, string>> = {
  image: 'the sandbox image was replaced while the call waited',
  tool: 'an update replaced the definition of the tool while the call waited',
};
/** Hex SHA-256 of each definition, by its tool. */
const DIGESTS: ReadonlyMap<string, string> = new Map(FIXED_TOOLS.map((tool) => [tool.tool_id, toolDigestOf(tool)]));

export interface VersionSweeperParts {
  readonly workers: CrossTenantPool;
  readonly tenants: TenantPool;
  readonly outcomeWriter: OutcomeWriter;
  readonly announcer: Announcer;
  readonly images: Images;
}

/**
 * Evaluates calls again that wait for an image, or for an executor with a definition of their tool, which this
 * deployment no longer has. An update replaces the kernels and then the executors; a call that was admitted before and
 * not run yet is bound to what the old version had, and no executor has that afterwards. Only calls that an executor
 * left are evaluated, so a call that an executor of the old version still serves keeps its decision. The worker's role
 * finds the calls, the tenant's role decides, with a record. Replicas of both versions may sweep at once: each decision
 * waits for twice as many attempts that were left as the one before, so their number is bounded and the version that
 * stays decides last.
 */
export class VersionSweeper {
  readonly #parts: VersionSweeperParts;
  readonly #reevaluation: Reevaluation;
  readonly #images: readonly string[];

  constructor(parts: VersionSweeperParts, reevaluation: Reevaluation) {
    this.#parts = parts;
    this.#reevaluation = reevaluation;
    this.#images = ownImages(parts.images);
  }

  /** Finds and decides: see `decide`. */
  async sweep(): Promise<ReturnType<VersionSweeper['decide']>> {
    return await this.decide(await this.find());
  }

  /** The waiting calls of all tenants that another version decided, and that executors have left often enough. */
  async find(): Promise<readonly CallRef[]> {
    const rows = await kernelSql.waitingDecidedOtherwise(this.#parts.workers.pool, {
      images: this.#images,
      tools: [...DIGESTS.keys()],
      digests: [...DIGESTS.values()],
      rows: ROWS_MAX,
    });
    return rows;
  }

  /**
   * Decides the calls again. Resolves with how many got a decision of this version, and how many ended because they may
   * not run under it.
   */
  async decide(calls: readonly CallRef[]): Promise<{ replaced: number; ended: number }> {
    const results = await eachInTurn(
      calls,
      'calls that another version decided could not be decided again',
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
    const replaced = await this.#replacedSince(facts.operation);
    if (replaced === null || !isLeft(facts.operation)) return null;
    const reevaluated = await this.#reevaluation.evaluate(facts);
    if (reevaluated === null)
      return await this.#end(facts, outcomeFault('args.invalid', 'the arguments of the call were erased'));
    const fault = refusalOf(facts.operation, reevaluated, { cause: CAUSES[replaced], code: 'approval.stale' });
    if (fault !== null) return await this.#end(facts, fault);
    if (!(await this.#reevaluation.resolvesToSamePaths(facts.operation, reevaluated)))
      return await this.#end(facts, outcomeFault('workspace.conflict'));
    const verdict = await this.#replace(facts.operation, reevaluated, RULES[replaced]);
    if (verdict === 'replaced') return 'replaced';
    if (verdict === 'token.revoked' || verdict === 'token.expired')
      return await this.#end(facts, outcomeFault(verdict));
    return verdict === 'frozen' && facts.frozen !== null ? await this.#end(facts, frozenFault(facts.frozen)) : null;
  }

  /** What the call is bound to and this version doesn't have; null where it has all of it. */
  async #replacedSince({
    tenant_id: tenant,
    image_digest,
    tool_id,
    tool_definition_digest,
  }: OperationRow): Promise<Replaced | null> {
    if ((DIGESTS.get(tool_id) ?? tool_definition_digest) !== tool_definition_digest) return 'tool';
    if (image_digest === null || this.#images.includes(image_digest)) return null;
    // A tenant's image is none of the deployment's, and no update of the deployment replaces it.
    return (await kernelSql.isRegisteredImage(this.#parts.tenants.pool, { tenant, digest: image_digest }))
      ? null
      : 'image';
  }

  async #replace(operation: OperationRow, anew: Reevaluated, rule: string): Promise<ReplacedVerdict['verdict']> {
    const { tenant_id, operation_id, attempt, decision_record_id } = operation;
    const { record, columns } = this.#reevaluation.decisionOf(operation, anew, rule);
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
      kernelSql.replaceDecision(this.#parts.tenants.pool, { p: order, payload: record.payload, sig: record.sig }),
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

/**
 * Whether executors have left the call often enough: the condition of the statement that found it. Another sweep may
 * have decided the call since, and its decision then holds as long as any.
 */
const isLeft = ({ state, attempt, reruns }: OperationRow): boolean =>
  (state === 'admitted' || state === 'dispatched') && attempt - (state === 'dispatched' ? 1 : 0) >= 2 ** reruns;
