// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { cachedBlobs } from '@writ/blobs';
import { pgBlobs, pgBlobSweep } from '@writ/blobs-pg';
import { subjectsOf, TENANT_DEFAULTS, type PeekEvent, type TenantLimits } from '@writ/contract';
import { createPool, refreshStatistics, STATISTICS_MS, verifyDurability } from '@writ/database';
import { ChangedLimits } from '@writ/fairness';
import { Lifetime, Repeated, type Given } from '@writ/nest-kit';
import { knownKeys, HpkeBox } from '@writ/sealing';
import { ConnectionWatch } from '@writ/telemetry';
import { watchPool, Work } from '@writ/worker-pool';
import { Admit, AdmitController, admissionStatements, Decisions, FactMemory, Places } from './admission/admit/index.ts';
import { Agents, AgentsController } from './management/agents/index.ts';
import { ApiKeysController, EndCalls, RevokeKey } from './management/api-keys/index.ts';
import { Announcer, BusEvents, Outcomes, OutcomesController } from './execution/announcements/index.ts';
import { Cancel, CancelController } from './admission/cancel/index.ts';
import { ApplyTools, ListTools, SearchProviders, ToolsController } from './management/tools/index.ts';
import { Changes, ChangesController, RecordChange } from './evidence/changes/index.ts';
import { Collect, Names } from './management/garbage-collection/index.ts';
import { Assign } from './execution/direct-dispatch/index.ts';
import { AttemptMemory } from './execution/attempts/index.ts';
import { Commit, CommitController, HoldEffect, KeepOutput, PreviewReports, Reruns } from './execution/commit/index.ts';
import type { KernelConfig } from './config.env.ts';
import type { KernelTasks } from './kernel.worker.ts';
import {
  Containers,
  ContainersController,
  KillContainer,
  Peek,
  PeekedController,
} from './management/containers/index.ts';
import {
  Approvals,
  CastVote,
  Decide,
  DecideController,
  Edit,
  EffectApproval,
  Give,
  PreviewAgain,
  Readmission,
} from './admission/decide/index.ts';
import { Delegations, DelegationsController } from './management/delegations/index.ts';
import {
  Dispatcher,
  PermitDesk,
  PreviewDispatcher,
  Slots,
  SlotsController,
  withinTrace,
} from './execution/dispatch/index.ts';
import {
  EffectCheck,
  EffectExaminer,
  FairTurns,
  Landing,
  LARGE_READINGS,
  ReportReader,
  StoredDeltas,
} from './execution/effects/index.ts';
import { Endings } from './execution/outcomes/index.ts';
import {
  BeginErasure,
  EraseBatches,
  ErasedTexts,
  Erasures,
  ErasuresController,
  RetainContents,
  RetentionRules,
} from './evidence/erasures/index.ts';
import { ExpireHeld } from './admission/expire/index.ts';
import { Freezes, FreezesController, LiftFreeze, PlaceFreeze } from './management/freezes/index.ts';
import { HeldCalls, Previews } from './execution/held/index.ts';
import { ArgumentsReader, Judge, ToolReader } from './judging/judgement/index.ts';
import { RecordKeys } from './evidence/signing-keys/index.ts';
import { OutboxSender, ReceiptBook } from './evidence/outbox/index.ts';
import { Notices, NoticesController } from './management/notices/index.ts';
import {
  ListOperations,
  OperationsController,
  ReadOperation,
  ReadOutput,
  ReadRequests,
  ReadResult,
} from './management/operations/index.ts';
import { TenantVault } from './evidence/payload/index.ts';
import { PolicyShelf, StoredPolicySets, type PolicyEngine } from './judging/policies/index.ts';
import { ActivatePolicy, PoliciesController, PutPolicy, ShowPolicies } from './management/policy-sets/index.ts';
import type { Bell } from './execution/announcements/bell.ts';
import type { PolicySets } from './judging/policies/policy-sets.ts';
import { RecordSealer, SignedSeal } from './evidence/records/index.ts';
import { Redeem, RedeemController } from './execution/redeem/index.ts';
import { Reevaluation } from './execution/reevaluation/index.ts';
import { Renew, RenewController } from './execution/renew/index.ts';
import { Resolve, ResolveController } from './admission/resolve/index.ts';
import { KERNEL_CONNECTIONS, TenantPool, CrossTenantPool } from './foundation/database/pools.ts';
import { OperationViews } from './execution/operations/operation-views.ts';
import { Sizes } from './foundation/workspace/sizes.ts';
import { Trees } from './foundation/workspace/trees.ts';
import { WrappedKeyRows } from './evidence/payload/wrapped-key-rows.ts';
import { watchBacklog, watchSlots } from './execution/telemetry/gauges.ts';
import { KernelKeys } from './evidence/signing-keys/kernel-keys.ts';
import { OperationMonitor } from './execution/telemetry/operation-monitor.ts';
import { watchSender } from './evidence/outbox/sender-watch.ts';
import { Resources, ResourcesController } from './management/resources/index.ts';
import { Profiles, ProfilesController } from './management/profiles/index.ts';
import { ListSandboxes, RegisterSandbox, Registrars, SandboxesController } from './management/sandboxes/index.ts';
import { Secrets, SecretsController } from './management/secrets/index.ts';
import { ShellBook, ShellsController } from './execution/shells/index.ts';
import { Skills, SkillsController } from './management/skills/index.ts';
import {
  ImageSweeper,
  OutputSweeper,
  PreviewSweeper,
  Release,
  ReleaseController,
  Sweeper,
  ValueSweeper,
} from './execution/sweep/index.ts';
import { Tenancy } from './foundation/tenancy/index.ts';
import {
  CreateTenant,
  Limits,
  limitsSince,
  RewrapKeys,
  TenantsController,
  type Rewrapped,
} from './management/tenants/index.ts';
import {
  AttenuateToken,
  DrawTokens,
  IssueToken,
  ListForJob,
  RevokeToken,
  SpawnToken,
  Tokens,
  TokensController,
} from './management/tokens/index.ts';
import { BundlesController, SealBundle } from './evidence/bundles/index.ts';
import {
  BacktestPolicy,
  ExplainOperation,
  RecordedCalls,
  RecordedEffects,
  ReplayCalls,
  Simulate,
  WhatIfController,
} from './management/what-if/index.ts';
import { PgValueStore, SessionValues } from './execution/values/index.ts';
import {
  ChangeWorkspace,
  CreateWorkspace,
  HeadMoves,
  ImportWorkspace,
  LimitWorkspace,
  RestoreWorkspace,
  Workspaces,
  WorkspacesController,
} from './management/workspaces/index.ts';

/** Between two looks for previews that wait: a person waits for them, but not for milliseconds. */
const PREVIEW_MS = 250;
/** Admissions that wait here for the end of their call; half of those that one replica decides at once. */
const WAITERS_MAX = 128;
/** How often it is asked which tenants' limits were set, in milliseconds: what they take to count here. */
const LIMITS_MS = 500;
/**
 * How often it is asked whether a tenant's contents are to be looked through, in milliseconds: one of them each time.
 */
const COLLECT_LOOK_MS = 10_000;
/**
 * How often it is asked which tenants' keys are under another master key, in milliseconds: first so long after the
 * start.
 */
const REWRAP_MS = 60_000;
/**
 * How often it is asked what became of the keys of records, in milliseconds. It is answered from memory unless they
 * changed lately.
 */
const KEY_RECORDS_MS = 2_000;
/** How often records are looked for that another replica has left behind, in milliseconds. */
const RESEND_MS = 1_000;
/** How often erasures are looked for that are not done, and tenants whose contents may be over age, in milliseconds. */
const ERASE_MS = 1_000;
const RETAIN_LOOK_MS = 10_000;
/** Tree nodes and small files, most of them read at every call on a workspace. */
const BLOB_CACHE_BYTES = 64 * 1024 * 1024;
/** The same for a backtest: pages of two tenants, each of which goes through states that share most of their nodes. */
const PAST_CACHE_BYTES = 16 * 1024 * 1024;
/** Changes of past effects that backtests keep in memory: some 8 MB. */
const PAST_CHANGES_MAX = 20_000;
/** To worker threads and to large readings backtests of all tenants are one tenant, so they leave room to calls. */
const BACKTESTS = 'backtests';

/** with: what the process is given, and what everything stands on */
function stand(config: KernelConfig, { bus, logger, telemetry, readiness }: Given, work: Work<KernelTasks>) {
  const report = (error: unknown): void => logger.error({ err: error }, 'unexpected error');
  const connections = new ConnectionWatch(telemetry.meter);
  const poolOf = (name: string, url: string, max: number) => ({
    pool: connections.pool(name, (onWait) =>
      createPool({ url, applicationName: 'writ-kernel', max, onWait, onIdleError: report }),
    ),
  });
  const tenants: TenantPool = poolOf('tenants', config.WRIT_KERNEL_DATABASE_URL, KERNEL_CONNECTIONS.tenants);
  const workers: CrossTenantPool = poolOf(
    'workers',
    config.WRIT_KERNEL_WORKER_DATABASE_URL,
    KERNEL_CONNECTIONS.workers,
  );
  readiness.add('database', () => verifyDurability(tenants.pool));
  const keys = new KernelKeys(config, Date.now());
  readiness.add('signing keys', () => keys.verifyAble());
  const subjects = subjectsOf(config.WRIT_SHARD);
  const book = new ReceiptBook(workers);
  const outbox = new OutboxSender(bus, subjects, workers, book, watchSender(telemetry.meter, logger), Date.now);
  watchBacklog(telemetry.meter, workers);
  const blobs = cachedBlobs(pgBlobs(tenants.pool), { bytesMax: BLOB_CACHE_BYTES });
  const trees = new Trees(blobs);
  const vault = new TenantVault(config.masterKeys, new WrappedKeyRows(tenants));
  return {
    report,
    tenants,
    workers,
    subjects,
    book,
    outbox,
    blobs,
    bus,
    trees,
    meter: telemetry.meter,
    sizes: new Sizes(tenants, trees),
    vault,
    args: new ArgumentsReader({ blobs, vault, work }),
    box: new HpkeBox(...knownKeys(config.masterKeys)),
    keys,
    sealer: new RecordSealer(new SignedSeal(keys.record)),
    events: new BusEvents(bus, subjects, report),
    images: { sandbox: config.WRIT_SANDBOX_IMAGE_DIGEST, others: config.sandboxImages },
    rewrapped: ({ done, unopened }: Rewrapped): void => {
      if (done > 0) logger.info({ tenants: done }, 'keys of tenants were wrapped anew under the current master key');
      if (unopened.length > 0)
        logger.error(
          { tenants: unopened.length, first: unopened[0] },
          'keys of tenants are under a master key that is not known: give it by WRIT_MASTER_KEY_BEFORE_FILE',
        );
    },
    largeReadings: new FairTurns(LARGE_READINGS, () => performance.now()),
    limits: new ChangedLimits<TenantLimits>((since, after) => limitsSince(workers, { since, after })),
    monitor: new OperationMonitor(telemetry.meter, logger),
    outcomes: new Outcomes(WAITERS_MAX),
    memory: new FactMemory(() => performance.now()),
  };
}
type Ground = ReturnType<typeof stand>;

/** through: what waits for a slot, and what runs and ends */
function execution(config: KernelConfig, on: Ground, policies: PolicySets, work: Work<KernelTasks>) {
  const judge = new Judge(policies, on.trees, { tools: new ToolReader(work), failed: on.report });
  const desk = new PermitDesk(on.keys.permit, on.bus, on.subjects, withinTrace);
  const slots = new Slots(() => performance.now());
  watchSlots(on.meter, slots);
  const permits = { permitTtlMs: config.WRIT_PERMIT_TTL_MS, report: on.report, now: () => performance.now() };
  const dispatcher = new Dispatcher(on.workers, desk, slots, permits);
  const announcer = new Announcer(on.outbox, dispatcher, on.events, on.memory);
  const endings = new Endings(on.tenants, on.vault, on.sealer, announcer, on.outcomes, on.monitor);
  const lease = { leaseMs: config.WRIT_LEASE_MS };
  const memory = new AttemptMemory(() => performance.now());
  const effects = new EffectCheck({
    ...on,
    policies,
    failed: on.report,
    examiner: new EffectExaminer(on.blobs, on.tenants, work, { large: on.largeReadings }),
    reader: new ReportReader(on.blobs, work),
  });
  const landing = new Landing(on.tenants, on.blobs, on.trees, on.sizes, on.report);
  const previews = new Previews(on.tenants, on.sealer, announcer);
  const reevaluation = new Reevaluation({ ...on, policies }, judge);
  const sweeper = new Sweeper(on.workers, on.tenants, endings, dispatcher);
  const release = new Release(on.tenants, sweeper, dispatcher);
  const redeem = new Redeem(on.tenants, on.vault, endings, memory, on.trees, on.keys.permitVerifiers, {
    ...lease,
    args: on.args,
    monitor: on.monitor,
  });
  return {
    assign: new Assign(dispatcher, desk, redeem, release, { ...permits, ...lease }),
    dispatcher,
    announcer,
    endings,
    effects,
    landing,
    previewDispatcher: new PreviewDispatcher(on.workers, desk, slots, permits),
    previewReports: new PreviewReports(on.tenants, on.blobs, on.vault, effects, previews),
    previewSweeper: new PreviewSweeper(on.workers, on.tenants, previews),
    redeem,
    release,
    renew: new Renew(on.tenants, on.vault, lease),
    judge,
    commit: new Commit(
      on.tenants,
      on.blobs,
      effects,
      landing,
      new HoldEffect(on.blobs, on.vault, on.sealer, endings),
      endings,
      memory,
      new Reruns(on.tenants, announcer, reevaluation),
    ),
    keepOutput: new KeepOutput(on.tenants, on.blobs, config.WRIT_OUTPUT_KEPT_MS),
    sweeper,
    imageSweeper: new ImageSweeper({ ...on, endings, announcer }, reevaluation),
  };
}

/** through: what is decided */
function admission(
  config: KernelConfig,
  on: Ground,
  { announcer, assign, endings, effects, judge, landing }: ReturnType<typeof execution>,
  policies: PolicySets,
) {
  const views = new OperationViews(on.tenants, on.vault, on.book);
  const held = new HeldCalls(on.tenants, on.sealer, announcer, on.monitor);
  const parts = { ...on, policies };
  const again = new PreviewAgain(parts, announcer);
  const votes = new CastVote(on.tenants, held, announcer);
  const readmission = new Readmission(parts, judge, held, votes, announcer);
  const give = {
    box: on.box,
    values: new SessionValues(on.tenants, on.vault),
    store: new PgValueStore(on.tenants, on.vault),
  };
  const admit = new Admit(
    parts,
    judge,
    new Decisions(admissionStatements(on.tenants), on.sealer, on.vault, on.images, assign),
    announcer,
    on.outcomes,
    views,
    assign,
  );
  return {
    views,
    admit,
    places: new Places({
      places: config.WRIT_PLACES,
      shared: config.WRIT_PLACES_SHARED,
      now: () => performance.now(),
      weightOf: (tenantId) => on.limits.of(tenantId)?.weight ?? TENANT_DEFAULTS.weight,
    }),
    edit: new Edit(held, async (call) => await admit.answer(await admit.decide(call, null, 0))),
    give: new Give(parts, held, readmission, views, give),
    decide: new Decide(
      on.tenants,
      held,
      {
        votes,
        readmission,
        effects: new EffectApproval(parts, judge, held, { effects, landing, endings, again, votes }),
      },
      views,
    ),
    approvals: new Approvals(on.tenants, on.vault, on.blobs, on.args),
    cancel: new Cancel(on.tenants, on.sealer, held, endings, announcer, views),
    expire: new ExpireHeld(on.workers, held),
    endCalls: new EndCalls(on.tenants, on.workers, held, endings, announcer, on.report),
    resolve: new Resolve(on.tenants, on.sealer, announcer, views),
  };
}

/**
 * What backtests judge effects with: caches of its own, since a whole history passes through them, and the turns of
 * large readings that commits take too.
 */
function pastEffects(on: Ground, work: Work<KernelTasks>): RecordedEffects {
  const blobs = cachedBlobs(pgBlobs(on.tenants.pool), { bytesMax: PAST_CACHE_BYTES });
  const share = { large: on.largeReadings, seriesChangesMax: PAST_CHANGES_MAX, queuedAs: BACKTESTS };
  const examiner = new EffectExaminer(blobs, on.tenants, work, share);
  const deltas = new StoredDeltas(blobs, work, BACKTESTS);
  return new RecordedEffects({ tenants: on.tenants, args: on.args, deltas, examiner });
}

/** through: what people and their programs manage */
function management(
  config: KernelConfig,
  on: Ground,
  { views, endCalls }: { views: OperationViews; endCalls: EndCalls },
  bell: Bell,
  engine: PolicyEngine,
  stored: StoredPolicySets,
) {
  const tenancy = new Tenancy(on.tenants);
  const changes = new Changes(tenancy, on.sealer, on.outbox);
  const shelf = new PolicyShelf(engine, stored, tenancy);
  const recorded = new RecordedCalls({ ...on, tools: new ToolReader(engine.work) });
  const moves = new HeadMoves(tenancy, changes, on.blobs, on.trees, on.sizes);
  const names = new Names(tenancy, pgBlobs(on.tenants.pool), on.vault, engine.work);
  const pace = { everyMs: config.WRIT_COLLECT_MS, graceMs: config.WRIT_COLLECT_GRACE_MS };
  return {
    tenancy,
    recordKeys: new RecordKeys(on.workers, changes, on.keys, { now: Date.now, report: on.report }),
    rewrap: new RewrapKeys(on.workers, changes, config.masterKeys),
    erase: new EraseBatches(on.workers, changes),
    retain: new RetainContents(on.workers, on.tenants, config.WRIT_RETENTION_MS),
    collect: new Collect(on.workers, names, pgBlobSweep(on.tenants.pool), changes, pace),
    useCases: [
      new CreateTenant(changes, config.masterKeys.current),
      new Limits(tenancy, changes, on.sizes),
      new RecordChange(changes),
      new RevokeKey(changes, endCalls),
      new Agents(tenancy, changes),
      new Delegations(tenancy, changes),
      new Tokens(tenancy),
      new IssueToken(changes),
      new AttenuateToken(changes),
      new ListForJob(changes),
      new RevokeToken(tenancy, changes, on.events),
      new SpawnToken(on.tenants, changes, on.args),
      new DrawTokens(on.tenants),
      new Workspaces(tenancy),
      new CreateWorkspace(changes, on.blobs),
      new ChangeWorkspace(moves, on.blobs),
      new RestoreWorkspace(moves, tenancy),
      new ImportWorkspace(moves, on.blobs),
      new LimitWorkspace(tenancy, changes, on.sizes),
      new Secrets(tenancy, changes, on.vault, on.box),
      new ApplyTools(tenancy, changes),
      new ListTools(tenancy),
      new SearchProviders(tenancy, changes),
      new RegisterSandbox(changes),
      new ListSandboxes(tenancy),
      new Registrars(tenancy, changes),
      new Profiles(tenancy, changes),
      new Skills(tenancy, changes, on.blobs, engine.work),
      new Resources(tenancy, changes),
      new ReadOperation(on.tenants, views),
      new ReadRequests(on.tenants, on.vault),
      new ReadOutput(on.tenants, on.vault.calls),
      new ReadResult(on.tenants, on.vault.calls),
      new ListOperations(tenancy),
      new Notices(on.workers),
      new BeginErasure(on.tenants, changes),
      new Erasures(tenancy),
      new ErasedTexts(on.workers, on.tenants, changes),
      new RetentionRules(tenancy, changes),
      new Freezes(on.tenants),
      new PlaceFreeze(on),
      new LiftFreeze(on, bell),
      new ShowPolicies(tenancy, shelf),
      new PutPolicy(changes, shelf),
      new ActivatePolicy(on, shelf),
      new Simulate({ ...on, engine, shelf }),
      new BacktestPolicy(recorded, shelf, on.keys.record, {
        effects: pastEffects(on, engine.work),
        now: () => performance.now(),
      }),
      new ExplainOperation(recorded, shelf),
      new ReplayCalls(recorded, shelf),
      new SealBundle(on.keys.record, (tenantId) => recorded.now(tenantId)),
    ],
    controllers: [
      TenantsController,
      ChangesController,
      ApiKeysController,
      AgentsController,
      DelegationsController,
      TokensController,
      WorkspacesController,
      SecretsController,
      ToolsController,
      SandboxesController,
      ProfilesController,
      SkillsController,
      ResourcesController,
      OperationsController,
      NoticesController,
      FreezesController,
      ErasuresController,
      PoliciesController,
      WhatIfController,
      BundlesController,
    ],
  };
}

/** through: what operators see of containers, and do with them */
function containers(on: Ground, announcer: Announcer): object[] {
  const shown = new Containers(on.tenants, on.workers);
  const ask = (tenantId: string, event: PeekEvent): void => on.bus.publish(on.subjects.event('peek', tenantId), event);
  return [shown, new Peek(shown, ask), new KillContainer(shown, on.tenants, on.sealer, on.outbox, announcer)];
}

const given = <T extends object>(value: T): Provider => ({ provide: value.constructor as Type<T>, useValue: value });

/** The kernel: what it is asked (controllers), through one use case a verb, with what it is given. */
@Module({})
export class KernelModule {
  static with(config: KernelConfig, parts: Given, engine: PolicyEngine, instead?: PolicySets): DynamicModule {
    const on = stand(config, parts, engine.work);
    watchPool(parts.telemetry.meter, engine.work);
    const stored = new StoredPolicySets(engine, on.tenants);
    const policies = instead ?? stored;
    const run = execution(config, on, policies, engine.work);
    const ask = admission(config, on, run, policies);
    const manage = management(config, on, ask, run.dispatcher, engine, stored);
    const every = (pauseMs: number, task: () => Promise<unknown>): Repeated => new Repeated(task, pauseMs, on.report);
    const lifetime = new Lifetime({
      workers: [
        run.dispatcher,
        on.keys.followed(parts),
        every(PREVIEW_MS, () => run.previewDispatcher.run()),
        every(config.WRIT_SWEEP_MS, async () => on.monitor.requeued(await run.sweeper.sweep())),
        every(config.WRIT_SWEEP_MS, () => Promise.all([run.imageSweeper.sweep(), run.previewSweeper.sweep()])),
        every(config.WRIT_SWEEP_MS, () => ask.expire.run()),
        every(config.WRIT_SWEEP_MS, () => ask.endCalls.sweep()),
        every(LIMITS_MS, () => on.limits.refresh()),
        every(config.WRIT_SWEEP_MS, () => new ValueSweeper(on.workers).sweep()),
        every(config.WRIT_SWEEP_MS, () => new OutputSweeper(on.workers).sweep()),
        every(RESEND_MS, () => on.outbox.resend()),
        every(COLLECT_LOOK_MS, () => manage.collect.next()),
        every(ERASE_MS, () => manage.erase.run()),
        every(Math.min(RETAIN_LOOK_MS, config.WRIT_RETENTION_MS), () => manage.retain.run()),
        every(KEY_RECORDS_MS, () => manage.recordKeys.run()),
        every(STATISTICS_MS, () => refreshStatistics(on.workers.pool, 'kernel')),
        every(REWRAP_MS, async () => on.rewrapped(await manage.rewrap.run())),
      ],
      close: async () => {
        await run.assign.settled();
        await on.outbox.idle();
        await engine.work.close();
        await manage.tenancy.close();
        await Promise.all([on.tenants.pool.end(), on.workers.pool.end()]);
      },
    });
    return {
      module: KernelModule,
      controllers: [
        AdmitController,
        DecideController,
        CancelController,
        ResolveController,
        RedeemController,
        RenewController,
        CommitController,
        SlotsController,
        OutcomesController,
        ShellsController,
        ReleaseController,
        ContainersController,
        PeekedController,
        ...manage.controllers,
      ],
      providers: [
        ...[
          ask.admit,
          ask.places,
          ask.decide,
          ask.edit,
          ask.give,
          ask.approvals,
          ask.cancel,
          ask.resolve,
          ask.views,
        ].map(given),
        ...[
          new ShellBook(on.tenants),
          run.release,
          run.dispatcher,
          run.redeem,
          run.renew,
          run.commit,
          run.previewReports,
          run.keepOutput,
        ].map(given),
        ...manage.useCases.map(given),
        ...containers(on, run.announcer).map(given),
        ...[on.vault, on.sealer, on.outbox, on.trees, on.monitor, on.outcomes].map(given),
        { provide: TenantPool, useValue: on.tenants },
        { provide: CrossTenantPool, useValue: on.workers },
        { provide: Work, useValue: engine.work },
        { provide: Lifetime, useFactory: () => lifetime },
      ],
    };
  }
}
