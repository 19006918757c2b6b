// SPDX-License-Identifier: Apache-2.0
import {
  ApprovalDiff,
  ApprovalView,
  ApproverDemand,
  ApproverDemandView,
  ApproverGroupView,
  BacktestEffects,
  BacktestPage,
  BudgetSetting,
  BudgetSubject,
  BudgetView,
  CallUsageItem,
  ExecutionProfile,
  Grant,
  McpServerToolView,
  ModelProvider,
  NetGrant,
  OperationView,
  PermitProof,
  ProfilePutReply,
  RegistrarKeyView,
  RESOURCE_SETTINGS,
  Resolution,
  SystemUser,
  ToolResult,
} from '@writ/contract';
import { ModelUsage } from '@writ/agent-loop';
import { Type, type TSchema } from 'typebox';
import type { NamedSchemas } from '../edge/openapi/schemas.ts';
import { closed, Name } from '../edge/requests/fields.ts';
import { BudgetList } from './budgets/views.ts';
import { INVITATION_SCHEMAS } from './invitations/views.ts';
import { MEMBER_SCHEMAS } from './members/views.ts';
import { ApproverGroupList } from './approver-groups/views.ts';
import {
  IssuerProfile,
  PinnedKeySet,
  ProviderSettings,
  ScopeRole,
  WorkloadRole,
  WorkloadSettings,
} from './identity-providers/views.ts';
import { ApiImported } from './tools/import-views.ts';
import { JOBS } from './jobs/routes.ts';
import { McpMessage } from './mcp/routes.ts';
import { RunEventView, RunReplayView, SessionView } from './sessions/views.ts';
import { CallUsageView } from './usage/views.ts';
import {
  EmailDestination,
  EmailDestinationChange,
  EmailDestinationView,
  TeamsDestination,
  TeamsDestinationView,
  WebhookDestination,
  WebhookDestinationView,
} from './channels/destination-schemas.ts';
import { SlackChange, SlackSettings } from './channels/routes.ts';
import { ChannelKind, SlackConversation } from './channels/views.ts';
import { WebhookView } from './webhooks/views.ts';

/** A part of a schema by the way to it, where the types of unions don't lead there. */
function partOf(schema: TSchema, ...path: readonly string[]): TSchema {
  return path.reduce<TSchema>((at, name) => {
    const part = (at as Readonly<Record<string, unknown>>)[name];
    if (typeof part !== 'object' || part === null) throw new Error(`a schema has no part \`${path.join('/')}\``);
    return part;
  }, schema);
}

const McpServerByUrl = partOf(RESOURCE_SETTINGS.mcp_server, 'anyOf', '0');

/** Parts of other schemas with a name in the OpenAPI document, since they occur in several. */
export const NAMED_PARTS: NamedSchemas = {
  IssuerProfile,
  PinnedKeySet,
  WorkloadRole,
  WorkloadSettings,
  ApprovalVotes: ApprovalView.properties.votes,
  OperationVotes: OperationView.properties.votes,
  Budget: BudgetView,
  BudgetList,
  BudgetSetting,
  BudgetSubject,
  BudgetPeriod: BudgetView.properties.period,
  BudgetMeasure: BudgetView.properties.measure,
  CallUsage: CallUsageView,
  CallUsageItem,
  NewName: Type.Object({ name: Name }, closed),
  Removed: Type.Object({ removed: Type.String() }, closed),
  Budgets: Grant.properties.budgets,
  NetGrant,
  PathGrant: Grant.properties.fs.items,
  PolicyOfVerdict: BacktestPage.properties.candidate,
  VerdictChange: BacktestPage.properties.changes.items,
  VerdictChangeOfEffect: BacktestEffects.properties.changes.items,
  Redaction: OperationView.properties.redactions.items,
  Replayed: RunReplayView.properties.items.items.properties.was.anyOf[0],
  SystemUserIds: SystemUser.anyOf[1],
  SandboxLimits: ExecutionProfile.properties.limits,
  ResolutionOutcome: Resolution.properties.outcome,
  McpServerByUrl,
  McpServerByProgram: partOf(RESOURCE_SETTINGS.mcp_server, 'anyOf', '1'),
  McpServerQuestion: partOf(McpServerByUrl, 'properties', 'asks', 'items'),
  LocalModel: ModelProvider.anyOf[0],
  McpToolDefinition: McpServerToolView.properties.seen.anyOf[0].properties.definition,
  ToolProblem: McpServerToolView.properties.problems.items,
  DocumentProblem: ProfilePutReply.properties.problems.items,
  ImportProblem: ApiImported.properties.problems.items,
  PublicKey: RegistrarKeyView.properties.public_key,
  StoredOutput: ToolResult.properties.whole_output.properties.stdout,
  ModelTurn: partOf(RunEventView, 'anyOf', '0', 'properties', 'turn'),
  ModelUsage,
  WebhookDisabledReason: WebhookView.properties.disabled_reason.anyOf[0],
  EmailDestination,
  EmailDestinationChange,
  EmailDestinationView,
  EmailTls: EmailDestination.properties.tls,
  TeamsDestination,
  TeamsDestinationView,
  WebhookDestination,
  WebhookDestinationView,
  SlackConversation,
  SlackSettings,
  SlackChange,
  ChannelKind,
  SpawnedBy: SessionView.properties.spawned_by.anyOf[0],
  ScopeRole,
  ...MEMBER_SCHEMAS,
  ...INVITATION_SCHEMAS,
  SignInClient: ProviderSettings.properties.sign_in.anyOf[0],
  GroupRole: ProviderSettings.properties.groups.items,
  PermitProof: Type.Object(PermitProof, closed),
  McpMessage,
  JobSettings: JOBS.create.body,
  DiffFile: ApprovalDiff.properties.files.items,
  ApproverGroup: ApproverGroupView,
  ApproverGroupList,
  ApproverDemand,
  ApproverDemandCount: ApproverDemandView,
};
