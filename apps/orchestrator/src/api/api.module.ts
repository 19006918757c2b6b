// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AudioIngest } from '@writ/audio';
import { provideBy, provideClass, type ProcessContext } from '@writ/nest-kit';
import { BlobStore } from '@writ/blobs';
import { Follow } from '../calls/follow.ts';
import { KernelClient } from '../calls/kernel/kernel-client.ts';
import { RevokeKey } from '../calls/kernel/revoke-key.ts';
import { ShowOperation } from '../calls/show-operation.ts';
import { ReadReceipt } from '../delivery/read-receipt.ts';
import { LedgerClient } from '../delivery/ledger-client.ts';
import { ChannelSecrets } from '../delivery/channels/channel-secrets.ts';
import { WebhookSecrets } from '../delivery/webhooks/secrets.ts';
import { Authenticator } from '../edge/access/authenticator.ts';
import { RateLimit } from '../edge/access/rate-limit.ts';
import { CachedTenantLimits } from '../edge/access/tenant-limits.ts';
import { scopesOf } from '../edge/access/scopes.ts';
import { ExpandAnswers } from '../edge/expansions/expand-answers.ts';
import { WorkerTasks } from '../edge/work/worker-tasks.ts';
import { ChangeSessions } from '../runs/conversations/change-sessions.ts';
import { DriveRuns } from '../runs/driving/drive-runs.ts';
import { Jobs } from '../store/jobs/jobs.ts';
import { ApiKeys } from '../store/keys/api-keys.ts';
import { Members } from '../store/members/members.ts';
import { Sessions } from '../store/session-rows/sessions.ts';
import { Channels } from '../store/channels/channels.ts';
import { Webhooks } from '../store/webhooks/webhooks.ts';
import { AgentsController } from './agents/agents.controller.ts';
import { ApprovalQueueController } from './approvals/approval-queue.controller.ts';
import { approvalsProviders } from './approvals/approvals-providers.ts';
import { ApprovalsController } from './approvals/approvals.controller.ts';
import { AudioDevicesController } from './audio-devices/audio-devices.controller.ts';
import { UsageController } from './usage/usage.controller.ts';
import { BudgetsController } from './budgets/budgets.controller.ts';
import { CallSettingsController } from './call-settings/call-settings.controller.ts';
import { CallsController } from './calls/calls.controller.ts';
import { ChangeKeys } from './api-keys/change-keys.ts';
import { ChangeChannels } from './channels/change-channels.ts';
import { ChannelsController } from './channels/channels.controller.ts';
import { ChangeWebhooks } from './webhooks/change-webhooks.ts';
import { Compare } from './workspaces/compare.ts';
import { ConnectController } from './connect/connect.controller.ts';
import { connectProviders, type ConnectConfig } from './connect/connect-providers.ts';
import { ContainersController } from './containers/containers.controller.ts';
import { SystemReportController } from './system/report.controller.ts';
import { ReportSystem } from './system/report-system.ts';
import { ClosedRecords } from './tenants/closed-records.ts';
import { CloseTenant } from './tenants/close-tenant.ts';
import { CreateTenant } from './tenants/create-tenant.ts';
import { ApproverGroupsController } from './approver-groups/approver-groups.controller.ts';
import { DelegationsController } from './approvals/delegations.controller.ts';
import { DeliveriesController } from './webhooks/deliveries.controller.ts';
import { ErasuresController } from './erasures/erasures.controller.ts';
import { EventsController } from './event-streams/events.controller.ts';
import { Export } from './workspaces/export.ts';
import { ExportsController } from './exports/exports.controller.ts';
import { FilesController } from './workspaces/files.controller.ts';
import { FreezesController } from './freezes/freezes.controller.ts';
import { Import } from './workspaces/import.ts';
import { FunctionsController } from './functions/functions.controller.ts';
import { WaitForPermit } from './functions/wait-for-permit.ts';
import { JobsController } from './jobs/jobs.controller.ts';
import { KeysController } from './api-keys/keys.controller.ts';
import { LogController } from './log/log.controller.ts';
import { McpController } from './mcp/mcp.controller.ts';
import { mcpProviders, type McpConfig } from './mcp/mcp-providers.ts';
import { OauthTokenController } from './oauth-token/oauth-token.controller.ts';
import { oauthTokenProviders } from './token-grants.ts';
import { OperationsController } from './operations/operations.controller.ts';
import { OutputController } from './operations/output.controller.ts';
import { PoliciesController } from './policies/policies.controller.ts';
import { ChangeProviders } from './identity-providers/change-providers.ts';
import { IdentityProvidersController } from './identity-providers/identity-providers.controller.ts';
import { PersonsController } from './identity-providers/persons.controller.ts';
import { IssuerConsent } from '../edge/access/oauth/issuer-consent.ts';
import { IdentityHashes, PersonLinks } from '../edge/access/oauth/person-links.ts';
import { ProtectedResource } from '../edge/access/oauth/protected-resource.ts';
import { Identities } from '../store/identities/identities.ts';
import { ImagesController } from './images/images.controller.ts';
import { invitationsProviders } from './invitations/invitations-providers.ts';
import { InvitationsController } from './invitations/invitations.controller.ts';
import { membersProviders } from './members/members-providers.ts';
import { MembersController } from './members/members.controller.ts';
import { McpConnectionsController } from './mcp-servers/mcp-connections.controller.ts';
import { AskConnection } from '../calls/ask-connection.ts';
import { McpServersController } from './mcp-servers/mcp-servers.controller.ts';
import { ProfilesController } from './profiles/profiles.controller.ts';
import { PutFiles } from './workspaces/put-files.ts';
import { PutSkill } from './skills/put-skill.ts';
import { ReadFile } from './workspaces/read-file.ts';
import { ReadOutput } from './operations/read-output.ts';
import { ReadTree } from './workspaces/read-tree.ts';
import { ReceiptController } from './operations/receipt.controller.ts';
import { RecordsController } from './records/records.controller.ts';
import { ReceiveFrames } from './audio-devices/receive-frames.ts';
import { ReplayRun } from './sessions/replay-run.ts';
import { ResourceGrantsController } from './resources/resource-grants.controller.ts';
import { ResourcesController } from './resources/resources.controller.ts';
import { ExternalVersionsController } from './external-versions/external-versions.controller.ts';
import { Restore } from './workspaces/restore.ts';
import { RunsController } from './sessions/runs.controller.ts';
import { SandboxesController } from './sandboxes/sandboxes.controller.ts';
import { SecretsController } from './secrets/secrets.controller.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { ReadApproval } from './approvals/read-approval.ts';
import { SignInController } from './sign-in/sign-in.controller.ts';
import { SignInPagesController } from './sign-in/sign-in-pages.controller.ts';
import { signInApiProviders } from './sign-in/sign-in-providers.ts';
import { SkillsController } from './skills/skills.controller.ts';
import { Snapshots } from './workspaces/snapshots.ts';
import { SystemController } from './system/system.controller.ts';
import { TenantsController } from './tenants/tenants.controller.ts';
import { TokensController } from './tokens/tokens.controller.ts';
import { ToolsController } from './tools/tools.controller.ts';
import { TurnsController } from './turns/turns.controller.ts';
import { WebhooksController } from './webhooks/webhooks.controller.ts';
import { WhoamiController } from './whoami/whoami.controller.ts';
import { WorkspacesController } from './workspaces/workspaces.controller.ts';
import { expansionSources } from './expansion-sources.ts';
import { ROUTES } from './routes.ts';

/** The configuration of single resources. */
export interface ApiConfig extends McpConfig, ConnectConfig {
  /** `host:port` */
  readonly webhookAllowed: ReadonlySet<string>;
  /** `host:port` of OAuth issuers that may be reached by plain HTTP */
  readonly issuerAllowed: ReadonlySet<string>;
  /** absent: there are no channels, since messages could lead nowhere */
  readonly WRIT_PUBLIC_URL?: string | undefined;
  readonly WRIT_CONSOLE?: boolean;
}

const workspaces: Provider[] = [
  provideClass(Snapshots, KernelClient, BlobStore),
  provideClass(ReadFile, Snapshots, BlobStore),
  provideClass(ReadTree, Snapshots),
  provideBy(
    Compare,
    [Snapshots, BlobStore, WorkerTasks],
    (snapshots, blobs, tasks) => new Compare(snapshots, { blobs, tasks }),
  ),
  provideClass(Restore, KernelClient, Snapshots),
  provideClass(PutFiles, KernelClient, BlobStore),
  provideClass(Export, Snapshots, BlobStore),
  provideClass(Import, KernelClient, BlobStore),
];

const revocation = provideBy(
  RevokeKey,
  [KernelClient, ApiKeys, Authenticator, DriveRuns],
  (kernel, keys, authenticator, runs) => new RevokeKey(kernel, { keys, authenticator, runs }),
);

const channels = ({ webhookAllowed: allowed, WRIT_PUBLIC_URL: url, WRIT_CONSOLE: isOn }: ApiConfig): Provider =>
  provideBy(
    ChangeChannels,
    [KernelClient, Channels, ChannelSecrets],
    (kernel, rows, secrets) =>
      new ChangeChannels({
        ...{ kernel, channels: rows, secrets, allowed },
        hasConsole: url !== undefined && isOn !== false,
      }),
  );

const resources = ({ webhookAllowed, issuerAllowed }: ApiConfig): Provider[] => [
  provideBy(ReportSystem, [KernelClient], (kernel) => new ReportSystem(kernel, Date.now)),
  provideClass(CreateTenant, KernelClient, ApiKeys),
  provideClass(CloseTenant, KernelClient, ApiKeys, CachedTenantLimits),
  provideClass(ClosedRecords, KernelClient, LedgerClient),
  provideBy(
    ChangeKeys,
    [KernelClient, ApiKeys, Authenticator, Jobs, RevokeKey, Members, PersonLinks],
    (kernel, keys, authenticator, ...[jobs, revokeKey, members, persons]) =>
      new ChangeKeys(
        kernel,
        keys,
        authenticator,
        { jobs, revokeKey, members, persons },
        { scopes: scopesOf(ROUTES), now: Date.now },
      ),
  ),
  provideBy(
    ChangeProviders,
    [
      ...([KernelClient, Identities, Members, ApiKeys, RevokeKey, Authenticator] as const),
      ...([IdentityHashes, ProtectedResource, IssuerConsent] as const),
    ],
    (kernel, identities, members, keys, revokeKey, authenticator, ...[hashes, resource, consent]) =>
      new ChangeProviders(kernel, {
        ...{ identities, members, keys, revokeKey, authenticator, hashes, resource, consent, issuerAllowed },
      }),
  ),
  ...approvalsProviders,
  provideClass(ReadOutput, KernelClient, BlobStore),
  provideClass(ReceiveFrames, KernelClient, AudioIngest),
  provideBy(
    WaitForPermit,
    [KernelClient, Follow],
    (kernel, follow) => new WaitForPermit(kernel, follow, () => performance.now()),
  ),
  provideClass(AskConnection, KernelClient, Identities, ProtectedResource),
  provideClass(ReplayRun, KernelClient, Sessions),
  provideClass(PutSkill, KernelClient, BlobStore),
  provideBy(
    ChangeWebhooks,
    [KernelClient, Webhooks, WebhookSecrets],
    (kernel, webhooks, secrets) => new ChangeWebhooks(kernel, webhooks, secrets, webhookAllowed),
  ),
];

/** Answers expand what other routes show. */
const expansions: Provider = {
  ...provideBy(
    ExpandAnswers,
    [KernelClient, ShowOperation, ReadReceipt, ChangeSessions, ReadApproval, RateLimit],
    (kernel, show, receipts, sessions, approvals, rate) =>
      new ExpandAnswers({ rows: ROUTES, sources: expansionSources(kernel, show, receipts, sessions, approvals), rate }),
  ),
  provide: APP_INTERCEPTOR,
};

/** In the order of the resources in the documentation. */
const CONTROLLERS = [
  TenantsController,
  SystemReportController,
  KeysController,
  WhoamiController,
  IdentityProvidersController,
  PersonsController,
  MembersController,
  InvitationsController,
  SignInController,
  OauthTokenController,
  CallSettingsController,
  BudgetsController,
  UsageController,
  AgentsController,
  ResourcesController,
  ResourceGrantsController,
  AudioDevicesController,
  ExternalVersionsController,
  SecretsController,
  ContainersController,
  SandboxesController,
  ImagesController,
  McpServersController,
  McpConnectionsController,
  ProfilesController,
  SkillsController,
  ToolsController,
  CallsController,
  FunctionsController,
  TurnsController,
  McpController,
  OperationsController,
  OutputController,
  ReceiptController,
  DelegationsController,
  ApprovalQueueController,
  ApproverGroupsController,
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
  EventsController,
  ExportsController,
  ChannelsController,
  WebhooksController,
  DeliveriesController,
  SessionsController,
  RunsController,
  JobsController,
  ConnectController,
  SignInPagesController,
];

/** The resources of the API. Each has a folder with its routes, its controller and its views. */
@Module({})
export class ApiModule {
  /** @param below the modules before this one */
  static with(config: ApiConfig, { logger }: ProcessContext, below: DynamicModule[]): DynamicModule {
    return {
      module: ApiModule,
      imports: below,
      controllers: CONTROLLERS,
      providers: [
        revocation,
        ...resources(config),
        channels(config),
        ...workspaces,
        ...membersProviders(logger),
        ...invitationsProviders(),
        ...mcpProviders(config, logger),
        ...oauthTokenProviders(),
        ...connectProviders(config, logger),
        ...signInApiProviders(config, logger),
        expansions,
      ],
    };
  }
}
