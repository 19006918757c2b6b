// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { cachedBlobs } from '@writ/blobs';
import { pgBlobs, pgBlobSweep } from '@writ/blobs-pg';
import type { PeekEvent } from '@writ/contract';
import { provideValue, type ProcessContext } from '@writ/nest-kit';
import type { Work } from '@writ/worker-pool';
import type { KernelConfig } from '../config.env.ts';
import { EffectExaminer, StoredDeltas } from '../execution/effects/index.ts';
import type { BelowExecution, Execution } from '../execution/execution.module.ts';
import type { ExecutionTasks } from '../execution/worker-tasks.ts';
import type { Task } from '../foundation/process/task.ts';
import { Agents, AgentsController } from './agents/index.ts';
import { ApiKeysController, EndCalls, RevokeKey } from './api-keys/index.ts';
import { Containers, ContainersController, KillContainer, Peek, PeekedController } from './containers/index.ts';
import { Delegations, DelegationsController } from './delegations/index.ts';
import { Freezes, FreezesController, LiftFreeze, PlaceFreeze } from './freezes/index.ts';
import { Collect, GcRoots } from './garbage-collection/index.ts';
import { Notices, NoticesController } from './notices/index.ts';
import {
  ListOperations,
  OperationsController,
  ReadOperation,
  ReadOutput,
  ReadRequests,
  ReadResult,
} from './operations/index.ts';
import { ActivatePolicy, PoliciesController, PutPolicy, ShowPolicies } from './policy-sets/index.ts';
import { Profiles, ProfilesController } from './profiles/index.ts';
import { Resources, ResourcesController } from './resources/index.ts';
import { ListSandboxes, RegisterSandbox, Registrars, SandboxesController } from './sandboxes/index.ts';
import { Secrets, SecretsController } from './secrets/index.ts';
import { Skills, SkillsController } from './skills/index.ts';
import { CreateTenant, Limits, RewrapKeys, TenantsController, type Rewrapped } from './tenants/index.ts';
import {
  AttenuateToken,
  DerivedTokensController,
  DrawTokens,
  IssueToken,
  ListForJob,
  RevokeToken,
  SpawnToken,
  Tokens,
  TokensController,
} from './tokens/index.ts';
import { ApplyTools, ListTools, SearchProviders, ToolsController } from './tools/index.ts';
import {
  BacktestPolicy,
  ExplainOperation,
  RecordedCalls,
  RecordedEffects,
  ReplayCalls,
  Simulate,
  WhatIfController,
} from './what-if/index.ts';
import type { ManagementTasks } from './worker-tasks.ts';
import {
  ChangeWorkspace,
  CreateWorkspace,
  HeadMoves,
  ImportWorkspace,
  LimitWorkspace,
  RestoreWorkspace,
  Workspaces,
  WorkspacesController,
} from './workspaces/index.ts';

/**
 * How often it is asked whether a tenant's contents are to be looked through, in milliseconds: one of them each time.
 */
const COLLECT_LOOK_MS = 10_000;
/**
 * How often it is asked which tenants' keys are under another master key, in milliseconds: first so long after the
 * start.
 */
const REWRAP_MS = 60_000;
/** What backtests keep of tree nodes and small files: pages of two tenants, whose states share most of their nodes. */
const PAST_CACHE_BYTES = 16 * 1024 * 1024;
/** Changes of past effects that backtests keep in memory: some 8 MB. */
const PAST_CHANGES_MAX = 20_000;
/** To worker threads and to large readings backtests of all tenants are one tenant, so they leave room to calls. */
const BACKTESTS = 'backtests';

/** What people and their programs manage stands on all other modules. */
interface BelowManagement extends BelowExecution, Execution {}
type AllTasks = ExecutionTasks & ManagementTasks;

export interface Management {
  readonly useCases: readonly object[];
  readonly tasks: readonly Task[];
}

export function managementOf(
  config: KernelConfig,
  { logger }: ProcessContext,
  below: BelowManagement,
  work: Work<AllTasks>,
): Management {
  const { tenants, workers, changes, announcer, endings, held } = below;
  const endCalls = new EndCalls(tenants, workers, held, endings, announcer, below.report);
  const names = new GcRoots(below.tenancy, pgBlobs(tenants.pool), below.vault, work);
  const pace = { everyMs: config.WRIT_COLLECT_MS, graceMs: config.WRIT_COLLECT_GRACE_MS };
  const collect = new Collect(workers, names, pgBlobSweep(tenants.pool), changes, pace);
  const rewrap = new RewrapKeys(workers, changes, config.masterKeys);
  return {
    useCases: [
      ...identities(config, below, endCalls),
      ...resources(below, work),
      ...workspaces(below),
      ...calls(below),
      ...policies(below, work),
    ],
    tasks: [
      { everyMs: config.WRIT_SWEEP_MS, run: () => endCalls.sweep() },
      { everyMs: COLLECT_LOOK_MS, run: () => collect.next() },
      { everyMs: REWRAP_MS, run: async () => reportRewrapped(logger, await rewrap.run()) },
    ],
  };
}

/** with: tenants, and who may act in them */
const identities = (config: KernelConfig, below: BelowManagement, endCalls: EndCalls): readonly object[] => [
  new CreateTenant(below.changes, config.masterKeys.current),
  new Limits(below.tenancy, below.changes, below.sizes),
  new RevokeKey(below.changes, endCalls),
  new Agents(below.tenancy, below.changes),
  new Delegations(below.tenancy, below.changes),
  new Tokens(below.tenancy),
  new IssueToken(below.changes),
  new AttenuateToken(below.changes),
  new ListForJob(below.changes),
  new RevokeToken(below.tenancy, below.changes, below.events),
  new SpawnToken(below.tenants, below.changes, below.args),
  new DrawTokens(below.tenants),
];

/** with: what calls may name */
const resources = (below: BelowManagement, work: Work<ManagementTasks>): readonly object[] => [
  new Secrets(below.tenancy, below.changes, below.vault, below.box),
  new ApplyTools(below.tenancy, below.changes),
  new ListTools(below.tenancy),
  new SearchProviders(below.tenancy, below.changes),
  new RegisterSandbox(below.changes),
  new ListSandboxes(below.tenancy),
  new Registrars(below.tenancy, below.changes),
  new Profiles(below.tenancy, below.changes),
  new Skills(below.tenancy, below.changes, below.blobs, work),
  new Resources(below.tenancy, below.changes),
];

function workspaces({ tenancy, changes, blobs, trees, sizes }: BelowManagement): readonly object[] {
  const moves = new HeadMoves(tenancy, changes, blobs, trees, sizes);
  return [
    new Workspaces(tenancy),
    new CreateWorkspace(changes, blobs),
    new ChangeWorkspace(moves, blobs),
    new RestoreWorkspace(moves, tenancy),
    new ImportWorkspace(moves, blobs),
    new LimitWorkspace(tenancy, changes, sizes),
  ];
}

/** with: what operators see of calls and containers, and do with them */
function calls(below: BelowManagement): readonly object[] {
  const { bus, subjects, tenants, workers, vault, views } = below;
  const containers = new Containers(tenants, workers);
  const ask = (tenantId: string, event: PeekEvent): void => bus.publish(subjects.event('peek', tenantId), event);
  return [
    new ReadOperation(tenants, views),
    new ReadRequests(tenants, vault),
    new ReadOutput(tenants, vault.calls),
    new ReadResult(tenants, vault.calls),
    new ListOperations(below.tenancy),
    new Notices(workers),
    new Freezes(tenants),
    new PlaceFreeze(below),
    new LiftFreeze(below, below.dispatcher),
    containers,
    new Peek(containers, ask),
    new KillContainer(containers, tenants, below.sealer, below.outbox, below.announcer),
  ];
}

/** with: policies, and what another one would decide */
function policies(below: BelowManagement, work: Work<ExecutionTasks>): readonly object[] {
  const { engine, shelf } = below;
  const recorded = new RecordedCalls(below);
  return [
    new ShowPolicies(below.tenancy, shelf),
    new PutPolicy(below.changes, shelf),
    new ActivatePolicy(below, shelf),
    new Simulate({ ...below, engine, shelf }),
    new BacktestPolicy(recorded, shelf, below.keys.record, {
      effects: pastEffects(below, work),
      now: () => performance.now(),
    }),
    new ExplainOperation(recorded, shelf),
    new ReplayCalls(recorded, shelf),
  ];
}

/**
 * What backtests judge effects with: caches of its own, since a whole history passes through them, and the turns of
 * large readings that commits take too.
 */
function pastEffects({ tenants, args, largeReadings }: BelowManagement, work: Work<ExecutionTasks>): RecordedEffects {
  const blobs = cachedBlobs(pgBlobs(tenants.pool), { bytesMax: PAST_CACHE_BYTES });
  const share = { large: largeReadings, seriesChangesMax: PAST_CHANGES_MAX, queuedAs: BACKTESTS };
  const examiner = new EffectExaminer(blobs, tenants, work, share);
  const deltas = new StoredDeltas(blobs, work, BACKTESTS);
  return new RecordedEffects({ tenants, args, deltas, examiner });
}

function reportRewrapped(logger: ProcessContext['logger'], { done, unopened }: Rewrapped): void {
  if (done > 0) logger.info({ tenants: done }, 'keys of tenants were wrapped anew under the current master key');
  if (unopened.length > 0)
    logger.error(
      { tenants: unopened.length, first: unopened[0] },
      'keys of tenants are under a master key that is not known: give it by WRIT_MASTER_KEY_BEFORE_FILE',
    );
}

@Module({})
export class ManagementModule {
  /** @param foundation the module that provides the pools */
  static with({ useCases }: Management, foundation: DynamicModule): DynamicModule {
    return {
      module: ManagementModule,
      imports: [foundation],
      controllers: [
        TenantsController,
        ApiKeysController,
        AgentsController,
        DelegationsController,
        TokensController,
        DerivedTokensController,
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
        ContainersController,
        PeekedController,
        PoliciesController,
        WhatIfController,
      ],
      providers: useCases.map((value) => provideValue(value)),
    };
  }
}
