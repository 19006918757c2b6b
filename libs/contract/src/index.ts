// SPDX-License-Identifier: Apache-2.0

// The parts of calls, permits, tokens and records.
export {
  CalendarAttendee,
  CalendarEvent,
  CalendarFound,
  CalendarPerson,
  EVENT_LIMITS,
} from './calendar/calendar-event.ts';
export { CALENDAR_QUERY_LIMITS } from './calendar/query-limits.ts';
export { BlobRef, Change, Delta, FileState } from './delta.ts';
export { EFFECT_RULES, PERMITTED_EFFECTS, type EffectRule } from './effect-rules.ts';
export { Fault, FAULTS, isFaultCode, type FaultCode } from './faults.ts';
export { FAULT_ANSWERS, type FaultAnswers } from './fault-answers.ts';
export { FAULT_TITLES } from './fault-titles.ts';
export { formatId, idSchema, ID_KINDS, isId, logIdOf, Sha256Hex, SnapshotId, tenantIdOf } from './ids.ts';
export type { AgentId, Id, IdKind, OperationId, TenantId } from './ids.ts';
export { LIMITS } from './limits.ts';
export { allowUnknownMembers } from './allow-unknown-members.ts';
export { MAIL_ADDRESS_CHARS_MAX, MailAddress } from './mail/addresses.ts';
export { Draft, DRAFT_BODY_BYTES_MAX, MessageIdHeader } from './mail/draft.ts';
export { hiddenInBody, hiddenInSubject } from './mail/hidden-characters.ts';
export {
  FoundMessage,
  FoundMessages,
  MESSAGE_TEXT_CHARS_MAX,
  MessageQuery,
  MESSAGES_MAX,
} from './mail/message-query.ts';
export { didYouMean, nearestName } from './nearest.ts';
export { parseFromPeer, parseMessage } from './parse.ts';
export { nameOfToken, namesIn, pointerOf } from './json-pointers.ts';
export { Problem, problemAt, problemsWithin } from './problem.ts';
export { schemaProblems, schemaProblemText, type SchemaError } from './schema-problems.ts';
export {
  CALL_LANES,
  Envelope,
  FUNCTION_PERMIT_PAYLOAD_TYPE,
  FunctionPermit,
  isExecutorLane,
  LANES,
  Permit,
  PERMIT_PAYLOAD_TYPE,
  PermitMode,
  type CallLane,
  type Lane,
} from './permit.ts';
export { AppliedRedaction, redactableResult, redactionPointers } from './redaction/redactable.ts';
export type { RedactableResult } from './redaction/redactable.ts';
export { isRedacted, REDACTED, redactValue, topOf } from './redaction/redact-value.ts';
export { readRedaction, REDACTIONS_BYTES_MAX, stepsOf, type PointerStep } from './redaction/pointers.ts';
export { AuditRecord, predicateTypeOf, RECORD_KINDS, RECORD_PAYLOAD_TYPE, type RecordKind } from './record.ts';
export { imageForCall, SandboxImages } from './sandbox-images.ts';
export { SCHEDULING_CLASSES, SchedulingClass } from './scheduling.ts';
export { AUTONOMY_MODES, AutonomyMode, VERDICTS, VerdictName } from './states.ts';
export { Reason, State, STATES, TX_OUTCOMES, TxOutcome, USAGE_COUNTERS, UsageCounter } from './states.ts';
export type { Verdict } from './states.ts';
export { EVENTS, HEADERS, PROCESSES, REQUESTS, subjectsOf } from './subjects.ts';
export type { EventKind, Process, RequestName, Subjects } from './subjects.ts';
export { BUDGET_DIMENSIONS, Budgets, CapabilityToken, JobListing, SESSION_APPROVAL, SessionApproval } from './token.ts';
export { FsRoot, Grant, NetGrant, PORT_MAX, RAW_METHODS, ScopeRoot, ToolPattern, TUNNEL } from './token.ts';
export type { BudgetDimension, RawMethod } from './token.ts';
export { AdmitRequest, ProposedCall, ToolCall } from './tool-call.ts';
export {
  CallRetention,
  ClaimedProvenance,
  DataSubject,
  IdempotencyKey,
  PreconditionRef,
  Provenance,
  STAGED,
  TaskClass,
} from './tool-call.ts';
export { ReceiptState, ResultError, ToolResult, FullOutputView } from './tool-result.ts';

// Registered resources.
export {
  BoundResource,
  CLEARANCES,
  DEFAULT_RESOURCE_GRANTS,
  everyResource,
  isTokenListed,
  madeResourceId,
  RESOURCE_KINDS,
  ResourceGrant,
  ResourceName,
  TOKEN_LISTED_KINDS,
  type Clearance,
  type ResourceKind,
  type ResourceReference,
  type ResourceRight,
} from './resources/resource-kinds.ts';
export {
  MCP_ASK_LIMITS,
  MCP_ASKS,
  MCP_INPUT,
  McpAsks,
  McpQuestion,
  type McpAsk,
  type McpInput,
} from './resources/mcp-asks.ts';
export { isMcpStdio, mcpMemoryBytes, type McpStdioSettings } from './resources/mcp-stdio-settings.ts';
export {
  MCP_CALLS,
  MCP_SERVER_NAME,
  ModelProvider,
  oauthOf,
  PERSON_TOKEN,
  RESOURCE_SECRET_PREFIX,
  RESOURCE_SETTINGS,
  secretsOfSettings,
  sharedCredentialOf,
  type AnyMcpServerSettings,
  type AudioDeviceSettings,
  type CalendarSettings,
  type ContainerSettings,
  type InfoStoreSettings,
  type MailboxSettings,
  type McpOAuthSettings,
  type McpHttpSettings,
  type ModelSettings,
  type SearchEngineSettings,
  type WebsiteSettings,
} from './resources/resource-settings.ts';

// Messages between processes, and requests and responses of the API.
export { IssuedToken, KeyRevoked } from './messages/api-keys.ts';
export { ApprovalDiff, FileDiff, TextDiff } from './messages/approval-diff.ts';
export { BUNDLE_PATH, BUNDLE_PAYLOAD_TYPE, BundleContent, BundleManifest, BundleSealed } from './messages/bundles.ts';
export {
  ANYWHERE,
  CallSettings,
  CallSettingsChange,
  CallSettingsView,
  COMMAND_OUTPUT_BYTES,
  DEFAULT_CALL_SETTINGS,
} from './messages/call-settings.ts';
export {
  CALL_USAGE_BY,
  CallUsage,
  CallUsageItem,
  USAGE_DAYS_MAX,
  UsageDay,
  UsagePosition,
  type CallUsageBy,
} from './messages/usage.ts';
export { BudgetSetting, BudgetSubject, BudgetView } from './messages/budgets.ts';
export {
  CONTAINER_ID,
  ContainerLogs,
  ContainerView,
  PeekedEvent,
  PeekEvent,
  SHOWN_BYTES_MAX,
} from './messages/containers.ts';
export {
  OUTPUT_PIECE_BYTES_MAX,
  OutputEvent,
  WATCH_HELD_MS,
  WATCHED_BYTES_MAX,
  WatchEvent,
} from './messages/live-output.ts';
export { AudioUpload } from './messages/audio-devices.ts';
export { ContentOpening, StoredResult } from './messages/contents.ts';
export {
  APPROVER_GROUP_MEMBERS_MAX,
  APPROVER_GROUP_NAME,
  APPROVER_GROUPS_MAX,
  ApproverGroupDescription,
  ApproverGroupMembers,
  ApproverGroupName,
  ApproverGroupView,
  SERVICE_ACCOUNT,
} from './messages/approver-groups.ts';
export {
  APPROVAL_GROUP_ORDERS,
  APPROVAL_GROUPS_MAX,
  APPROVAL_ORDERS,
  APPROVALS_COUNTED_MAX,
  ApprovalBrief,
  ApprovalFilter,
  ApprovalGroup,
  ApprovalGroups,
  type ApprovalOrder,
} from './messages/approval-queue.ts';
export { ApproverDemand, ApproverDemandView } from './messages/approver-demands.ts';
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
export {
  TextErasureOrder,
  TextErasureOrdersReply,
  TextErasureOrdersRequest,
  TextsErased,
  TextsAnnounced,
} from './messages/erasures.ts';
export { AssignedEvent, SlotsEvent, RedeemRequest, Redemption, CallLimits } from './messages/execution.ts';
export { REDEMPTION_MEMBERS } from './messages/execution.ts';
export { RenewRequest, RenewReply, ReleaseRequest, ReleaseReply, EffectStartedRequest } from './messages/execution.ts';
export {
  ReportRequest,
  ReportReply,
  UnmetNeed,
  EndedBy,
  FullOutputRef,
  OutputRef,
  OutputRefs,
  Usage,
} from './messages/execution.ts';
export { FreezeReason, FreezeScope } from './freeze-scope.ts';
export { DEPLOYMENT_LOG, FreezeView } from './messages/freezes.ts';
export { ANY_STATE, IF_MATCH_MAX } from './messages/if-match.ts';
export {
  FUNCTION_REPORT,
  FunctionOutcome,
  FunctionRedemption,
  FunctionRenewal,
  FunctionReported,
  PermitProof,
  PermitReleased,
  TakenPermit,
} from './messages/functions.ts';
export {
  KERNEL_REQUESTS,
  SessionGrantTerms,
  TenantCreate,
  TokenReservationReply,
  TokenUse,
} from './messages/kernel.ts';
export { CALL_CHOICES_MAX, CallDefaultsReply } from './messages/call-defaults.ts';
export { RecordedCallRef, REPLAYED_MAX, SimulatedCall } from './messages/kernel.ts';
export type { KernelRequest, KernelVerb } from './messages/kernel.ts';
export { AppendReply, AppendRequest, LoggedEvent, Receipt, ReceiptRequest } from './messages/ledger.ts';
export { CheckpointRequest, Consistency, ConsistencyRequest, Inclusion, InclusionRequest } from './messages/ledger.ts';
export { EntriesReply, EntriesRequest, ExportReply, ExportRequest } from './messages/ledger.ts';
export { Signatures, SignaturesRequest, TileReply, TileRequest } from './messages/ledger.ts';
export {
  CallNotice,
  McpServerNotice,
  McpServerNoticeData,
  Notice,
  NoticeData,
  NOTICE_KINDS,
  NOTICE_TOOLS_MAX,
  NOTICES,
  NoticeDrop,
  NoticesReply,
  NoticesRequest,
} from './messages/notices.ts';
export { REGISTERED_KINDS, ResourceGrantView, ResourceView, type RegisteredKind } from './messages/resources.ts';
export { ExternalRef, ExternalVersion, ExternalVersionView } from './messages/operations.ts';
export { AgentView, Caller, Page } from './messages/operations.ts';
export { Erased, FINAL_STATES, isFinal, OperationEvent, OperationView, Resolution } from './messages/operations.ts';
export { PastDecision, PastDecisions, PAST_DECISIONS_MAX } from './messages/past-decision.ts';
export { StartedBy, StartingJob } from './messages/started-by.ts';
export { YourDecision, YOUR_DELEGATIONS_MAX } from './messages/your-decision.ts';
export { ApprovalEffect, ApprovalView, DiffView, PreviewView, VoteCount, VoteView } from './messages/operations.ts';
export { SnapshotView, TreeEntry, WorkspaceView } from './messages/operations.ts';
export type { SnapshotKind } from './messages/operations.ts';
export { PersonOffboarded, PersonSuspended, PRINCIPALS_MAX } from './messages/people.ts';
export { isServiceAccount, personIn, PersonName, Principal, principalOf } from './messages/persons.ts';
export {
  POLICY_REF,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicyProblem,
  PolicyPutReply,
  PolicyRef,
} from './messages/policies.ts';
export {
  PolicySchemaView,
  PolicySetView,
  PolicySetDetails,
  PolicyTemplateList,
  PolicyTimes,
} from './messages/policies.ts';
export { ImageName, ImageRecipe, ImageSource, SystemUser } from './images/image-source.ts';
export {
  IMAGE_LOG_CHARS_MAX,
  ImageClaim,
  ImageClaimReply,
  ImageClaimRequest,
  ImageFinishRequest,
  ImageLog,
  ImageReleaseRequest,
  ImageRenewReply,
  ImageRenewRequest,
  ImageTools,
  ImageView,
} from './messages/images.ts';
export {
  MCP_CONNECTION_LIMITS,
  MCP_CONSENT_REQUESTS,
  McpConnectionAsked,
  McpConnectionView,
  McpConsentBegun,
  McpConsentKey,
  McpConsentState,
  McpConsentView,
  McpPersonTokens,
  McpTokenClaim,
  McpTokenClaimReply,
  McpTokenClaimRequest,
  McpTokenReportReply,
  McpTokenReportRequest,
} from './messages/mcp-connections.ts';
export {
  MCP_LIMITS,
  MCP_SERVER_REQUESTS,
  MCP_TOOL_STATES,
  MCP_TRANSPORTS,
  type McpTransport,
  isAtIssuer,
  McpAbout,
  McpAuthorization,
  McpClaim,
  McpClaimReply,
  McpClaimRequest,
  McpDecisionReply,
  McpDefinitions,
  McpListing,
  McpProblem,
  McpRemoteTool,
  McpReportReply,
  McpReportRequest,
  McpServerToolView,
  McpServerView,
  McpSkippedTool,
  McpToolFound,
} from './messages/mcp-servers.ts';
export {
  McpProgramsReply,
  McpProgramsRequest,
  PROGRAMS_ASKED_MAX,
  type WaitingProgram,
} from './messages/mcp-programs.ts';
export { ExecutionProfile, ProfilePutReply, ProfileView } from './messages/profiles.ts';
export {
  RECORD_ORDERS,
  RecordFilter,
  RecordPage,
  RecordRequest,
  RecordRow,
  RecordsRequest,
} from './messages/records.ts';
export { RunUpdate, type RunLive } from './messages/runs.ts';
export {
  KEYID,
  RegistrarKeyView,
  SANDBOX_NAME,
  SandboxName,
  SandboxPutReply,
  SandboxView,
  SandboxDetails,
} from './messages/sandboxes.ts';
export { SECRETS_MAX, SecretView } from './messages/secrets.ts';
export { SessionPermit, ShellAttachReply, ShellAttachRequest } from './messages/shells.ts';
export { ShellEnding, ShellEndRequest, ShellRenewReply, ShellRenewRequest } from './messages/shells.ts';
export { SkillPutReply, SkillView, SkillDetails } from './messages/skills.ts';
export { TENANT_DEFAULTS, TenantLimits, TenantLimitsChange, TenantLimitsView } from './messages/tenant-limits.ts';
export {
  ChangedTenant,
  LimitsChanged,
  LimitsSince,
  WorkspaceLimits,
  WorkspaceLimitsChange,
} from './messages/tenant-limits.ts';
export { PoolReport, REPORTED_EXECUTORS_MAX, SystemReport } from './messages/system.ts';
export { CloseReason, TenantView } from './messages/tenants.ts';
export { AppliedTool, TenantToolView, ToolsApplied } from './messages/tools.ts';
export { Backtest, BACKTEST_PAYLOAD_TYPE, BacktestEffects, BacktestPage, EffectSkip } from './messages/what-if.ts';
export { OperationExplanation, PolicyExplanation, PolicyReplay, ReplayedCall, Simulation } from './messages/what-if.ts';

// Tools.
export { AGENT_SPAWN, SPAWN_DEPTH_MAX, SPAWN_TASK_CHARS_MAX, SpawnArgs, TURN_SOURCE } from './tools/agents.ts';
export { CLI_TOOLS, CliParameter, CliTool, CliToolFile, CliToolSource, EnvPart } from './tools/cli-tool.ts';
export type { CliCommand } from './tools/cli-tool.ts';
export { CALENDAR_FIND } from './tools/calendar.ts';
export {
  COMMAND_MS_DEFAULT,
  EGRESS_LIMITS,
  INLINE_LIMITS,
  runsInContainer,
  SANDBOX_LIMITS,
} from './tools/definition.ts';
export type {
  FsResource,
  HttpOperation,
  McpOperation,
  RequestResource,
  ToolCategory,
  ToolClass,
  ToolDefinition,
  ToolLimits,
} from './tools/definition.ts';
export { AUDIO_TRANSCRIBE, DEFAULT_WINDOW_SECONDS, TRANSCRIBED_MS_MAX } from './tools/audio.ts';
export { NET_EGRESS, pageUrlOf, UNTRUSTED_CONTENT_LABELS, WEB_FETCH } from './tools/egress.ts';
export { draftOf, EMAIL_DRAFT, EMAIL_FIND } from './tools/email.ts';
export { FS_EDIT, FS_EDIT_FILES, FS_LIST, FS_READ, FS_SEARCH, FS_WRITE } from './tools/files.ts';
export { gitWords } from './tools/git-command.ts';
export { MK8_RUN } from './tools/mk8.ts';
export { argumentFaults, bindTool, definitionForDigest, FIXED_TOOLS, targetsOf, TOOLS } from './tools/registry.ts';
export { CONTAINER_ACCESS, CONTAINER_CREATE, containerNameOf, ContainerState } from './tools/containers.ts';
export {
  AGENT_DESCRIBE,
  AGENT_MANAGE,
  AGENT_STATE_MAX,
  AgentState,
  isAgentTool,
  madeFreezeId,
  MANAGED_CALLS_MAX,
  type AgentChange,
} from './tools/manage-agents.ts';
export { SEARCH_RESULTS_MAX, searchUrl, WEB_SEARCH } from './tools/search.ts';
export { readReferences, replaceReferences, secretsNamed, secretVariable } from './tools/secret-references.ts';
export type { NamesSecrets, SecretReference } from './tools/secret-references.ts';
export { PROFILE_NAME, ProfileName, RAW_SHELLS, SHELL_DANGEROUS, type RawShell } from './tools/shell-dangerous.ts';
export { SHELL_SESSION, YIELD_MS } from './tools/shell-session.ts';
export { SHELL_RUN } from './tools/shell.ts';
export {
  embeddingBase,
  isStoreTool,
  LOCAL_EMBEDDING,
  STORE_REGISTER,
  storeNameOf,
  storeSettingsOf,
  VECDB_DELETE,
  VECDB_QUERY,
  VECDB_UPSERT,
  type StoreHit,
} from './tools/stores.ts';
export {
  SKILL_FILE,
  SKILL_NAME,
  SKILL_READ,
  SkillForCall,
  SkillLine,
  SkillManifest,
  SkillName,
} from './tools/skills.ts';
export { SKILL_DESCRIPTION_CHARS_MAX, SKILL_PATH_CHARS_MAX } from './tools/skills.ts';
export { isTaskTool, TASK_CREATE, TASK_EDIT, TASK_LIST } from './tools/tasks.ts';
export { SessionTasks, Task, TASK_CHANGES_MAX, TASK_STATUSES, TASKS_MAX } from './tools/tasks.ts';
export {
  ANY_OBJECT,
  DECLARED_TOOLS,
  DeclaredTool,
  DeclaredToolName,
  FUNCTION_MS,
  FunctionMode,
  FunctionTool,
  FunctionToolSource,
  HttpCredential,
  HttpInput,
  HttpTool,
  JsonSchemaText,
  McpTool,
} from './tools/declared-tool.ts';
export { isDeclaredTool, TenantTool } from './tools/tenant-tool.ts';
export { secretReference, VALUE_GET, VALUE_NAME, VALUE_SCOPES, ValueName, type ValueScope } from './tools/values.ts';
