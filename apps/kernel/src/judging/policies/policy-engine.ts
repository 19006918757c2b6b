// SPDX-License-Identifier: Apache-2.0
import {
  compilePolicySet,
  DEFAULT_POLICY,
  OBSERVE_POLICY,
  policySetOf,
  PolicySetError,
  STRICT_POLICY,
  type PolicySet,
} from '@writ/policy';
import type { Work } from '@writ/worker-pool';
import type { JudgingTasks } from '../worker-tasks.ts';
import type { ActivePolicy } from './policy-sets.ts';
import { CallReader } from './call-reader.ts';
import { cedarPolicy } from './cedar-policy.ts';
import type { PolicySent } from './check-policy.ts';
import { shellGrammar } from './shell-grammar.ts';

/**
 * What checking a set may take in a thread, and wait for one, in milliseconds: the largest takes a second, on a busy
 * processor several. The API waits ten for the answer: what it doesn't wait for would be done for nobody.
 */
const [CHECK_WALL_MS, CHECK_WAIT_MS] = [7_000, 2_500];

/** A set that was compiled, as it is looked at and as it is asked. */
export interface ReadyPolicy {
  readonly set: PolicySet;
  readonly active: ActivePolicy;
}

/** What policy sets are made ready with, and those that are shipped. */
export class PolicyEngine {
  readonly reader: CallReader;
  /** where work of the engine runs that would hold up the event loop */
  readonly work: Work<JudgingTasks>;
  /** by name: every tenant has them */
  readonly shipped: ReadonlyMap<string, ReadyPolicy>;
  /** what a tenant has that has activated none */
  readonly standard: ReadyPolicy;

  constructor(reader: CallReader, work: Work<JudgingTasks>) {
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
   * @throws PolicySetError with everything that is wrong, Fault `limit.exceeded`, `overloaded`
   */
  async compile(tenantId: string, { document, tools }: PolicySent): Promise<PolicySet> {
    // Tools have functions, which no thread can be sent.
    const sent = { document, tools: tools.map(({ tool_id, category }) => ({ tool_id, category })) };
    const answer = await this.work.run('policy.check', sent, {
      tenantId,
      wallMs: CHECK_WALL_MS,
      waitMs: CHECK_WAIT_MS,
    });
    if (!answer.ok) throw new PolicySetError(answer.problems);
    return policySetOf(answer.checked);
  }

  ready(set: PolicySet): ReadyPolicy {
    return { set, active: cedarPolicy(set, this.reader) };
  }
}

/**
 * Loads the shell grammar and compiles the shipped sets. Rejects where either can't be had: a kernel without a policy
 * doesn't start.
 */
export async function loadPolicyEngine(work: Work<JudgingTasks>): Promise<PolicyEngine> {
  return new PolicyEngine(new CallReader(await shellGrammar(), work), work);
}
