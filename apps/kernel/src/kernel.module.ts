// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { Lifetime, Repeated, type ProcessContext } from '@writ/nest-kit';
import { watchPool, TaskRunner } from '@writ/worker-pool';
import { AdmissionModule, admissionOf, admissionTasks } from './admission/admission.module.ts';
import { FactCache } from './admission/admit/index.ts';
import type { KernelConfig } from './config.env.ts';
import { EvidenceModule, evidenceOf, evidenceTasks } from './evidence/evidence.module.ts';
import { ExecutionModule, executionOf, executionTasks } from './execution/execution.module.ts';
import { FoundationModule, foundationOf, foundationTasks } from './foundation/foundation.module.ts';
import { judgingOf } from './judging/judging.module.ts';
import type { PolicyEngine } from './judging/policies/index.ts';
import type { PolicySets } from './judging/policies/policy-sets.ts';
import type { KernelTasks } from './kernel.worker.ts';
import { ManagementModule, managementOf } from './management/management.module.ts';

/**
 * The kernel: six modules, each made of those before it. Judging serves no message, so Nest doesn't see it.
 *
 * foundation (database, tenants, workspaces) < evidence (records, keys, contents) < judging (whether a call may run) <
 * execution (the run of an admitted call) < admission (decisions about calls) < management
 */
@Module({})
export class KernelModule {
  /** @param policiesOverride replaces the tenants' own policies, for specs */
  static with(
    config: KernelConfig,
    process: ProcessContext,
    engine: PolicyEngine,
    work: TaskRunner<KernelTasks>,
    policiesOverride?: PolicySets,
  ): DynamicModule {
    watchPool(process.telemetry.meter, work);
    const memory = new FactCache(() => performance.now());
    const foundation = foundationOf(config, process);
    const evidence = evidenceOf(config, process, foundation);
    const below = { ...foundation, ...evidence, ...judgingOf(foundation, evidence, engine, policiesOverride) };
    const execution = executionOf(config, process, below, memory, work);
    const admission = admissionOf(config, { ...below, ...execution }, memory);
    const management = managementOf(config, process, { ...below, ...execution }, work);

    const tasks = [
      ...foundationTasks(foundation),
      ...evidenceTasks(config, foundation, evidence),
      ...executionTasks(config, foundation, execution),
      ...admissionTasks(config, admission),
      ...management.tasks,
    ].map(({ everyMs, run }) => new Repeated(run, everyMs, foundation.report));
    const lifetime = new Lifetime({
      workers: [execution.dispatcher, evidence.keys.follow(process), ...tasks],
      close: async () => {
        await execution.assign.settled();
        await evidence.outbox.idle();
        await work.close();
        await foundation.tenancy.close();
        await Promise.all([foundation.tenants.pool.end(), foundation.workers.pool.end()]);
      },
    });

    const [foundationModule, executionModule] = [FoundationModule.with(foundation), ExecutionModule.with(execution)];
    return {
      module: KernelModule,
      imports: [
        foundationModule,
        EvidenceModule.with(foundation, evidence),
        executionModule,
        AdmissionModule.with(admission, executionModule),
        ManagementModule.with(management, foundationModule),
      ],
      providers: [
        { provide: TaskRunner, useValue: work },
        { provide: Lifetime, useFactory: () => lifetime },
      ],
    };
  }
}
