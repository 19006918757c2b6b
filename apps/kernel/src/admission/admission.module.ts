// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { provideValue } from '@writ/nest-kit';
import { TENANT_DEFAULTS } from '@writ/contract';
import type { KernelConfig } from '../config.env.ts';
import type { BelowExecution, Execution } from '../execution/execution.module.ts';
import { PgValueStore, SessionValues } from '../execution/values/index.ts';
import type { Task } from '../foundation/process/task.ts';
import {
  Admit,
  AdmitController,
  admissionStatements,
  Decisions,
  ConcurrencyLimiter,
  type FactMemory,
} from './admit/index.ts';
import { Cancel, CancelController } from './cancel/index.ts';
import {
  Approvals,
  CastVote,
  Decide,
  DecideController,
  Edit,
  EffectApproval,
  SupplyValue,
  PreviewAgain,
  HeldReevaluation,
} from './decide/index.ts';
import { ExpireHeld } from './expire/index.ts';
import { Resolve, ResolveController } from './resolve/index.ts';

/** What decides about calls: when they are proposed, when a person decides, and when somebody ends them. */
export type Admission = ReturnType<typeof admissionOf>;

/** @param memory what is remembered of the facts that admissions are decided on */
export function admissionOf(config: KernelConfig, below: BelowExecution & Execution, memory: FactMemory) {
  const { tenants, workers, blobs, vault, sealer, images, judge, announcer, held, endings, views } = below;
  const sources = { ...below, memory };
  const again = new PreviewAgain(sources, announcer);
  const votes = new CastVote(tenants, held, announcer);
  const readmission = new HeldReevaluation(sources, judge, held, votes, announcer);
  const decisions = new Decisions(admissionStatements(tenants), sealer, vault, images, below.assign);
  const admit = new Admit(sources, judge, decisions, { ...below, assigner: below.assign });
  const { effects, landing } = below;
  const effectApproval = new EffectApproval(sources, judge, held, { effects, landing, endings, again, votes });
  const values = { box: below.box, values: new SessionValues(tenants, vault), store: new PgValueStore(tenants, vault) };
  return {
    admit,
    places: new ConcurrencyLimiter({
      places: config.WRIT_PLACES,
      shared: config.WRIT_PLACES_SHARED,
      now: () => performance.now(),
      weightOf: (tenantId) => below.limits.of(tenantId)?.weight ?? TENANT_DEFAULTS.weight,
    }),
    edit: new Edit(held, async (call) => await admit.answer(await admit.decide(call, null, 0))),
    give: new SupplyValue(sources, held, readmission, views, values),
    decide: new Decide(tenants, held, { votes, readmission, effects: effectApproval }, views),
    approvals: new Approvals(tenants, vault, blobs, below.args),
    cancel: new Cancel(tenants, sealer, held, endings, announcer, views),
    expire: new ExpireHeld(workers, held),
    resolve: new Resolve(tenants, sealer, announcer, views),
  };
}

export const admissionTasks = ({ WRIT_SWEEP_MS }: KernelConfig, { expire }: Admission): readonly Task[] => [
  { everyMs: WRIT_SWEEP_MS, run: () => expire.run() },
];

@Module({})
export class AdmissionModule {
  /** @param execution the module that provides the monitor of operations */
  static with({ admit, places, decide, edit, give, approvals, cancel, resolve }: Admission, execution: DynamicModule) {
    return {
      module: AdmissionModule,
      imports: [execution],
      controllers: [AdmitController, DecideController, CancelController, ResolveController],
      providers: [admit, places, decide, edit, give, approvals, cancel, resolve].map((value) => provideValue(value)),
    } satisfies DynamicModule;
  }
}
