// SPDX-License-Identifier: Apache-2.0
import type { TaskRunner } from '@writ/worker-pool';
import type { Evidence } from '../evidence/evidence.module.ts';
import type { Foundation } from '../foundation/foundation.module.ts';
import { ArgumentsReader, Judge, ToolReader } from './judgement/index.ts';
import { PolicyRepository, StoredPolicySets, type PolicyEngine } from './policies/index.ts';
import type { PolicySets } from './policies/policy-sets.ts';
import type { JudgingTasks } from './worker-tasks.ts';

/** Decides whether a call may run. It serves no message: the modules above call it. */
export interface Judging {
  readonly engine: PolicyEngine;
  readonly policies: PolicySets;
  readonly stored: StoredPolicySets;
  readonly policyRepository: PolicyRepository;
  readonly args: ArgumentsReader;
  readonly tools: ToolReader;
  readonly judge: Judge;
}

/** @param policiesOverride replaces the tenants' own policies, for specs */
export function judgingOf(
  { blobs, report, tenancy, tenants, trees }: Foundation,
  { vault }: Evidence,
  engine: PolicyEngine,
  policiesOverride?: PolicySets,
): Judging {
  const work: TaskRunner<JudgingTasks> = engine.work;
  const stored = new StoredPolicySets(engine, tenants);
  const policies = policiesOverride ?? stored;
  const tools = new ToolReader(work);
  return {
    engine,
    policies,
    stored,
    policyRepository: new PolicyRepository(engine, stored, tenancy),
    args: new ArgumentsReader({ blobs, vault, work }),
    tools,
    judge: new Judge(policies, trees, { tools, failed: report }),
  };
}
