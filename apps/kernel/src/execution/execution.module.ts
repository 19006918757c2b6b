// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { provideValue, type ProcessContext } from '@writ/nest-kit';
import { FairTurns } from '@writ/fairness';
import type { TaskRunner } from '@writ/worker-pool';
import type { KernelConfig } from '../config.env.ts';
import type { Evidence } from '../evidence/evidence.module.ts';
import type { Foundation } from '../foundation/foundation.module.ts';
import type { PeriodicTask } from '../foundation/periodic-task.ts';
import { ownImages, type Images } from '../judging/judgement/index.ts';
import type { Judging } from '../judging/judging.module.ts';
import { AgentChanges } from './agents/index.ts';
import { Announcer, BusEvents, Outcomes, OutcomesController, type HeadListener } from './announcements/index.ts';
import { AttemptMemory } from './attempts/index.ts';
import {
  CallChanges,
  Commit,
  CommitController,
  HoldEffect,
  KeepOutput,
  PreviewReports,
  Reruns,
} from './commit/index.ts';
import { Assign } from './direct-dispatch/index.ts';
import { Dispatcher, PermitIssuer, PreviewDispatcher, Slots, SlotsController, withinTrace } from './dispatch/index.ts';
import { EffectCheck, EffectExaminer, EffectApplier, LARGE_READINGS, ReportReader } from './effects/index.ts';
import { FunctionCalls, FunctionCallsController } from './function-calls/index.ts';
import { HeldCalls, Previews } from './held/index.ts';
import { OperationViews } from './operation-views/operation-views.ts';
import { OutcomeWriter } from './outcomes/index.ts';
import { McpPrograms, McpProgramsController } from './programs/index.ts';
import { Redeem, RedeemController } from './redeem/index.ts';
import { Reevaluation } from './reevaluation/index.ts';
import { Renew, RenewController } from './renew/index.ts';
import { ShellRegistry, ShellsController } from './shells/index.ts';
import {
  VersionSweeper,
  OutputSweeper,
  PreviewSweeper,
  Release,
  ReleaseController,
  Sweeper,
  ValueSweeper,
} from './sweep/index.ts';
import { watchBacklog, watchSlots } from './telemetry/gauges.ts';
import { OperationMonitor } from './telemetry/operation-monitor.ts';
import type { ExecutionTasks } from './worker-tasks.ts';

/** The time between two looks for previews that wait: a person waits for them, but not for milliseconds. */
const PREVIEW_MS = 250;
/** Admissions that wait here for the end of their call; half of those that one replica decides at once. */
const WAITERS_MAX = 128;

/** The parts that run an admitted call until its outcome is recorded. */
export type Execution = ReturnType<typeof executionOf>;

/** The dependencies of execution: the modules before it. */
export interface BelowExecution extends Foundation, Evidence, Judging {}

/**
 * @param heads is notified of each head that moved
 * @param work the worker threads that read effects
 */
export function executionOf(
  config: KernelConfig,
  process: ProcessContext,
  below: BelowExecution,
  heads: HeadListener,
  work: TaskRunner<ExecutionTasks>,
) {
  const { tenants, workers, blobs, trees, vault, sealer, keys, judge } = below;
  const images: Images = { sandbox: config.WRIT_SANDBOX_IMAGE_DIGEST, others: config.sandboxImages };
  const { permits, issuing, permitIssuer, slots, dispatcher } = dispatchingOf(config, process, below, images);
  const outcomeParts = outcomePartsOf(process, below, dispatcher, heads);
  const { monitor, announcer, outcomeWriter } = outcomeParts;
  const changes = changesOf(below, outcomeParts, dispatcher);
  const { largeReadings, effects, applier } = effectsOf(below, work);
  const reevaluation = new Reevaluation({ ...below, images }, judge);
  const sweeper = new Sweeper(workers, tenants, outcomeWriter, dispatcher);
  const release = new Release(tenants, sweeper, dispatcher);
  const lease = { leaseMs: config.WRIT_LEASE_MS };
  const memory = new AttemptMemory(() => performance.now());
  const redeemOptions = { ...lease, verifiers: keys.permitVerifiers, args: below.args, monitor };
  const redeem = new Redeem(tenants, vault, outcomeWriter, memory, trees, redeemOptions);
  const holds = new HoldEffect(blobs, vault, sealer, outcomeWriter);
  const reruns = new Reruns(tenants, announcer, reevaluation);
  const renew = new Renew(tenants, vault, lease);
  const commit = new Commit(tenants, blobs, { effects, applier, holds, reruns, changes }, outcomeWriter, memory);
  return {
    images,
    largeReadings,
    ...outcomeParts,
    dispatcher,
    slots,
    effects,
    applier,
    held: new HeldCalls(tenants, sealer, announcer, monitor),
    views: new OperationViews(tenants, vault, below.logPositions),
    assign: new Assign(dispatcher, permitIssuer, redeem, release, { ...permits, ...lease }),
    previewDispatcher: new PreviewDispatcher(workers, permitIssuer, slots, permits),
    ...previewEndsOf(below, effects, announcer),
    redeem,
    release,
    renew,
    ...betweenCallsOf(tenants),
    commit,
    functionCalls: new FunctionCalls(tenants, outcomeWriter, renew, commit, { ...redeemOptions, ...issuing, work }),
    keepOutput: new KeepOutput(tenants, blobs, config.WRIT_OUTPUT_KEPT_MS),
    sweeper,
    versionSweeper: new VersionSweeper({ ...below, images, outcomeWriter, announcer }, reevaluation),
  };
}

/** What ends previews: their reports, and the sweep of those that got none. */
const previewEndsOf = (
  { tenants, workers, blobs, vault, sealer }: BelowExecution,
  effects: EffectCheck,
  announcer: Announcer,
) => {
  const previews = new Previews(tenants, sealer, announcer);
  return {
    previewReports: new PreviewReports(tenants, blobs, vault, effects, previews),
    previewSweeper: new PreviewSweeper(workers, tenants, previews),
  };
};

/** What executors keep between calls. */
const betweenCallsOf = (tenants: Foundation['tenants']) => ({
  shells: new ShellRegistry(tenants),
  programs: new McpPrograms(tenants),
});

/** What calls change besides workspaces: sessions, tasks and agents. */
function changesOf(below: BelowExecution, outcomeParts: ReturnType<typeof outcomePartsOf>, wakeUp: Dispatcher) {
  const agents = new AgentChanges({ ...below, ...outcomeParts, wakeUp, failed: below.report });
  return new CallChanges(below.tenants, below.args, agents);
}

/** The parts that dispatch admitted calls to executors. */
function dispatchingOf(
  config: KernelConfig,
  { telemetry }: ProcessContext,
  { bus, subjects, keys, workers, report }: BelowExecution,
  images: Images,
) {
  const permitIssuer = new PermitIssuer(keys.permit, bus, subjects, withinTrace, ownImages(images));
  const slots = new Slots(() => performance.now());
  watchSlots(telemetry.meter, slots);
  watchBacklog(telemetry.meter, workers);
  const permits = { permitTtlMs: config.WRIT_PERMIT_TTL_MS, report, now: () => performance.now() };
  const issuing = { permitTtlMs: permits.permitTtlMs, signer: keys.permit };
  return { permits, issuing, permitIssuer, slots, dispatcher: new Dispatcher(workers, permitIssuer, slots, permits) };
}

/** The parts that end calls, and notify callers that wait for an outcome. */
function outcomePartsOf(
  { telemetry, logger }: ProcessContext,
  { bus, subjects, report, outbox, tenants, vault, sealer }: BelowExecution,
  dispatcher: Dispatcher,
  heads: HeadListener,
) {
  const monitor = new OperationMonitor(telemetry.meter, logger);
  const outcomes = new Outcomes(WAITERS_MAX);
  const events = new BusEvents(bus, subjects, report);
  const announcer = new Announcer(outbox, dispatcher, events, heads);
  const outcomeWriter = new OutcomeWriter(tenants, vault, sealer, announcer, outcomes, monitor);
  return { monitor, outcomes, events, announcer, outcomeWriter };
}

/** The parts that read, check and apply effects. */
function effectsOf(below: BelowExecution, work: TaskRunner<ExecutionTasks>) {
  const { blobs, tenants, trees, sizes, report } = below;
  const largeReadings = new FairTurns(LARGE_READINGS, () => performance.now());
  const effects = new EffectCheck({
    ...below,
    failed: report,
    examiner: new EffectExaminer(blobs, tenants, work, { large: largeReadings }),
    reader: new ReportReader(blobs, work),
  });
  return { largeReadings, effects, applier: new EffectApplier(tenants, blobs, trees, sizes, report) };
}

export function executionTasks(
  { WRIT_SWEEP_MS }: KernelConfig,
  { workers }: Foundation,
  { versionSweeper, monitor, previewDispatcher, previewSweeper, sweeper }: Execution,
): readonly PeriodicTask[] {
  const values = new ValueSweeper(workers);
  const outputs = new OutputSweeper(workers);
  const sweeps = [
    async () => monitor.requeued(await sweeper.sweep()),
    () => Promise.all([versionSweeper.sweep(), previewSweeper.sweep()]),
    () => values.sweep(),
    () => outputs.sweep(),
  ];
  return [
    { everyMs: PREVIEW_MS, run: () => previewDispatcher.run() },
    ...sweeps.map((run) => ({ everyMs: WRIT_SWEEP_MS, run })),
  ];
}

@Module({})
export class ExecutionModule {
  static with(execution: Execution): DynamicModule {
    const { commit, dispatcher, keepOutput, monitor, outcomes, previewReports } = execution;
    const { functionCalls, programs, redeem, release, renew, shells, views } = execution;
    const providers = [
      ...[commit, dispatcher, keepOutput, monitor, outcomes, previewReports],
      ...[functionCalls, programs, redeem, release, renew, shells, views],
    ].map((value) => provideValue(value));
    return {
      module: ExecutionModule,
      controllers: [
        RedeemController,
        RenewController,
        CommitController,
        SlotsController,
        OutcomesController,
        ShellsController,
        McpProgramsController,
        ReleaseController,
        FunctionCallsController,
      ],
      providers,
      exports: providers,
    };
  }
}
