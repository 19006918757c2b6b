// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import {
  compilePolicySet,
  DEFAULT_POLICY,
  OBSERVE_POLICY,
  pendingCheck,
  policySetOf,
  PolicySetError,
  STRICT_POLICY,
  type PendingCheck,
  type PolicyRequest,
  type PolicySet,
} from '@writ/policy';
import type { TaskRunner } from '@writ/worker-pool';
import type { JudgingTasks } from '../worker-tasks.ts';
import type { ActivePolicy } from './policy-sets.ts';
import { CallReader } from './call-reader.ts';
import { cedarPolicy } from './cedar-policy.ts';
import type { ProposedPolicy } from './check-policy.ts';
import { shellGrammar } from './shell-grammar.ts';

/**
 * The bounds on checking a set in a thread, and on waiting for a thread, in milliseconds. The largest set takes a
 * second, on a busy processor several. The API waits ten seconds for the answer: a longer check would be wasted.
 */
const [CHECK_WALL_MS, CHECK_WAIT_MS] = [7_000, 2_500];

/** A compiled set, as a document and ready to be evaluated. */
export interface ReadyPolicy {
  readonly set: PolicySet;
  readonly active: ActivePolicy;
}

/** Compiles policy sets, and has those that are shipped. */
export class PolicyEngine {
  readonly reader: CallReader;
  /** runs work of the engine that would hold up the event loop */
  readonly work: TaskRunner<JudgingTasks>;
  /** by name: every tenant has them */
  readonly shipped: ReadonlyMap<string, ReadyPolicy>;
  /** the set of a tenant that has activated none */
  readonly standard: ReadyPolicy;
  /** checks of rules against definitions that are under way: a second call of the tool waits for the same one */
  readonly #checks = new Map<string, Promise<void>>();

  constructor(reader: CallReader, work: TaskRunner<JudgingTasks>) {
    this.reader = reader;
    this.work = work;
    this.standard = this.ready(compilePolicySet(DEFAULT_POLICY));
    this.shipped = new Map([
      ['default', this.standard],
      ...[STRICT_POLICY, OBSERVE_POLICY].map((source): [string, ReadyPolicy] => [
        source.name,
        this.ready(compilePolicySet(source)),
      ]),
    ]);
  }

  /**
   * Reads and checks a set of the tenant's in a worker thread.
   * @throws PolicySetError with all problems, Fault `limit.exceeded`, `overloaded`
   */
  async compile(tenantId: string, proposed: ProposedPolicy): Promise<PolicySet> {
    const answer = await this.work.run('policy.check', proposed, {
      tenantId,
      wallMs: CHECK_WALL_MS,
      waitMs: CHECK_WAIT_MS,
    });
    if (!answer.ok) throw new PolicySetError(answer.problems);
    return policySetOf(answer.checked);
  }

  ready(set: PolicySet): ReadyPolicy {
    return { set, active: cedarPolicy(set, this.reader, (tenantId, ask) => this.#fit(tenantId, set, ask)) };
  }

  /**
   * Checks the rules on arguments against the tool's definition in a worker thread, once for each set and definition.
   * @throws Fault `overloaded`
   */
  async #fit(tenantId: string, set: PolicySet, ask: PolicyRequest): Promise<void> {
    const pending = pendingCheck(set.sliceFor, ask);
    if (pending === null) return;
    const key = `${set.policy_hash} ${pending.key}`;
    const running = this.#checks.get(key) ?? this.#check(tenantId, pending).finally(() => this.#checks.delete(key));
    this.#checks.set(key, running);
    await running;
  }

  async #check(tenantId: string, { check, remember }: PendingCheck): Promise<void> {
    try {
      remember(await this.work.run('policy.fit', check, { tenantId, wallMs: CHECK_WALL_MS, waitMs: CHECK_WAIT_MS }));
    } catch (cause) {
      // The rules passed such a check when they were stored, so the machine is busy now.
      if (!(cause instanceof Fault) || cause.code !== 'limit.exceeded') throw cause;
      throw new Fault('overloaded', 'the rules of the policy could not be checked in time: try again later', { cause });
    }
  }
}

/**
 * Loads the shell grammar and compiles the shipped sets. Rejects where either fails: a kernel without a policy doesn't
 * start.
 */
export async function loadPolicyEngine(work: TaskRunner<JudgingTasks>): Promise<PolicyEngine> {
  return new PolicyEngine(new CallReader(await shellGrammar(), work), work);
}
