// SPDX-License-Identifier: Apache-2.0
import {
  APPROVAL_ORDERS,
  ApprovalView,
  AutonomyMode,
  FAULTS,
  FreezeScope,
  ImageView,
  McpConnectionView,
  RAW_SHELLS,
  RESOURCE_KINDS,
  ResourceGrantView,
  CLEARANCES,
  MCP_TOOL_STATES,
  SchedulingClass,
  State,
  TxOutcome,
  VerdictName,
  VoteView,
  type FaultCode,
} from '@writ/contract';
import { Type } from 'typebox';
import type { NamedSchemas } from '../edge/openapi/schemas.ts';
import { CALL_OUTCOMES } from '../edge/requests/call-outcomes.ts';
import { KEY_ROLES, ROLES } from '../edge/requests/route.ts';
import { ModelView } from '../runs/models/model-view.ts';
import { Dialect } from '../runs/turns/turn-schemas.ts';
import { CONVERSATIONS, MISSED, OVERLAPS, START_STATES } from '../store/jobs/jobs.ts';
import { RUN_STOPPED } from '../store/session-rows/run-events.ts';
import { USAGE_BY } from '../store/session-rows/sessions.ts';
import { WEBHOOK_KINDS } from '../store/webhooks/webhooks.ts';
import { ordered } from './approvals/queue-routes.ts';
import { CatalogueMode } from './mcp/routes.ts';
import { RunView } from './sessions/views.ts';

/** Closed lists of values with a name in the OpenAPI document. Each applies wherever the same values are listed. */
export const NAMED_ENUMS: NamedSchemas = {
  ApprovalOf: ApprovalView.properties.of,
  ApprovalOrder: Type.Enum(APPROVAL_ORDERS),
  ApprovalPreviewState: ApprovalView.properties.preview.properties.state,
  ListApprovalsState: ordered.state,
  AutonomyMode,
  CallState: State,
  CallOutcome: Type.Enum([...CALL_OUTCOMES]),
  SchedulingClass,
  TxOutcome,
  Verdict: VerdictName,
  ApprovalVotedItemSays: VoteView.properties.says,
  Dialect,
  CatalogueMode,
  FreezeScope,
  FaultCode: Type.Enum(Object.keys(FAULTS) as FaultCode[]),
  KeyRole: Type.Enum(KEY_ROLES),
  PersonRole: Type.Enum(ROLES),
  ApproverRole: Type.Enum(['operator', 'admin']),
  ToolCategory: Type.Enum(['read', 'write', 'admin']),
  Enforcement: Type.Enum(['enforce', 'observe']),
  HeldMode: Type.Enum(['soft_gate', 'escalated']),
  StandingState: Type.Enum(['standing', 'expired', 'lifted']),
  DelegationState: Type.Enum(['standing', 'expired', 'revoked']),
  ErasureSelector: Type.Enum(['operation', 'session', 'subject', 'before', 'conversation', 'ended']),
  ErasureState: Type.Enum(['running', 'done']),
  PayloadMode: Type.Enum(['full', 'hashes']),
  RequestsMode: Type.Enum(['full', 'none']),
  ResourceKind: Type.Enum(RESOURCE_KINDS),
  ResourceRight: ResourceGrantView.properties.right,
  Clearance: Type.Enum(CLEARANCES),
  Shell: Type.Enum([...RAW_SHELLS]),
  ImageState: ImageView.properties.state,
  McpConnectionState: McpConnectionView.properties.state,
  McpToolState: Type.Enum([...MCP_TOOL_STATES]),
  SessionMode: Type.Enum(['interactive', 'gateway', 'scheduled']),
  SessionDialect: Type.Enum(['native', 'blocks', 'tools-xml', 'yips']),
  ModelProviderName: ModelView.properties.provider,
  RunState: RunView.properties.state,
  RunStopped: Type.Enum([...RUN_STOPPED]),
  UsageBy: Type.Enum([...USAGE_BY]),
  JobConversation: Type.Enum([...CONVERSATIONS]),
  JobOverlap: Type.Enum([...OVERLAPS]),
  JobMissed: Type.Enum([...MISSED]),
  JobState: Type.Enum(['active', 'paused']),
  JobStartState: Type.Enum([...START_STATES]),
  WebhookState: Type.Enum(['active', 'disabled']),
  WebhookEvent: Type.Enum([...WEBHOOK_KINDS]),
  DeliveryState: Type.Enum(['pending', 'delivered', 'failed']),
  RuleChange: Type.Enum(['added', 'removed', 'changed']),
  FileChange: Type.Enum(['added', 'deleted', 'modified']),
  NoTextReason: Type.Enum(['binary', 'too_long', 'not_a_file']),
  ContentEncoding: Type.Enum(['utf8', 'base64']),
  FileMode: Type.Enum(['644', '755']),
};
