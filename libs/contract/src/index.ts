// SPDX-License-Identifier: Apache-2.0
export { BlobRef, Change, Delta, FileState } from './delta.ts';
export { Fault, FAULTS, isFaultCode, type FaultCode } from './faults.ts';
export {
  DeltaId,
  formatId,
  idSchema,
  ID_KINDS,
  isId,
  logIdOf,
  Sha256Hex,
  SnapshotId,
  tenantIdOf,
  type AgentId,
  type Id,
  type IdKind,
  type OperationId,
  type RecordId,
  type TenantId,
  type TokenId,
  type WorkspaceId,
} from './ids.ts';
export { LIMITS } from './limits.ts';
export { ContentKey, ContentOpens, StoredResult } from './messages/contents.ts';
export { AnnouncedRequests, EgressRequest, EgressRequestPage } from './messages/egress.ts';
export {
  AskedFor,
  AssignedEvent,
  CallLimits,
  EffectStartedRequest,
  EndedBy,
  KeptOutput,
  OutputRef,
  OutputRefs,
  RedeemRequest,
  Redemption,
  ReleaseReply,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
  ReportReply,
  ReportRequest,
  SlotsEvent,
  Usage,
} from './messages/execution.ts';
export {
  LimitsChanged,
  LimitsSince,
  TENANT_DEFAULTS,
  TenantLimits,
  TenantLimitsChange,
  TenantLimitsView,
  WorkspaceLimits,
  WorkspaceLimitsChange,
} from './messages/tenant-limits.ts';
export { IssuedToken, KeyRevoked } from './messages/api-keys.ts';
export { BUNDLE_PATH, BUNDLE_PAYLOAD_TYPE, BundleContent, BundleManifest, BundleSealed } from './messages/bundles.ts';
export { DelegationNote, DelegationScope, DelegationView } from './messages/delegations.ts';
export {
  ErasedSession,
  ErasurePlan,
  ErasureReason,
  ErasureView,
  Retention,
  RetentionView,
  TextOrder,
  TextOrders,
  TextOrdersTake,
  TextsGone,
  TextsTold,
} from './messages/erasures.ts';
export { DEPLOYMENT_LOG, FREEZE_SCOPES, FreezeReason, FreezeScope, FreezeView } from './messages/freezes.ts';
export {
  KERNEL_REQUESTS,
  RecordedCallRef,
  REPLAYED_MAX,
  SessionAsk,
  SimulatedCall,
  TenantCreate,
  TokenDrawn,
  TokenUse,
  type KernelRequest,
  type KernelVerb,
} from './messages/kernel.ts';
export {
  AppendReply,
  AppendRequest,
  CheckpointRequest,
  Consistency,
  ConsistencyRequest,
  EntriesReply,
  EntriesRequest,
  ExportReply,
  ExportRequest,
  Inclusion,
  InclusionRequest,
  LoggedEvent,
  Receipt,
  ReceiptRequest,
  Signatures,
  SignaturesRequest,
  TileReply,
  TileRequest,
} from './messages/ledger.ts';
export {
  RECORD_ORDERS,
  RecordFilter,
  RecordPage,
  RecordRequest,
  RecordRow,
  RecordsRequest,
} from './messages/records.ts';
export {
  Notice,
  NOTICE_KINDS,
  NOTICES,
  NoticeData,
  NoticeDrop,
  NoticesTaken,
  NoticeTake,
  type NoticeKind,
} from './messages/notices.ts';
export { ApprovalDiff, FileDiff, TextDiff } from './messages/approval-diff.ts';
export {
  AgentView,
  ApprovalEffect,
  ApprovalView,
  Caller,
  DiffView,
  Erased,
  FINAL_STATES,
  isFinal,
  OperationEvent,
  OperationView,
  Page,
  PreviewView,
  Resolution,
  ResourceRef,
  ResourceVersion,
  ResourceView,
  SNAPSHOT_KINDS,
  SnapshotView,
  type SnapshotKind,
  TreeEntry,
  VoteCount,
  VoteView,
  WorkspaceView,
} from './messages/operations.ts';
export {
  POLICY_REF,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicyProblem,
  PolicyPut,
  PolicyRef,
  PolicySchemaView,
  PolicySetView,
  PolicySetWhole,
  PolicyTemplateList,
} from './messages/policies.ts';
export { PersonName, Principal, principalOf } from './messages/persons.ts';
export {
  Backtest,
  BACKTEST_PAYLOAD_TYPE,
  BacktestEffects,
  BacktestPage,
  EffectSkip,
  OperationExplanation,
  PolicyExplanation,
  PolicyReplay,
  ReplayedCall,
  Simulation,
} from './messages/what-if.ts';
export {
  CONTAINER_ID,
  ContainerLogs,
  ContainerView,
  PeekedEvent,
  PeekEvent,
  SHOWN_BYTES_MAX,
} from './messages/containers.ts';
export {
  KEYID,
  RegistrarKeyView,
  SANDBOX_NAME,
  SandboxName,
  SandboxPut,
  SandboxView,
  SandboxWhole,
} from './messages/sandboxes.ts';
export {
  SessionPermit,
  ShellAttachReply,
  ShellAttachRequest,
  ShellEnding,
  ShellEndRequest,
  ShellRenewReply,
  ShellRenewRequest,
} from './messages/shells.ts';
export { AppliedTool, CliToolProblem, SearchProviderView, TenantToolView, ToolsApplied } from './messages/tools.ts';
export { EFFECT_RULES, PERMITTED_EFFECTS, type EffectRule } from './effect-rules.ts';
export { ExecutionProfile, ProfilePut, ProfileView } from './messages/profiles.ts';
export { SkillPut, SkillView, SkillWhole } from './messages/skills.ts';
export { opened } from './opened.ts';
export { parseFromPeer, parseMessage } from './parse.ts';
export { Envelope, Permit, LANES, PERMIT_PAYLOAD_TYPE, PermitMode, type Lane } from './permit.ts';
export { AuditRecord, predicateTypeOf, RECORD_KINDS, RECORD_PAYLOAD_TYPE, type RecordKind } from './record.ts';
export { imageForCall, SandboxImages } from './sandbox-images.ts';
export {
  AUTONOMY_MODES,
  AutonomyMode,
  Reason,
  State,
  STATES,
  TX_OUTCOMES,
  TxOutcome,
  USAGE_COUNTERS,
  UsageCounter,
  VERDICTS,
  VerdictName,
  type Verdict,
} from './states.ts';
export {
  EVENTS,
  HEADERS,
  PROCESSES,
  REQUESTS,
  subjectsOf,
  type EventKind,
  type Process,
  type RequestName,
  type Subjects,
} from './subjects.ts';
export {
  BUDGET_DIMENSIONS,
  Budgets,
  CapabilityToken,
  FsRoot,
  Grant,
  JobListing,
  NetGrant,
  SESSION_APPROVAL,
  SessionApproval,
  ToolPattern,
  type BudgetDimension,
} from './token.ts';
export {
  AdmitRequest,
  DataSubject,
  IdempotencyKey,
  PreconditionRef,
  ProposedCall,
  Provenance,
  TaskClass,
  ToolCall,
} from './tool-call.ts';
export { ReceiptState, ResultError, ToolResult, WholeOutputView } from './tool-result.ts';
export { SEARCH_RESULTS_MAX, SearchTool, searchTool, searchUrl } from './tools/search.ts';
export { SearchProvider } from './tools/search-provider.ts';
export { TenantTool } from './tools/tenant-tool.ts';
export {
  CLI_TOOLS,
  CliParameter,
  CliTool,
  CliToolFile,
  CliToolName,
  CliToolSource,
  EnvPart,
  type CliCommand,
} from './tools/cli-tool.ts';
export {
  EGRESS_LIMITS,
  INLINE_LIMITS,
  SANDBOX_LIMITS,
  type FsResource,
  type OutputLabel,
  type RequestResource,
  type ToolCategory,
  type ToolClass,
  type ToolDefinition,
  type ToolLimits,
} from './tools/definition.ts';
export { NET_EGRESS, WEB_FETCH } from './tools/egress.ts';
export { EDITED_FILES_MAX, FS_EDIT, FS_EDIT_FILES, FS_LIST, FS_READ, FS_SEARCH, FS_WRITE } from './tools/files.ts';
export { isNotAvailable, NOT_AVAILABLE } from './tools/not-available.ts';
export { argumentFaults, definitionForDigest, TOOLS } from './tools/registry.ts';
export { MK8_RUN } from './tools/mk8.ts';
export { SHELL_SESSION, YIELD_MS } from './tools/shell-session.ts';
export { SHELL_RUN } from './tools/shell.ts';
export { PROFILE_NAME, ProfileName, RAW_SHELLS, SHELL_DANGEROUS, type RawShell } from './tools/shell-dangerous.ts';
export { gitWords } from './tools/git-command.ts';
export { shellQuoted, shellWords, type ShellWords } from './tools/shell-words.ts';
export { RUN_LIVE, RunNews, type RunLive } from './messages/runs.ts';
export { SECRETS_MAX, SecretView } from './messages/secrets.ts';
export {
  readReferences,
  replaceReferences,
  secretsNamed,
  secretVariable,
  type NamedSecrets,
  type NamesSecrets,
  type SecretReference,
} from './tools/secret-references.ts';
export { AGENT_SPAWN, SPAWN_DEPTH_MAX, SPAWN_ROUNDS_MAX, SpawnArgs } from './tools/agents.ts';
export {
  isTaskTool,
  SessionTasks,
  Task,
  TASK_CHANGES_MAX,
  TASK_CREATE,
  TASK_EDIT,
  TASK_LIST,
  TASK_STATUSES,
  TASKS_MAX,
} from './tools/tasks.ts';
export {
  SKILL_DESCRIPTION_CHARS_MAX,
  SKILL_FILE,
  SKILL_NAME,
  SKILL_PATH_CHARS_MAX,
  SKILL_READ,
  SkillAtHand,
  SkillFile,
  SkillManifest,
  SkillName,
} from './tools/skills.ts';
export { secretReference, VALUE_GET, VALUE_NAME, VALUE_SCOPES, ValueName, type ValueScope } from './tools/values.ts';
