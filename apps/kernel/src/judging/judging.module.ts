// SPDX-License-Identifier: Apache-2.0
import type { Work } from '@writ/worker-pool';
import type { Evidence } from '../evidence/evidence.module.ts';
import type { Foundation } from '../foundation/foundation.module.ts';
import { ArgumentsReader, Judge, ToolReader } from './judgement/index.ts';
import { PolicyRepository, StoredPolicySets, type PolicyEngine } from './policies/index.ts';
import type { PolicySets } from './policies/policy-sets.ts';
import type { JudgingTasks } from './worker-tasks.ts';

/** What says whether a call may run. It answers no message: the modules above ask it. */
export interface Judging {
  readonly engine: PolicyEngine;
  readonly policies: PolicySets;
  readonly stored: StoredPolicySets;
  readonly shelf: PolicyRepository;
  readonly args: ArgumentsReader;
  readonly tools: ToolReader;
  readonly judge: Judge;
}

/** @param instead judges in the place of the tenants' own policies, for specs */
export function judgingOf(
  { blobs, report, tenancy, tenants, trees }: Foundation,
  { vault }: Evidence,
  engine: PolicyEngine,
  instead?: PolicySets,
): Judging {
  const work: Work<JudgingTasks> = engine.work;
  const stored = new StoredPolicySets(engine, tenants);
  const policies = instead ?? stored;
  const tools = new ToolReader(work);
  return {
    engine,
    policies,
    stored,
    shelf: new PolicyRepository(engine, stored, tenancy),
    args: new ArgumentsReader({ blobs, vault, work }),
    tools,
    judge: new Judge(policies, trees, { tools, failed: report }),
  };
}
