// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { provideValue } from '@writ/nest-kit';
import { TENANT_DEFAULTS } from '@writ/contract';
import type { KernelConfig } from '../config.env.ts';
import type { BelowExecution, Execution } from '../execution/execution.module.ts';
import { PgValueStore, SessionValues } from '../execution/values/index.ts';
import type { PeriodicTask } from '../foundation/periodic-task.ts';
import {
  Admit,
  AdmitController,
  admissionStatements,
  Decisions,
  ConcurrencyLimiter,
  type FactCache,
} from './admit/index.ts';
import { Cancel, CancelController } from './cancel/index.ts';
import {
  ApprovalQueue,
  ApprovalQueueController,
  Approvals,
  CastVote,
  DecideApproval,
  ApprovalsController,
  EditCall,
  EffectApproval,
  SupplyValue,
  PreviewAgain,
  HeldReevaluation,
  YourDecisions,
} from './approvals/index.ts';
import { ExpireHeld, WakeHeld } from './expire/index.ts';
import { Resolve, ResolveController } from './resolve/index.ts';

/**
 * The use cases that decide calls: at the proposal, when a person decides, and when a call is cancelled, expires or is
 * resolved.
 */
export type Admission = ReturnType<typeof admissionOf>;

/** @param memory caches the facts that admissions are decided on */
export function admissionOf(config: KernelConfig, dependencies: BelowExecution & Execution, memory: FactCache) {
  const { tenants, workers, blobs, vault, sealer, images, judge, announcer, held, outcomeWriter, views } = dependencies;
  const sources = { ...dependencies, memory };
  const previewAgain = new PreviewAgain(sources, announcer);
  const votes = new CastVote(tenants, held, announcer);
  const reevaluation = new HeldReevaluation(sources, judge, held, votes, announcer);
  const decisions = new Decisions(admissionStatements(tenants), sealer, vault, images, dependencies.assign);
  const admit = new Admit(sources, judge, decisions, { ...dependencies, assigner: dependencies.assign });
  const { effects, applier } = dependencies;
  const effectApproval = new EffectApproval(sources, judge, held, {
    effects,
    applier,
    outcomeWriter,
    previewAgain,
    votes,
  });
  const values = {
    cipher: dependencies.hpkeBox,
    values: new SessionValues(tenants, vault),
    store: new PgValueStore(tenants, vault),
  };
  return {
    admit,
    limiter: new ConcurrencyLimiter({
      places: config.WRIT_PLACES,
      shared: config.WRIT_PLACES_SHARED,
      now: () => performance.now(),
      weightOf: (tenantId) => dependencies.limits.of(tenantId)?.weight ?? TENANT_DEFAULTS.weight,
    }),
    edit: new EditCall(held, async (call) => await admit.answer(await admit.decide(call, null, 0))),
    supplyValue: new SupplyValue(sources, held, reevaluation, views, values),
    decide: new DecideApproval(tenants, held, { votes, reevaluation, effectApproval, content: sources }, views),
    approvals: new Approvals(tenants, vault, blobs, dependencies.args),
    queue: new ApprovalQueue(tenants),
    yours: new YourDecisions(sources, held),
    cancel: new Cancel(tenants, sealer, held, outcomeWriter, announcer, views),
    expire: new ExpireHeld(workers, held),
    wake: new WakeHeld(workers, tenants, held, announcer),
    resolve: new Resolve(tenants, sealer, announcer, views),
  };
}

export const admissionTasks = (
  { WRIT_SWEEP_MS }: KernelConfig,
  { expire, wake }: Admission,
): readonly PeriodicTask[] => [
  { everyMs: WRIT_SWEEP_MS, run: () => expire.run() },
  { everyMs: WRIT_SWEEP_MS, run: () => wake.run() },
];

@Module({})
export class AdmissionModule {
  /** @param execution the module that provides the monitor of operations */
  static with(
    { admit, limiter, decide, edit, supplyValue, approvals, queue, yours, cancel, resolve }: Admission,
    execution: DynamicModule,
  ) {
    return {
      module: AdmissionModule,
      imports: [execution],
      controllers: [AdmitController, ApprovalsController, ApprovalQueueController, CancelController, ResolveController],
      providers: [admit, limiter, decide, edit, supplyValue, approvals, queue, yours, cancel, resolve].map((value) =>
        provideValue(value),
      ),
    } satisfies DynamicModule;
  }
}
