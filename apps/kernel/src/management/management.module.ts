// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { pgBlobs, pgBlobSweep } from '@writ/blobs-pg';
import type { PeekEvent } from '@writ/contract';
import { provideValue, type ProcessContext } from '@writ/nest-kit';
import type { TaskRunner } from '@writ/worker-pool';
import type { KernelConfig } from '../config.env.ts';
import type { BelowExecution, Execution } from '../execution/execution.module.ts';
import type { ExecutionTasks } from '../execution/worker-tasks.ts';
import type { Images } from '../judging/judgement/index.ts';
import type { PeriodicTask } from '../foundation/periodic-task.ts';
import { Agents } from './agents/index.ts';
import { Budgets } from './budgets/index.ts';
import { ApproverGroups } from './approver-groups/index.ts';
import { TenantCallSettings } from './call-settings/index.ts';
import { EndCalls, RevokeKey } from './api-keys/index.ts';
import { BeginUpload, ExpireAudio } from './audio-devices/index.ts';
import { Containers, KillContainer, ReadContainerLogs } from './containers/index.ts';
import { Delegations, OffboardPerson, SuspendPerson } from './delegations/index.ts';
import { Freezes, LiftFreeze, PlaceFreeze } from './freezes/index.ts';
import { Collect, GcRoots } from './garbage-collection/index.ts';
import { ImageBuilds, TenantImages } from './images/index.ts';
import { McpConnections, McpConsents, TokenWork } from './mcp-connections/index.ts';
import { DecideMcpTools, McpListings, McpServers } from './mcp-servers/index.ts';
import { Notices } from './notices/index.ts';
import { ListOperations, ReadOperation, ReadOutput, ReadRequests, ReadResult } from './operation-queries/index.ts';
import { ActivatePolicy, PutPolicy, ShowPolicies } from './policy-sets/index.ts';
import { Profiles } from './profiles/index.ts';
import { ExternalVersions } from './external-versions/index.ts';
import { ResourceGrants, Resources } from './resources/index.ts';
import { ListSandboxes, RegisterSandbox, Registrars } from './sandboxes/index.ts';
import { Secrets } from './secrets/index.ts';
import { Skills } from './skills/index.ts';
import { ReportSystem } from './system/index.ts';
import { CloseTenant, CreateTenant, TenantLimits, reportRewrapped, RewrapKeys, Tenants } from './tenants/index.ts';
import {
  AttenuateToken,
  BoundCredentialGuard,
  CallDefaults,
  ExchangeToken,
  ChargeModelTokens,
  IssueToken,
  ListForJob,
  RevokeToken,
  SpawnToken,
  Tokens,
} from './tokens/index.ts';
import { ReadUsage, RollUpUsage } from './usage/index.ts';
import { ApplyTools, ListTools } from './tool-registry/index.ts';
import { BacktestPolicy, ExplainOperation, RecordedCalls, ReplayCalls, Simulate } from './what-if/index.ts';
import { MANAGEMENT_CONTROLLERS } from './management-controllers.ts';
import { pastEffects } from './past-effects.ts';
import type { ManagementTasks } from './worker-tasks.ts';
import {
  ChangeWorkspace,
  CreateWorkspace,
  HeadMoves,
  ImportWorkspace,
  LimitWorkspace,
  RestoreWorkspace,
  Workspaces,
} from './workspaces/index.ts';

/** How often the collection checks for a due tenant, in milliseconds. It collects one tenant each time. */
const COLLECT_CHECK_MS = 10_000;
/** How often it removes recordings that are too old, in milliseconds: they stay so much longer at most. */
const EXPIRE_AUDIO_MS = 5_000;
/** How often it checks for tenants with keys under another master key, in milliseconds, first after this time. */
const REWRAP_MS = 60_000;
/** How often it forgets connections to MCP servers that are over, in milliseconds. */
const FORGET_CONNECTIONS_MS = 60_000;
/** How often it adds the calls of tenants to their sums by day, in milliseconds. */
const ROLL_UP_MS = 60_000;
/** Management depends on all other modules. */
interface ManagementDependencies extends BelowExecution, Execution {}
type AllTasks = ExecutionTasks & ManagementTasks;

export interface Management {
  readonly useCases: readonly object[];
  readonly guard: BoundCredentialGuard;
  readonly tasks: readonly PeriodicTask[];
}

export function managementOf(
  config: KernelConfig,
  { logger }: ProcessContext,
  dependencies: ManagementDependencies,
  work: TaskRunner<AllTasks>,
): Management {
  const { tenants, workers, changes, announcer, outcomeWriter, held } = dependencies;
  const endCalls = new EndCalls(tenants, workers, held, outcomeWriter, announcer, dependencies.report);
  const roots = new GcRoots(dependencies.tenancy, pgBlobs(tenants.pool), dependencies.vault, work);
  const intervals = { everyMs: config.WRIT_COLLECT_MS, graceMs: config.WRIT_COLLECT_GRACE_MS };
  const collect = new Collect(workers, roots, pgBlobSweep(tenants.pool), changes, intervals);
  const expireAudio = new ExpireAudio(workers, tenants, Date.now);
  const rewrap = new RewrapKeys(workers, changes, config.masterKeys);
  const rollUp = new RollUpUsage(workers, tenants, ROLL_UP_MS);
  const tokenWork = new TokenWork(dependencies);
  return {
    useCases: [
      ...identities(config, dependencies, endCalls),
      new ReportSystem(tenants, workers, dependencies.slots, Date.now),
      ...resources(config, dependencies, work),
      new McpConnections(dependencies.tenancy, changes),
      new McpConsents(dependencies),
      tokenWork,
      ...workspaces(dependencies),
      ...calls(dependencies),
      ...policies(dependencies, work),
    ],
    guard: new BoundCredentialGuard(tenants),
    tasks: [
      { everyMs: config.WRIT_SWEEP_MS, run: () => endCalls.sweep() },
      { everyMs: COLLECT_CHECK_MS, run: () => collect.next() },
      { everyMs: EXPIRE_AUDIO_MS, run: () => expireAudio.run() },
      { everyMs: FORGET_CONNECTIONS_MS, run: () => tokenWork.sweep() },
      { everyMs: ROLL_UP_MS, run: () => rollUp.run() },
      { everyMs: REWRAP_MS, run: async () => reportRewrapped(logger, await rewrap.run()) },
    ],
  };
}

/** Tenants and their identities. */
const identities = (
  config: KernelConfig,
  dependencies: ManagementDependencies,
  endCalls: EndCalls,
): readonly object[] => [
  new CreateTenant(dependencies.changes, config.masterKeys.current),
  new TenantLimits(dependencies.tenancy, dependencies.changes, dependencies.sizes),
  new Tenants(dependencies.tenancy, dependencies.workers),
  new CloseTenant(dependencies.changes, endCalls, dependencies),
  new TenantCallSettings(dependencies.tenancy, dependencies.changes),
  new Budgets(dependencies.tenancy, dependencies.changes),
  new ReadUsage(dependencies.tenants),
  new RevokeKey(dependencies.changes, endCalls),
  new Agents(dependencies.tenancy, dependencies.changes),
  new Delegations(dependencies.tenancy, dependencies.changes),
  new OffboardPerson(dependencies.changes),
  new SuspendPerson(dependencies.changes),
  new ApproverGroups(dependencies.tenancy, dependencies.changes, dependencies.policies),
  new Tokens(dependencies.tenancy),
  new IssueToken(dependencies.changes),
  new AttenuateToken(dependencies.changes),
  new ExchangeToken(dependencies.changes),
  new ListForJob(dependencies.changes),
  new RevokeToken(dependencies.tenancy, dependencies.changes, dependencies.events),
  new SpawnToken(dependencies.tenants, dependencies.changes, dependencies.args),
  new ChargeModelTokens(dependencies.tenants),
  new CallDefaults(dependencies.tenants),
];

/** The deployment's images, which programs are listed in. */
const imagesOf = (config: KernelConfig): Images => ({
  sandbox: config.WRIT_SANDBOX_IMAGE_DIGEST,
  others: config.sandboxImages,
});

/** What calls may name: tools, resources, external versions and the like. */
const resources = (
  config: KernelConfig,
  dependencies: ManagementDependencies,
  work: TaskRunner<ManagementTasks>,
): readonly object[] => [
  new Secrets(dependencies.tenancy, dependencies.changes, dependencies.vault, dependencies.hpkeBox),
  new ApplyTools(dependencies.tenancy, dependencies.changes, work),
  new ListTools(dependencies.tenancy),
  new RegisterSandbox(dependencies.changes),
  new ListSandboxes(dependencies.tenancy),
  new Registrars(dependencies.tenancy, dependencies.changes),
  new Profiles(dependencies.tenancy, dependencies.changes),
  new TenantImages(dependencies.tenancy, dependencies.changes, config.allowedImages),
  new ImageBuilds(dependencies.workers, dependencies.tenants, dependencies.changes),
  new Skills(dependencies.tenancy, dependencies.changes, dependencies.blobs, work),
  new Resources(dependencies.tenancy, dependencies.changes),
  new McpServers(dependencies.tenancy, dependencies.changes),
  new DecideMcpTools(dependencies.tenancy, dependencies.changes, work),
  new McpListings({ ...dependencies, images: imagesOf(config) }, work),
  new ResourceGrants(dependencies.tenancy, dependencies.changes),
  new BeginUpload(dependencies.changes, dependencies.vault),
  new ExternalVersions(dependencies.tenancy, dependencies.changes),
];

function workspaces({ tenancy, changes, blobs, trees, sizes }: ManagementDependencies): readonly object[] {
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

/** Operators' views of calls and containers, and their actions. */
function calls(dependencies: ManagementDependencies): readonly object[] {
  const { bus, subjects, tenants, workers, vault, views } = dependencies;
  const containers = new Containers(tenants, workers);
  const publishPeek = (tenantId: string, event: PeekEvent): void =>
    bus.publish(subjects.event('peek', tenantId), event);
  return [
    new ReadOperation(tenants, views),
    new ReadRequests(tenants, vault),
    new ReadOutput(tenants, vault.calls),
    new ReadResult(tenants, vault.calls),
    new ListOperations(dependencies.tenancy),
    new Notices(workers),
    new Freezes(tenants),
    new PlaceFreeze(dependencies),
    new LiftFreeze(dependencies, dependencies.dispatcher),
    containers,
    new ReadContainerLogs(containers, publishPeek),
    new KillContainer(containers, tenants, dependencies.sealer, dependencies.outbox, dependencies.announcer),
  ];
}

/** Policies, and simulations of other policies. */
function policies(dependencies: ManagementDependencies, work: TaskRunner<ExecutionTasks>): readonly object[] {
  const { engine, policyRepository } = dependencies;
  const recordedCalls = new RecordedCalls(dependencies);
  return [
    new ShowPolicies(dependencies.tenancy, policyRepository),
    new PutPolicy(dependencies.changes, policyRepository),
    new ActivatePolicy(dependencies, policyRepository),
    new Simulate({ ...dependencies, engine, policyRepository }),
    new BacktestPolicy(recordedCalls, policyRepository, dependencies.keys.record, {
      effects: pastEffects(pgBlobs(dependencies.tenants.pool), dependencies, work),
      now: () => performance.now(),
    }),
    new ExplainOperation(recordedCalls, policyRepository),
    new ReplayCalls(recordedCalls, policyRepository),
  ];
}

@Module({})
export class ManagementModule {
  /** @param foundation the module that provides the pools */
  static with({ useCases, guard }: Management, foundation: DynamicModule): DynamicModule {
    return {
      module: ManagementModule,
      imports: [foundation],
      controllers: [...MANAGEMENT_CONTROLLERS],
      // It guards the requests of all modules.
      providers: [...useCases.map((value) => provideValue(value)), { provide: APP_GUARD, useValue: guard }],
    };
  }
}
