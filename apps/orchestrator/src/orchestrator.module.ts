// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { cachedBlobs, type BlobStore } from '@writ/blobs';
import { pgBlobs } from '@writ/blobs-pg';
import { subjectsOf, type TenantLimits } from '@writ/contract';
import { createPool, refreshStatistics, STATISTICS_MS, verifyDurability } from '@writ/database';
import { ChangedLimits } from '@writ/fairness';
import { followKeys, outboundOf, Readiness, Repeated, VERSION, type Given } from '@writ/nest-kit';
import { ConnectionWatch } from '@writ/telemetry';
import { poolSizes, watchPool, WorkerPool, workerProgram, type TaskTable } from '@writ/worker-pool';
import { NAMED } from './api/named-schemas.ts';
import { ROUTES } from './api/routes.ts';
import { allowedMethodsOf } from './edge/allowed-methods.ts';
import { AgentsController } from './api/agents/agents.controller.ts';
import { ApprovalsController } from './api/approvals/approvals.controller.ts';
import { Delegate } from './api/approvals/delegate.ts';
import { DelegationsController } from './api/approvals/delegations.controller.ts';
import { ShowDiff } from './api/approvals/show-diff.ts';
import { CallsController } from './api/calls/calls.controller.ts';
import type { OrchestratorConfig } from './config.env.ts';
import { ContainersController } from './api/containers/containers.controller.ts';
import { SystemController } from './api/system/system.controller.ts';
import { EventsController } from './api/event-streams/events.controller.ts';
import { ExportBundle } from './delivery/exports/export-bundle.ts';
import { ExportHub } from './delivery/exports/export-hub.ts';
import { ExportRecords } from './delivery/exports/export-records.ts';
import { ExportsController } from './api/exports/exports.controller.ts';
import { LoggedEventsController } from './delivery/exports/logged-events.controller.ts';
import { ErasuresController } from './api/erasures/erasures.controller.ts';
import { FreezesController } from './api/freezes/freezes.controller.ts';
import { AccessGuard } from './edge/access.guard.ts';
import { AccessLog } from './edge/access-log.ts';
import { Authenticator } from './edge/authenticator.ts';
import { FailedKeys } from './edge/failed-keys.ts';
import { FullQueues } from './edge/full-queues.ts';
import { LongAnswers } from './edge/long-answers.ts';
import { ProblemFilter } from './edge/problem.filter.ts';
import { RateLimit } from './edge/rate-limit.ts';
import { ChangeJobs } from './runs/jobs/change-jobs.ts';
import { JobsController } from './api/jobs/jobs.controller.ts';
import { StartJobs } from './runs/jobs/start-jobs.ts';
import { ChangeKeys } from './api/api-keys/change-keys.ts';
import { KeysController } from './api/api-keys/keys.controller.ts';
import { ApiDocument } from './edge/openapi/document.ts';
import { OperationsController } from './api/operations/operations.controller.ts';
import { OutputController } from './api/operations/output.controller.ts';
import { ReadOutput } from './api/operations/read-output.ts';
import { ReceiptController } from './api/operations/receipt.controller.ts';
import { ApiKeys } from './store/keys/api-keys.ts';
import { Deliveries } from './store/webhooks/deliveries.ts';
import { Jobs, type JobWork } from './store/jobs/jobs.ts';
import type { SaidTexts } from './store/sessions/said-texts.ts';
import { Sessions, type RunWork } from './store/sessions/sessions.ts';
import { Webhooks } from './store/webhooks/webhooks.ts';
import { Propose } from './calls/propose.ts';
import { ProposeInOrder } from './calls/propose-in-order.ts';
import { Follow } from './calls/follow.ts';
import { LogController } from './api/log/log.controller.ts';
import { OperationEventsController } from './calls/operation-events.controller.ts';
import { EventHub } from './calls/event-hub.ts';
import { OperationWatch } from './calls/operation-watch.ts';
import { ShowOperation } from './calls/show-operation.ts';
import { PgDeliveries } from './store/webhooks/pg-deliveries.ts';
import { PgJobWork } from './store/jobs/pg-job-work.ts';
import { PgJobs } from './store/jobs/pg-jobs.ts';
import { PgRunWork } from './store/sessions/pg-run-work.ts';
import { PgSaidTexts } from './store/sessions/pg-said-texts.ts';
import { PgSessions } from './store/sessions/pg-sessions.ts';
import { PgWebhooks } from './store/webhooks/pg-webhooks.ts';
import { PrismaApiKeys } from './store/keys/prisma-api-keys.ts';
import { SessionSeal } from './store/sessions/session-seal.ts';
import { BeginErasure } from './runs/sessions/begin-erasure.ts';
import { EraseTexts } from './runs/sessions/erase-texts.ts';
import { watchWaiting } from './store/waiting-gauges.ts';
import { KernelClient } from './calls/kernel-client.ts';
import { LedgerClient } from './delivery/ledger-client.ts';
import { Lifetime } from './store/lifetime.ts';
import { CreateTenant } from './api/tenants/create-tenant.ts';
import { openRuns } from './runs.module.ts';
import { RecordsController } from './api/records/records.controller.ts';
import { ResourcesController } from './api/resources/resources.controller.ts';
import { ProfilesController } from './api/profiles/profiles.controller.ts';
import { PutSkill } from './api/skills/put-skill.ts';
import { SkillsController } from './api/skills/skills.controller.ts';
import { SandboxesController } from './api/sandboxes/sandboxes.controller.ts';
import { SecretsController } from './api/secrets/secrets.controller.ts';
import { ChangeSessions, RUNS_MAX, SESSIONS_MAX, UNENDED_MAX } from './runs/sessions/change-sessions.ts';
import { RunHub } from './runs/sessions/run-hub.ts';
import { RunNewsController } from './runs/sessions/run-news.controller.ts';
import { ReplayRun } from './api/sessions/replay-run.ts';
import { RunsController } from './api/sessions/runs.controller.ts';
import { SessionsController } from './api/sessions/sessions.controller.ts';
import { Offers } from './calls/offers.ts';
import { TenantsController } from './api/tenants/tenants.controller.ts';
import { TokensController } from './api/tokens/tokens.controller.ts';
import { PoliciesController } from './api/policies/policies.controller.ts';
import { ToolsController } from './api/tools/tools.controller.ts';
import { RunTurn } from './runs/turns/run-turn.ts';
import { StagedChanges } from './runs/turns/staged-changes.ts';
import { StagedTokens } from './runs/turns/staged-token.ts';
import { TurnsController } from './api/turns/turns.controller.ts';
import { ChangeWebhooks } from './api/webhooks/change-webhooks.ts';
import { ATTEMPT_MS, DeliverDue } from './delivery/webhooks/deliver-due.ts';
import { watchDeliveries } from './delivery/webhooks/watch-deliveries.ts';
import { DeliveriesController } from './api/webhooks/deliveries.controller.ts';
import { EgressGate, resolveByDns } from './delivery/webhooks/egress-gate.ts';
import { GatherNotices } from './delivery/webhooks/gather-notices.ts';
import { WebhookSecrets } from './delivery/webhooks/secrets.ts';
import { WebhooksController } from './api/webhooks/webhooks.controller.ts';
import { WorkerTasks } from './edge/worker-tasks.ts';
import { Compare } from './api/workspaces/compare.ts';
import { Export } from './api/workspaces/export.ts';
import { FilesController } from './api/workspaces/files.controller.ts';
import { Import } from './api/workspaces/import.ts';
import { PutFiles } from './api/workspaces/put-files.ts';
import { ReadFile } from './api/workspaces/read-file.ts';
import { ReadTree } from './api/workspaces/read-tree.ts';
import { Restore } from './api/workspaces/restore.ts';
import { Snapshots } from './api/workspaces/snapshots.ts';
import { WorkspacesController } from './api/workspaces/workspaces.controller.ts';

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
function openWork({ meter }: Given['telemetry']): WorkerPool<TaskTable> {
  const work = new WorkerPool<TaskTable>({
    ...poolSizes(),
    filename: workerProgram('orchestrator.worker', import.meta.url),
  });
  watchPool(meter, work);
  return work;
}

const closing = (work: WorkerPool<TaskTable>, close: () => Promise<void>) => async (): Promise<void> => {
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
    lifetime: new Lifetime(
      [
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
      () => {
        watch.close();
        hub.close();
        exports.close();
        runHub.close();
      },
      closing(work, close),
    ),
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
        { provide: APP_FILTER, useValue: new ProblemFilter(parts.logger, allowedMethodsOf(ROUTES)) },
        { provide: APP_INTERCEPTOR, useValue: new LongAnswers() },
        ...useCases(on).map(given),
        { provide: ApiKeys, useValue: on.keys },
        { provide: WorkerPool, useValue: on.work },
        { provide: Webhooks, useValue: on.webhooks },
        { provide: Deliveries, useValue: on.deliveries },
        { provide: Sessions, useValue: on.sessions },
        { provide: Jobs, useValue: on.jobs },
        { provide: Readiness, useValue: parts.readiness },
        ...[
          new ApiDocument(VERSION, ROUTES, NAMED),
          config.published,
          new AccessLog(parts.logger, parts.telemetry.meter, config.WRIT_REQUESTS_MAX),
          on.lifetime,
        ].map(given),
      ],
    };
  }
}
