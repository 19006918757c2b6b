// SPDX-License-Identifier: Apache-2.0
import {
  AgentView, ApprovalView, Backtest, BacktestPage, Change, ContainerLogs, ContainerView, Delta, EgressRequest, EgressRequestPage, Envelope, ExecutionProfile, FileState, Grant, Inclusion, OperationExplanation, OperationView, PolicyActivation, PolicyDiff, PolicyExplanation, PolicyPage, PolicyProblem, PolicyPut,
  PolicySchemaView, PolicySetView, PolicySetWhole, PolicyTemplateList, PreconditionRef, ProfilePut, ProfileView, Provenance, Reason, Receipt, ReceiptState, RecordPage, RegistrarKeyView,
  Resolution, ResourceView, ResultError, SandboxPut, SandboxView, SandboxWhole, SecretView, Simulation, SkillPut, SkillView, SkillWhole, SnapshotView, ToolResult, TreeEntry, WorkspaceView,
} from '@writ/contract';
import type { TSchema } from 'typebox';
import { Problem } from '../http/problem.ts';
import { PublishedKeyFile } from '../http/published-keys.ts';
import { CallBody } from '../http/routes/index.ts';
import {
  AgentList, ApiKeyList, ApiKeyView, ApprovalList, ContainerList, Health, NewApiKey, NewTenant, OperationList, PolicyActivationList, ProfileList, ReadyView, RecordView, RegistrarKeyList, ResourceList, SandboxList, SecretList, SkillList, SnapshotList, TokenList, TokenView, ToolList, ToolView, TreeView,
  WorkspaceList,
} from '../http/views.ts';
import { ModelList, ModelView, RunEventView, RunList, RunReplayView, RunView, SessionList, SessionView, TranscriptView, UsageView } from '../http/session-views.ts';
import { DeliveryList, DeliveryView, NewWebhookView, WebhookList, WebhookView } from '../http/webhook-views.ts';

/** Schemas that have a name in the document. */
export const NAMED: Readonly<Record<string, TSchema>> = {
  Agent: AgentView, AgentList, ApiKey: ApiKeyView, ApiKeyList, Approval: ApprovalView, ApprovalList, Backtest, BacktestPage, Change, Delta, EgressRequest, EgressRequestPage, Envelope, ExecutionProfile, FileState, Grant, Health, Inclusion,
  NewApiKey, NewTenant, Operation: OperationView, OperationExplanation, OperationList, PolicyActivation, PolicyActivationList, PolicyDiff, PolicyExplanation, PolicyPage, PolicyProblem, PolicyPut, PolicySchema: PolicySchemaView,
  PolicySet: PolicySetView, PolicySetWhole, PolicyTemplateList, PreconditionRef, Problem, Provenance, PublicKeys: PublishedKeyFile, Readiness: ReadyView, Reason, Receipt, ReceiptState,
  Record: RecordView, RecordPage, Resolution, Resource: ResourceView, ResourceList, ResultError, Container: ContainerView, ContainerList, ContainerLogs, Profile: ProfileView, ProfileList, ProfilePut, RegistrarKey: RegistrarKeyView, RegistrarKeyList, Sandbox: SandboxView, SandboxList, SandboxPut, SandboxWhole, Secret: SecretView, SecretList, Simulation, Skill: SkillView, SkillList, SkillPut, SkillWhole, Snapshot: SnapshotView, SnapshotList, Token: TokenView, TokenList, Tool: ToolView, ToolCall: CallBody, ToolList, ToolResult, Tree: TreeView, TreeEntry,
  Model: ModelView, ModelList, Run: RunView, RunEvent: RunEventView, RunList, RunReplay: RunReplayView, Session: SessionView, SessionList, Transcript: TranscriptView, Usage: UsageView,
  Delivery: DeliveryView, DeliveryList, NewWebhook: NewWebhookView, Webhook: WebhookView, WebhookList, Workspace: WorkspaceView, WorkspaceList,
};

const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [schema as object, name]));

/** The schema as plain JSON Schema 2020-12, with a reference in the place of every named one below it. */
export function inlined(schema: TSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, plain(value)]));
}

/** The same; a named one becomes a reference itself. */
export function referred(schema: TSchema): Record<string, unknown> {
  const name = NAMES.get(schema);
  return name === undefined ? inlined(schema) : { $ref: `#/components/schemas/${name}` };
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null ? referred(value as TSchema) : value;
}
