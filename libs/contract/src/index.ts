// SPDX-License-Identifier: Apache-2.0

// What calls, permits, tokens and records are made of.
export { BlobRef, Change, Delta, FileState } from './delta.ts';
export { EFFECT_RULES, PERMITTED_EFFECTS, type EffectRule } from './effect-rules.ts';
export { Fault, FAULTS, isFaultCode, type FaultCode } from './faults.ts';
export { DeltaId, formatId, idSchema, ID_KINDS, isId, logIdOf, Sha256Hex, SnapshotId, tenantIdOf } from './ids.ts';
export type { AgentId, Id, IdKind, OperationId, RecordId, TenantId, TokenId, WorkspaceId } from './ids.ts';
export { LIMITS } from './limits.ts';
export { opened } from './opened.ts';
export { parseFromPeer, parseMessage } from './parse.ts';
export { Envelope, Permit, LANES, PERMIT_PAYLOAD_TYPE, PermitMode, type Lane } from './permit.ts';
export { AuditRecord, predicateTypeOf, RECORD_KINDS, RECORD_PAYLOAD_TYPE, type RecordKind } from './record.ts';
export { imageForCall, SandboxImages } from './sandbox-images.ts';
export { AUTONOMY_MODES, AutonomyMode, VERDICTS, VerdictName } from './states.ts';
export { Reason, State, STATES, TX_OUTCOMES, TxOutcome, USAGE_COUNTERS, UsageCounter } from './states.ts';
export type { Verdict } from './states.ts';
export { EVENTS, HEADERS, PROCESSES, REQUESTS, subjectsOf } from './subjects.ts';
export type { EventKind, Process, RequestName, Subjects } from './subjects.ts';
export { BUDGET_DIMENSIONS, Budgets, CapabilityToken, JobListing, SESSION_APPROVAL, SessionApproval } from './token.ts';
export { FsRoot, Grant, NetGrant, ToolPattern } from './token.ts';
export type { BudgetDimension } from './token.ts';
export { AdmitRequest, ProposedCall, ToolCall } from './tool-call.ts';
export { DataSubject, IdempotencyKey, PreconditionRef, Provenance, TaskClass } from './tool-call.ts';
export { ReceiptState, ResultError, ToolResult, WholeOutputView } from './tool-result.ts';

// Messages between processes, and what the API takes and shows.
export { IssuedToken, KeyRevoked } from './messages/api-keys.ts';
export { ApprovalDiff, FileDiff, TextDiff } from './messages/approval-diff.ts';
export { BUNDLE_PATH, BUNDLE_PAYLOAD_TYPE, BundleContent, BundleManifest, BundleSealed } from './messages/bundles.ts';
export {
  CONTAINER_ID,
  ContainerLogs,
  ContainerView,
  PeekedEvent,
  PeekEvent,
  SHOWN_BYTES_MAX,
} from './messages/containers.ts';
export { ContentKey, ContentOpens, StoredResult } from './messages/contents.ts';
export { DelegationNote, DelegationScope, DelegationView } from './messages/delegations.ts';
export { AnnouncedRequests, EgressRequest, EgressRequestPage } from './messages/egress.ts';
export {
  ErasedSession,
  ErasurePlan,
  ErasureReason,
  ErasureView,
  Retention,
  RetentionView,
} from './messages/erasures.ts';
export { TextOrder, TextOrders, TextOrdersTake, TextsGone, TextsTold } from './messages/erasures.ts';
export { AssignedEvent, SlotsEvent, RedeemRequest, Redemption, CallLimits } from './messages/execution.ts';
export { RenewRequest, RenewReply, ReleaseRequest, ReleaseReply, EffectStartedRequest } from './messages/execution.ts';
export {
  ReportRequest,
  ReportReply,
  AskedFor,
  EndedBy,
  KeptOutput,
  OutputRef,
  OutputRefs,
  Usage,
} from './messages/execution.ts';
export { DEPLOYMENT_LOG, FREEZE_SCOPES, FreezeReason, FreezeScope, FreezeView } from './messages/freezes.ts';
export { KERNEL_REQUESTS, SessionAsk, TenantCreate, TokenDrawn, TokenUse } from './messages/kernel.ts';
export { RecordedCallRef, REPLAYED_MAX, SimulatedCall } from './messages/kernel.ts';
export type { KernelRequest, KernelVerb } from './messages/kernel.ts';
export { AppendReply, AppendRequest, LoggedEvent, Receipt, ReceiptRequest } from './messages/ledger.ts';
export { CheckpointRequest, Consistency, ConsistencyRequest, Inclusion, InclusionRequest } from './messages/ledger.ts';
export { EntriesReply, EntriesRequest, ExportReply, ExportRequest } from './messages/ledger.ts';
export { Signatures, SignaturesRequest, TileReply, TileRequest } from './messages/ledger.ts';
export { Notice, NOTICE_KINDS, NOTICES, NoticeData, NoticeDrop, NoticesTaken, NoticeTake } from './messages/notices.ts';
export type { NoticeKind } from './messages/notices.ts';
export { AgentView, Caller, Page } from './messages/operations.ts';
export { Erased, FINAL_STATES, isFinal, OperationEvent, OperationView, Resolution } from './messages/operations.ts';
export { ApprovalEffect, ApprovalView, DiffView, PreviewView, VoteCount, VoteView } from './messages/operations.ts';
export {
  ResourceRef,
  ResourceVersion,
  ResourceView,
  SNAPSHOT_KINDS,
  SnapshotView,
  TreeEntry,
  WorkspaceView,
} from './messages/operations.ts';
export type { SnapshotKind } from './messages/operations.ts';
export { PersonName, Principal, principalOf } from './messages/persons.ts';
export {
  POLICY_REF,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicyProblem,
  PolicyPut,
  PolicyRef,
} from './messages/policies.ts';
export { PolicySchemaView, PolicySetView, PolicySetWhole, PolicyTemplateList } from './messages/policies.ts';
export { ExecutionProfile, ProfilePut, ProfileView } from './messages/profiles.ts';
export {
  RECORD_ORDERS,
  RecordFilter,
  RecordPage,
  RecordRequest,
  RecordRow,
  RecordsRequest,
} from './messages/records.ts';
export { RUN_LIVE, RunNews, type RunLive } from './messages/runs.ts';
export {
  KEYID,
  RegistrarKeyView,
  SANDBOX_NAME,
  SandboxName,
  SandboxPut,
  SandboxView,
  SandboxWhole,
} from './messages/sandboxes.ts';
export { SECRETS_MAX, SecretView } from './messages/secrets.ts';
export { SessionPermit, ShellAttachReply, ShellAttachRequest } from './messages/shells.ts';
export { ShellEnding, ShellEndRequest, ShellRenewReply, ShellRenewRequest } from './messages/shells.ts';
export { SkillPut, SkillView, SkillWhole } from './messages/skills.ts';
export { TENANT_DEFAULTS, TenantLimits, TenantLimitsChange, TenantLimitsView } from './messages/tenant-limits.ts';
export { LimitsChanged, LimitsSince, WorkspaceLimits, WorkspaceLimitsChange } from './messages/tenant-limits.ts';
export { AppliedTool, CliToolProblem, SearchProviderView, TenantToolView, ToolsApplied } from './messages/tools.ts';
export { Backtest, BACKTEST_PAYLOAD_TYPE, BacktestEffects, BacktestPage, EffectSkip } from './messages/what-if.ts';
export { OperationExplanation, PolicyExplanation, PolicyReplay, ReplayedCall, Simulation } from './messages/what-if.ts';

// Tools.
export { AGENT_SPAWN, SPAWN_DEPTH_MAX, SPAWN_ROUNDS_MAX, SpawnArgs } from './tools/agents.ts';
export {
  CLI_TOOLS,
  CliParameter,
  CliTool,
  CliToolFile,
  CliToolName,
  CliToolSource,
  EnvPart,
} from './tools/cli-tool.ts';
export type { CliCommand } from './tools/cli-tool.ts';
export { EGRESS_LIMITS, INLINE_LIMITS, SANDBOX_LIMITS } from './tools/definition.ts';
export type {
  FsResource,
  OutputLabel,
  RequestResource,
  ToolCategory,
  ToolClass,
  ToolDefinition,
  ToolLimits,
} from './tools/definition.ts';
export { NET_EGRESS, WEB_FETCH } from './tools/egress.ts';
export { EDITED_FILES_MAX, FS_EDIT, FS_EDIT_FILES, FS_LIST, FS_READ, FS_SEARCH, FS_WRITE } from './tools/files.ts';
export { gitWords } from './tools/git-command.ts';
export { MK8_RUN } from './tools/mk8.ts';
export { isNotAvailable, NOT_AVAILABLE } from './tools/not-available.ts';
export { argumentFaults, definitionForDigest, TOOLS } from './tools/registry.ts';
export { SearchProvider } from './tools/search-provider.ts';
export { SEARCH_RESULTS_MAX, SearchTool, searchTool, searchUrl } from './tools/search.ts';
export { readReferences, replaceReferences, secretsNamed, secretVariable } from './tools/secret-references.ts';
export type { NamedSecrets, NamesSecrets, SecretReference } from './tools/secret-references.ts';
export { PROFILE_NAME, ProfileName, RAW_SHELLS, SHELL_DANGEROUS, type RawShell } from './tools/shell-dangerous.ts';
export { SHELL_SESSION, YIELD_MS } from './tools/shell-session.ts';
export { shellQuoted, shellWords, type ShellWords } from './tools/shell-words.ts';
export { SHELL_RUN } from './tools/shell.ts';
export {
  SKILL_FILE,
  SKILL_NAME,
  SKILL_READ,
  SkillAtHand,
  SkillFile,
  SkillManifest,
  SkillName,
} from './tools/skills.ts';
export { SKILL_DESCRIPTION_CHARS_MAX, SKILL_PATH_CHARS_MAX } from './tools/skills.ts';
export { isTaskTool, TASK_CREATE, TASK_EDIT, TASK_LIST } from './tools/tasks.ts';
export { SessionTasks, Task, TASK_CHANGES_MAX, TASK_STATUSES, TASKS_MAX } from './tools/tasks.ts';
export { TenantTool } from './tools/tenant-tool.ts';
export { secretReference, VALUE_GET, VALUE_NAME, VALUE_SCOPES, ValueName, type ValueScope } from './tools/values.ts';
