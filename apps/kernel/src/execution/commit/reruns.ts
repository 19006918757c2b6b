// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Budgets, type ReportRequest } from '@writ/contract';
import type { Announcer } from '../announcements/index.ts';
import { readAttemptFacts, type AttemptFacts } from '../attempts/index.ts';
import type { OutcomeFault } from '../outcomes/index.ts';
import { sameRules } from '../../judging/judgement/index.ts';
import { refusalOf, type Reevaluated, type Reevaluation } from '../reevaluation/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { unlessToolChanged } from '../../foundation/database/kernel-errors.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { EndVerdict } from '../../foundation/rows/attempt-rows.ts';
import type { RerunVerdict } from '../../foundation/database/functions/attempts.ts';

/** The rule that a decision's record names where the call was decided before and runs again. */
const RULE = 'workspace.rerun';

/**
 * Sends inline calls back to the queue if another call changed their files while they ran. Their tools are functions of
 * a snapshot: running one again on the newest has the effect of a call that came later. The statement that sends a call
 * back asserts the rules that it was judged under. If links of the newer tree resolve its paths to other files than
 * before, it doesn't run again.
 */
export class Reruns {
  readonly #tenants: TenantPool;
  readonly #announcer: Announcer;
  readonly #reevaluation: Reevaluation;

  constructor(tenants: TenantPool, announcer: Announcer, reevaluation: Reevaluation) {
    this.#tenants = tenants;
    this.#announcer = announcer;
    this.#reevaluation = reevaluation;
  }

  /**
   * The new verdict on the attempt; a fault where the call may not run again by now; null where it isn't run again and
   * ends with the conflict. `used` is the usage of the attempt and of those before it.
   */
  async tryRerun(
    { operation, rules }: AttemptFacts,
    report: ReportRequest,
    used: Budgets,
  ): Promise<EndVerdict | OutcomeFault | null> {
    // Once something outside may have happened, the call is never retried.
    if (operation.lane !== 'inline' || operation.effect_started || operation.reruns >= LIMITS.reruns.max) return null;
    // The head of the conflict may be old by now, and another conflict would be certain there.
    const facts = await readAttemptFacts(this.#tenants, report);
    if (facts.operation.deadline !== null && facts.operation.deadline <= facts.now) return null;
    const reevaluated = await this.#reevaluation.evaluate(facts);
    if (reevaluated === null) return null;
    // A refusal is written with the rules that the report was checked under.
    if (!sameRules(rules, reevaluated.facts.rules)) return { verdict: 'again' };
    const fault = refusalOf(facts.operation, reevaluated, {
      cause: 'others changed the same files',
      code: 'workspace.conflict',
    });
    if (fault !== null) return fault;
    if (!(await this.#reevaluation.resolvesToSamePaths(facts.operation, reevaluated))) return null;
    const verdict = await this.#write(facts.operation, reevaluated, report, used);
    return verdict?.verdict === 'rerun'
      ? { verdict: 'settled', state: verdict.operation.state, tx_outcome: null }
      : verdict;
  }

  /** Null where the tool was changed since it was judged: the call isn't run again. */
  async #write(
    operation: OperationRow,
    anew: Reevaluated,
    { attempt, executor_id, nonce }: ReportRequest,
    spent: Budgets,
  ): Promise<RerunVerdict | null> {
    const { record, columns } = this.#reevaluation.decisionOf(operation, anew, RULE);
    const order = {
      tenant_id: operation.tenant_id,
      operation_id: operation.operation_id,
      seen: { attempt, executor_id, nonce, reruns: operation.reruns },
      decided: columns,
      rules: { ...anew.facts.rules, history: null },
      labels: anew.judgement.labels,
      spent,
      record: { record_id: record.record_id, keyid: record.keyid, digest: record.digest },
    };
    const verdict = await unlessToolChanged(
      kernelSql.runAgain(this.#tenants.pool, { p: order, payload: record.payload, sig: record.sig }),
    );
    if (verdict?.verdict === 'rerun') this.#announcer.announce(verdict.operation, [record]);
    return verdict;
  }
}
