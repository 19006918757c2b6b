// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { cachedBlobs, type BlobStore } from '@writ/blobs';
import { pgBlobs } from '@writ/blobs-pg';
import { subjectsOf, type TenantLimits } from '@writ/contract';
import { createPool, refreshStatistics, STATISTICS_MS, verifyDurability } from '@writ/database';
import { ChangedLimits } from '@writ/fairness';
import { followKeys, Lifetime, outboundOf, Readiness, Repeated, VERSION, type Given } from '@writ/nest-kit';
import { ConnectionWatch } from '@writ/telemetry';
import { poolSizes, watchPool, workerProgram } from '@writ/worker-pool';
import { AgentsController } from './agents/agents.controller.ts';
import { ApprovalsController } from './approvals/approvals.controller.ts';
import { Delegate } from './approvals/delegate.ts';
import { DelegationsController } from './approvals/delegations.controller.ts';
import { ShowDiff } from './approvals/show-diff.ts';
import { CallsController } from './calls/calls.controller.ts';
import type { OrchestratorConfig } from './config.env.ts';
import { ContainersController } from './containers/containers.controller.ts';
import { SystemController } from './describe/system.controller.ts';
import { EventsController } from './events/events.controller.ts';
import { ExportBundle } from './exports/export-bundle.ts';
import { ExportHub } from './exports/export-hub.ts';
import { ExportRecords } from './exports/export-records.ts';
import { ExportsController } from './exports/exports.controller.ts';
import { LoggedEventsController } from './exports/logged-events.controller.ts';
import { ErasuresController } from './erasures/erasures.controller.ts';
import { FreezesController } from './freezes/freezes.controller.ts';
import { AccessGuard } from './http/access.guard.ts';
import { AccessLog } from './http/access-log.ts';
import { Authenticator } from './http/authenticator.ts';
import { FailedKeys } from './http/failed-keys.ts';
import { FullQueues } from './http/full-queues.ts';
import { LongAnswers } from './http/long-answers.ts';
import { ProblemFilter } from './http/problem.filter.ts';
import { RateLimit } from './http/rate-limit.ts';
import { ChangeJobs } from './jobs/change-jobs.ts';
import { JobsController } from './jobs/jobs.controller.ts';
import { StartJobs } from './jobs/start-jobs.ts';
import { ChangeKeys } from './keys/change-keys.ts';
import { KeysController } from './keys/keys.controller.ts';
import { ApiDocument } from './openapi/document.ts';
import { OperationsController } from './operations/operations.controller.ts';
import { OutputController } from './operations/output.controller.ts';
import { ReadOutput } from './operations/read-output.ts';
import { ReceiptController } from './operations/receipt.controller.ts';
import { ApiKeys } from './ports/api-keys.ts';
import { Deliveries } from './ports/deliveries.ts';
import { Jobs, type JobWork } from './ports/jobs.ts';
import type { SaidTexts } from './ports/said-texts.ts';
import { Sessions, type RunWork } from './ports/sessions.ts';
import { Webhooks } from './ports/webhooks.ts';
import { Propose } from './proposals/propose.ts';
import { ProposeInOrder } from './proposals/propose-in-order.ts';
import { Follow } from './replies/follow.ts';
import { LogController } from './log/log.controller.ts';
import { OperationEventsController } from './replies/operation-events.controller.ts';
import { EventHub } from './replies/event-hub.ts';
import { OperationWatch } from './replies/operation-watch.ts';
import { ShowOperation } from './replies/show-operation.ts';
import { PgDeliveries } from './store/pg-deliveries.ts';
import { PgJobWork } from './store/pg-job-work.ts';
import { PgJobs } from './store/pg-jobs.ts';
import { PgRunWork } from './store/pg-run-work.ts';
import { PgSaidTexts } from './store/pg-said-texts.ts';
import { PgSessions } from './store/pg-sessions.ts';
import { PgWebhooks } from './store/pg-webhooks.ts';
import { PrismaApiKeys } from './store/prisma-api-keys.ts';
import { SessionSeal } from './store/session-seal.ts';
import { BeginErasure } from './support/begin-erasure.ts';
import { EraseTexts } from './support/erase-texts.ts';
import { watchWaiting } from './support/gauges.ts';
import { KernelClient } from './support/kernel-client.ts';
import { LedgerClient } from './support/ledger-client.ts';
import { OrchestratorPool } from './support/orchestrator-pool.ts';
import { CreateTenant } from './tenants/create-tenant.ts';
import { openRuns } from './runs.module.ts';
import { RecordsController } from './records/records.controller.ts';
import { ResourcesController } from './resources/resources.controller.ts';
import { ProfilesController } from './profiles/profiles.controller.ts';
import { PutSkill } from './skills/put-skill.ts';
import { SkillsController } from './skills/skills.controller.ts';
import { SandboxesController } from './sandboxes/sandboxes.controller.ts';
import { SecretsController } from './secrets/secrets.controller.ts';
import { ChangeSessions, RUNS_MAX, SESSIONS_MAX, UNENDED_MAX } from './sessions/change-sessions.ts';
import { RunHub } from './sessions/run-hub.ts';
import { RunNewsController } from './sessions/run-news.controller.ts';
import { ReplayRun } from './sessions/replay-run.ts';
import { RunsController } from './sessions/runs.controller.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { Offers } from './support/offers.ts';
import { TenantsController } from './tenants/tenants.controller.ts';
import { TokensController } from './tokens/tokens.controller.ts';
import { PoliciesController } from './policies/policies.controller.ts';
import { ToolsController } from './tools/tools.controller.ts';
import { RunTurn } from './turns/run-turn.ts';
import { StagedChanges } from './proposals/staged-changes.ts';
import { StagedTokens } from './proposals/staged-token.ts';
import { TurnsController } from './turns/turns.controller.ts';
import { ChangeWebhooks } from './webhooks/change-webhooks.ts';
import { ATTEMPT_MS, DeliverDue } from './webhooks/deliver-due.ts';
import { watchDeliveries } from './webhooks/watch-deliveries.ts';
import { DeliveriesController } from './webhooks/deliveries.controller.ts';
import { EgressGate, resolveByDns } from './webhooks/egress-gate.ts';
import { GatherNotices } from './webhooks/gather-notices.ts';
import { WebhookSecrets } from './webhooks/secrets.ts';
import { WebhooksController } from './webhooks/webhooks.controller.ts';
import { WorkerTasks } from './work/worker-tasks.ts';
import { Compare } from './workspaces/compare.ts';
import { Export } from './workspaces/export.ts';
import { FilesController } from './workspaces/files.controller.ts';
import { Import } from './workspaces/import.ts';
import { PutFiles } from './workspaces/put-files.ts';
import { ReadFile } from './workspaces/read-file.ts';
import { ReadTree } from './workspaces/read-tree.ts';
import { Restore } from './workspaces/restore.ts';
import { Snapshots } from './workspaces/snapshots.ts';
import { WorkspacesController } from './workspaces/workspaces.controller.ts';

/** Directory nodes and small files that are looked at again and again. */
const BLOB_CACHE_BYTES = 32 * 1024 * 1024;

/**
 * How often the kernel is asked what it has to tell, and what is due is tried, in milliseconds: what a message waits
 * here at most.
 */
const GATHER_MS = 1_000;
const DELIVER_MS = 500;
/** How often it is asked which tenants' limits were set: what they take to count here. */
const LIMITS_MS = 500;
/**
 * How often runs that are due are claimed, and leases of those under way renewed: what a run waits at most before it
 * begins, and before it hears of its cancellation elsewhere, or of its key's revocation.
 */
const CLAIM_MS = 250;
const RENEW_MS = 500;
/** How often jobs that are due are looked for: what one is late at most while anybody is there. */
const JOBS_MS = 500;
/**
 * How often the kernel is asked what is to be erased of what was said: what an erasure waits here at most that nobody
 * waits for.
 */
const TEXTS_MS = 1_000;
/** What was delivered or given up is kept for a month, for whoever asks why. */
const PRUNE_MS = 60_000;
const DELIVERIES_KEPT_MS = 30 * 24 * 3_600_000;

const epoch = (): number => Date.now();
const monotonic = (): number => performance.now();

/** out: what this process keeps, and where */
export interface Stores {
  readonly keys: ApiKeys;
  readonly blobs: BlobStore;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly sessions: Sessions;
  readonly runWork: RunWork;
  readonly said: SaidTexts;
  readonly jobs: Jobs;
  readonly jobWork: JobWork;
  readonly close: () => Promise<void>;
}

/** All in Postgres. */
function openStores(config: OrchestratorConfig, { logger, readiness, telemetry: { meter } }: Given): Stores {
  const pool = new ConnectionWatch(meter).pool('orchestrator', (onWait) =>
    createPool({
      url: config.WRIT_ORCHESTRATOR_DATABASE_URL,
      applicationName: 'writ-orchestrator',
      onWait,
      onIdleError: (err) => logger.warn({ err }, 'a database connection died'),
    }),
  );
  watchWaiting(meter, pool);
  readiness.add('database', () => verifyDurability(pool));
  const statistics = new Repeated(
    () => refreshStatistics(pool, 'orchestrator'),
    STATISTICS_MS,
    (err) => {
      logger.warn({ err }, 'statistics of tables were not gathered');
    },
  );
  statistics.start();
  const keys = new PrismaApiKeys(pool);
  const close = async (): Promise<void> => {
    await statistics.stop();
    await keys.close();
    await pool.end();
  };
  const seal = new SessionSeal(config.webhookKey);
  return {
    keys,
    blobs: pgBlobs(pool),
    webhooks: new PgWebhooks(pool),
    deliveries: new PgDeliveries(pool),
    sessions: new PgSessions(pool, seal),
    runWork: new PgRunWork(pool, seal),
    said: new PgSaidTexts(pool, seal),
    jobs: new PgJobs(pool, seal),
    jobWork: new PgJobWork(pool, seal, { sessionsMax: SESSIONS_MAX, runsMax: RUNS_MAX, unendedMax: UNENDED_MAX }),
    close,
  };
}

/** Worker threads for what callers send. None is started yet. */
function openWork({ meter }: Given['telemetry']): OrchestratorPool {
  const work = new OrchestratorPool({
    ...poolSizes(),
    filename: workerProgram('orchestrator.worker', import.meta.url),
  });
  watchPool(meter, work);
  return work;
}

const closing = (work: OrchestratorPool, close: () => Promise<void>) => async (): Promise<void> => {
  await work.close();
  await close();
};

/** with: what the process is given, and what everything stands on */
function stand(
  config: OrchestratorConfig,
  { bus, logger, telemetry }: Given,
  { keys, blobs: stored, webhooks, deliveries, sessions, runWork, said, jobs, jobWork, close }: Stores,
) {
  const [watch, hub, exports, runHub] = [
    new OperationWatch(),
    new EventHub(config.WRIT_EVENT_STREAMS_MAX),
    new ExportHub(config.WRIT_EVENT_STREAMS_MAX),
    new RunHub(config.WRIT_EVENT_STREAMS_MAX),
  ];
  const blobs = cachedBlobs(stored, { bytesMax: BLOB_CACHE_BYTES });
  const subjects = subjectsOf(config.WRIT_SHARD);
  const [kernel, work] = [new KernelClient(bus, subjects, epoch), openWork(telemetry)];
  const [tasks, secrets] = [new WorkerTasks(work), new WebhookSecrets(config.webhookKey)];
  const report = (err: unknown): void => logger.warn({ err }, 'webhooks: something failed, and is tried again');
  const gather = new GatherNotices(kernel, deliveries, report);
  const deliver = new DeliverDue(
    deliveries,
    {
      gate: new EgressGate(config.webhookAllowed, resolveByDns, outboundOf(config)),
      secrets,
      attemptMs: ATTEMPT_MS,
      now: epoch,
      chance: Math.random,
    },
    {
      disabled: (tenant_id, webhook) => logger.warn({ tenant_id, ...webhook }, 'a webhook was disabled'),
      failed: report,
      tried: watchDeliveries(telemetry.meter),
    },
  );
  const limits = new ChangedLimits<TenantLimits>((since, after) => kernel.limitsChanged(since, after));
  const unheard = (err: unknown): void =>
    logger.warn({ err }, 'the kernel could not be asked for limits; those known last go on counting');
  const follow = new Follow(kernel, watch, monotonic);
  const texts = new EraseTexts(kernel, said, (err) =>
    logger.warn({ err }, 'what was said could not be erased, and is tried again'),
  );
  const [snapshots, queues, show, beginErasure] = [
    new Snapshots(kernel, blobs),
    new FullQueues(monotonic),
    new ShowOperation(blobs, kernel, tasks),
    new BeginErasure(kernel, said, texts),
  ];
  const propose = new Propose(kernel, blobs, follow, queues);
  const order = new ProposeInOrder(propose, monotonic);
  const staged = new StagedChanges({
    order,
    show,
    blobs,
    tasks,
    tokens: new StagedTokens(config.webhookKey),
    now: epoch,
  });
  const { models, driving } = openRuns(config, {
    bus,
    subjects,
    kernel,
    runWork,
    propose,
    show,
    staged,
    meter: telemetry.meter,
    failed: (err) => logger.warn({ err }, 'a run could not go on'),
  });
  const start = new StartJobs(jobWork, (err) => logger.warn({ err }, 'a job could not be started, and is tried again'));
  watch.onEvery((operationId, state) => driving.heard(operationId, state));
  const lost = (err: unknown): void => logger.warn({ err }, 'runs could not be claimed or renewed');
  const every = (pauseMs: number, task: () => Promise<unknown>, told = report): Repeated =>
    new Repeated(task, pauseMs, told);
  const rate = new RateLimit((tenantId) => {
    const { requests_per_second: perSecond, request_burst: burst } = limits.of(tenantId) ?? {};
    return { perSecond: perSecond ?? config.WRIT_RATE_PER_SECOND, burst: burst ?? config.WRIT_RATE_BURST };
  }, monotonic);
  return {
    rate,
    order,
    staged,
    limits,
    beginErasure,
    work,
    tasks,
    published: config.published,
    keys,
    watch,
    hub,
    exports,
    kernel,
    webhooks,
    deliveries,
    deliver,
    sessions,
    jobs,
    models,
    driving,
    runHub,
    follow,
    snapshots,
    queues,
    show,
    propose,
    changeWebhooks: new ChangeWebhooks(kernel, webhooks, secrets, config.webhookAllowed),
    ledger: new LedgerClient(bus, subjects, epoch),
    blobs,
    authenticator: new Authenticator(
      keys,
      config.platformKeyHash,
      monotonic,
      new FailedKeys(config.WRIT_AUTH_FAILURES_PER_MINUTE, monotonic),
    ),
    lifetime: new Lifetime({
      workers: [
        followKeys(config.published.parts, { logger, telemetry }),
        every(GATHER_MS, () => gather.run()),
        every(DELIVER_MS, () => deliver.run()),
        every(PRUNE_MS, () => deliveries.prune(DELIVERIES_KEPT_MS)),
        every(LIMITS_MS, () => limits.refresh(), unheard),
        { start: () => undefined, stop: () => deliver.stop() },
        every(CLAIM_MS, () => driving.run(), lost),
        every(JOBS_MS, () => start.run(), lost),
        every(TEXTS_MS, () => texts.run(), texts.failed),
        every(RENEW_MS, () => driving.renew(), lost),
        { start: () => undefined, stop: () => driving.stop() },
      ],
      // Who waits for news is released first: requests that wait would keep the API open.
      drain: async (stopWorkers) => {
        watch.close();
        hub.close();
        exports.close();
        runHub.close();
        await stopWorkers();
      },
      close: closing(work, close),
    }),
  };
}
type Ground = ReturnType<typeof stand>;

/** through: one use case a verb */
function useCases({
  rate,
  order,
  tasks,
  staged,
  published,
  keys,
  watch,
  hub,
  exports,
  kernel,
  ledger,
  blobs,
  authenticator,
  changeWebhooks,
  deliver,
  sessions,
  jobs,
  models,
  driving,
  runHub,
  follow,
  snapshots,
  show,
  propose,
  beginErasure,
}: Ground): object[] {
  return [
    beginErasure,
    kernel,
    ledger,
    tasks,
    watch,
    hub,
    exports,
    follow,
    snapshots,
    authenticator,
    changeWebhooks,
    deliver,
    models,
    driving,
    runHub,
    show,
    propose,
    new ReadFile(snapshots, blobs),
    new ChangeSessions(kernel, sessions, models),
    new ReplayRun(kernel, sessions),
    new ChangeJobs(kernel, jobs, { hasModel: (name) => models.read(name) !== null, now: epoch }),
    new ExportRecords(ledger, exports),
    new ExportBundle(kernel, ledger, published, exports),
    new ShowDiff(kernel, { blobs, tasks }),
    new Delegate(kernel, keys),
    order,
    new RunTurn({ order, staged, show, rate, tasks }),
    new Offers(kernel, epoch),
    new CreateTenant(kernel, keys),
    new ChangeKeys(kernel, keys, authenticator, { jobs, runs: driving }),
    new ReadTree(snapshots),
    new Compare(snapshots, { blobs, tasks }),
    new Restore(kernel, snapshots),
    new ReadOutput(kernel, blobs),
    new PutFiles(kernel, blobs),
    new PutSkill(kernel, blobs),
    new Export(snapshots, blobs),
    new Import(kernel, blobs),
  ];
}

const given = <T extends object>(value: T): Provider => ({ provide: value.constructor as Type<T>, useValue: value });

/** The HTTP door: requests become questions to the kernel and the ledger. It decides nothing and runs nothing. */
@Module({})
export class OrchestratorModule {
  static with(config: OrchestratorConfig, parts: Given, stores: Stores = openStores(config, parts)): DynamicModule {
    const on = stand(config, parts, stores);
    return {
      module: OrchestratorModule,
      controllers: [
        TenantsController,
        KeysController,
        AgentsController,
        ResourcesController,
        SecretsController,
        ContainersController,
        SandboxesController,
        ProfilesController,
        SkillsController,
        ToolsController,
        CallsController,
        TurnsController,
        OperationsController,
        OutputController,
        ReceiptController,
        DelegationsController,
        ApprovalsController,
        PoliciesController,
        TokensController,
        WorkspacesController,
        FilesController,
        FreezesController,
        ErasuresController,
        LogController,
        RecordsController,
        SystemController,
        OperationEventsController,
        EventsController,
        ExportsController,
        LoggedEventsController,
        WebhooksController,
        DeliveriesController,
        SessionsController,
        RunsController,
        RunNewsController,
        JobsController,
      ],
      providers: [
        { provide: APP_GUARD, useValue: new AccessGuard(on.authenticator, on.rate, on.queues) },
        { provide: APP_FILTER, useValue: new ProblemFilter(parts.logger) },
        { provide: APP_INTERCEPTOR, useValue: new LongAnswers() },
        ...useCases(on).map(given),
        { provide: ApiKeys, useValue: on.keys },
        { provide: OrchestratorPool, useValue: on.work },
        { provide: Webhooks, useValue: on.webhooks },
        { provide: Deliveries, useValue: on.deliveries },
        { provide: Sessions, useValue: on.sessions },
        { provide: Jobs, useValue: on.jobs },
        { provide: Readiness, useValue: parts.readiness },
        ...[
          new ApiDocument(VERSION),
          config.published,
          new AccessLog(parts.logger, parts.telemetry.meter, config.WRIT_REQUESTS_MAX),
          on.lifetime,
        ].map(given),
      ],
    };
  }
}
