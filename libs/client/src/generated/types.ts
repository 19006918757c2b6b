// SPDX-License-Identifier: Apache-2.0
// Generated from the API by `node tools/with-node.mjs tools/src/sdk/main.ts`.

/** what a person approves: the action, or exactly the effect shown; value: the call waits for one, and a person gives it */
export type ApprovalOf = "action" | "effect" | "value";

export type ApprovalOrder = "newest" | "oldest" | "expires" | "risk";

/** ready: the effect is staged, and is what an approval approves; failed: the call would not have committed, or nothing ran it; none: the call has none */
export type ApprovalPreviewState = "none" | "waiting" | "running" | "ready" | "failed" | "abandoned";

export type ListApprovalsState = "pending" | "approved" | "denied" | "expired" | "cancelled" | "superseded";

export type AutonomyMode = "autopilot" | "soft_gate" | "escalated" | "no_go";

export type CallState = "proposed" | "admitted" | "refused" | "held" | "dispatched" | "performing" | "performed" | "committed" | "rolled_back" | "no_op" | "ambiguous";

export type CallOutcome = "ok" | "refused" | "failed" | "held" | "running" | "unknown";

export type SchedulingClass = "interactive" | "background" | "maintenance";

export type TxOutcome = "committed" | "rolled_back" | "no_op" | "ambiguous";

export type Verdict = "admitted" | "refused" | "held";

export type ApprovalVotedItemSays = "approve" | "deny";

/** the format of the model's output; for a provider, the body of its response or stream */
export type Dialect = "blocks" | "tools-xml" | "yips" | "openai" | "openai-responses" | "anthropic" | "gemini";

/** `search`: the list has only tools that find and describe the others; `all` by default */
export type CatalogueMode = "all" | "search";

export type FreezeScope = "tenant" | "agent" | "tool" | "all";

export type FaultCode = "request.malformed" | "query.invalid" | "route.unknown" | "request.too_large" | "request.unsupported_media_type" | "request.wrong_host" | "request.method_not_allowed" | "auth.missing" | "auth.invalid" | "auth.role" | "auth.csrf" | "auth.insufficient_scope" | "auth.issuer_unavailable" | "rate.limited" | "queue.full" | "not_found" | "conflict" | "tool.unknown" | "tool.not_available" | "tool.changed" | "args.invalid" | "args.too_large" | "path.invalid" | "path.escape" | "idempotency.missing" | "idempotency.mismatch" | "idempotency.expired" | "deadline" | "token.unknown" | "token.not_yet_valid" | "token.expired" | "token.revoked" | "token.agent" | "token.tool" | "token.scope" | "path.denied" | "token.not_narrower" | "token.depth" | "key.revoked" | "budget.exhausted" | "budget.period" | "workspace.unknown" | "policy.args_changed" | "policy.unredactable" | "policy.args_untyped" | "policy.denied" | "policy.error" | "policy.invalid" | "policy.unreadable" | "approval.denied" | "approval.expired" | "approval.own_call" | "approval.stale" | "approval.previewed_anew" | "approval.effect_unseen" | "approval.voted" | "approval.not_delegated" | "approval.not_in_group" | "approval.superseded" | "value.missing" | "secret.unknown" | "resolution.own_call" | "sandbox.unknown" | "sandbox.unverified" | "resource.unknown" | "resource.exists" | "agent.itself" | "agent.conflict" | "image.unknown" | "image.not_ready" | "image.unavailable" | "image.not_allowed" | "store.mismatch" | "store.unavailable" | "profile.unknown" | "shell.unavailable" | "sandbox.killed" | "cancelled" | "frozen" | "egress.refused" | "egress.failed" | "api.refused" | "api.failed" | "mcp.definition_changed" | "mcp.definition_gone" | "mcp.unreachable" | "mcp.busy" | "mcp.refused" | "mcp.failed" | "mcp.protocol" | "mcp.result_invalid" | "mcp.unsupported" | "mcp.consent_required" | "mcp.consent_not_yours" | "mcp.consent_failed" | "mcp.token_unavailable" | "mcp.authorization_unusable" | "calendar.unusable" | "calendar.refused" | "calendar.unreadable" | "mailbox.unusable" | "mailbox.refused" | "mailbox.not_private" | "mailbox.folder_unknown" | "mailbox.unreadable" | "tenant.closed" | "precondition.failed" | "effect.out_of_scope" | "workspace.conflict" | "output.not_kept" | "workspace.quota" | "file.not_found" | "file.kind" | "file.too_large" | "edit.no_match" | "edit.ambiguous" | "skill.unknown" | "task.unknown" | "search.pattern" | "command.failed" | "command.timeout" | "command.too_long" | "command.killed" | "session.lost" | "session.diverged" | "session.busy" | "session.idle" | "session.conflict" | "limit.exceeded" | "effect.invalid" | "secret.in_delta" | "attempts.exhausted" | "effect.ambiguous" | "function.failed" | "function.result_invalid" | "permit.invalid" | "permit.expired" | "permit.spent" | "attempt.fenced" | "overloaded" | "record.backlog" | "record.invalid" | "record.too_large" | "receipt.pending" | "ledger.diverged" | "ledger.unavailable" | "bus.unreachable" | "database.unavailable" | "blob.missing" | "blob.corrupt" | "sandbox.unavailable" | "audio.unreadable" | "audio.too_long" | "transcription.model_unknown" | "transcription.unavailable" | "transcription.failed" | "version.unsupported" | "internal";

export type KeyRole = "admin" | "operator" | "agent" | "auditor" | "worker";

export type PersonRole = "admin" | "operator" | "agent" | "auditor";

export type ApproverRole = "operator" | "admin";

export type ToolCategory = "read" | "write" | "admin";

export type Enforcement = "enforce" | "observe";

export type HeldMode = "soft_gate" | "escalated";

export type StandingState = "standing" | "expired" | "lifted";

export type DelegationState = "standing" | "expired" | "revoked";

export type ErasureSelector = "operation" | "session" | "subject" | "before" | "conversation" | "ended";

export type ErasureState = "running" | "done";

export type PayloadMode = "full" | "hashes";

export type RequestsMode = "full" | "none";

export type ResourceKind = "agent" | "audio_device" | "calendar" | "container" | "info_store" | "mailbox" | "mcp_server" | "model" | "profile" | "sandbox" | "search_engine" | "skill" | "task" | "website";

export type ResourceRight = "use" | "create";

export type Clearance = "autopilot" | "soft_gate" | "escalated";

export type Shell = "Bash" | "PowerShell" | "CommandPrompt" | "Git";

export type ImageState = "waiting" | "building" | "ready" | "failed";

export type McpConnectionState = "asked" | "confirmed" | "exchanging" | "connected" | "failed" | "ended";

export type McpToolState = "new" | "accepted" | "changed" | "gone" | "refused";

export type SessionMode = "interactive" | "gateway" | "scheduled";

export type SessionDialect = "native" | "blocks" | "tools-xml" | "yips";

export type ModelProviderName = "openai" | "anthropic" | "gemini" | "transcript";

/** `queued`: waits for earlier runs of its session; `waiting`: a call is held for a person, or a sub-agent has to end first */
export type RunState = "queued" | "running" | "waiting" | "ended";

export type RunStopped = "end" | "limit" | "length" | "refusal" | "malformed" | "budget" | "cancelled" | "model_failed" | "failed";

export type UsageBy = "model" | "session" | "agent" | "day";

export type JobConversation = "fresh" | "kept";

export type JobOverlap = "skip" | "queue" | "allow";

export type JobMissed = "skip" | "run_once";

export type JobState = "active" | "paused";

export type JobStartState = "queued" | "started" | "skipped" | "missed" | "failed";

export type WebhookState = "active" | "disabled";

export type WebhookEvent = "approval.pending" | "approval.voted" | "approval.escalated" | "approval.reminder" | "approval.approved" | "approval.denied" | "approval.expired" | "approval.cancelled" | "approval.superseded" | "operation.ambiguous" | "operation.resolved" | "mcp_server.tools_new" | "mcp_server.tools_changed" | "mcp_server.tools_gone" | "mcp_server.failing" | "mcp_server.recovered" | "run.finished";

export type DeliveryState = "pending" | "delivered" | "failed";

export type RuleChange = "added" | "removed" | "changed";

export type FileChange = "added" | "deleted" | "modified";

export type NoTextReason = "binary" | "too_long" | "not_a_file";

export type ContentEncoding = "utf8" | "base64";

export type FileMode = "644" | "755";

/** how tokens are verified: `oauth`, access tokens; `kubernetes`, projected tokens of a cluster */
export type IssuerProfile = "oauth" | "kubernetes";

/** the only public keys of the cluster (RFC 7517); null: those that it publishes */
export interface PinnedKeySet {
  keys: readonly {
    [name: string]: unknown;
  }[];
}

export type WorkloadRole = "agent" | "auditor" | "worker";

export interface WorkloadSettings {
  /** the `sub` of its tokens: `system:serviceaccount:NAMESPACE:NAME` */
  subject: string;
  role: WorkloadRole;
  agent_id?: string | null;
  tools?: readonly string[] | null;
  capability_token_id?: string | null;
}

export interface ApprovalVotes {
  /** distinct persons whose approval is valid */
  given: number;
  /** distinct persons who must approve */
  needed: number;
  /** the lowest role whose approval counts */
  role: ApproverRole;
}

/** of a call that is held: how many have approved it */
export interface OperationVotes {
  /** distinct persons whose approval is valid */
  given: number;
  /** distinct persons who must approve */
  needed: number;
  /** the lowest role whose approval counts */
  role: ApproverRole;
}

export interface Budget {
  /** the id of a budget: `bgt_…` */
  budget_id: string;
  subject: BudgetSubject;
  period: BudgetPeriod;
  measure: BudgetMeasure;
  currency: string | null;
  limit: number;
  /** in the present period */
  used: number;
  /** when the present period began, in milliseconds since the epoch */
  starts_at: number;
  /** when the next one begins, in milliseconds since the epoch */
  resets_at: number;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that set it first */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key that set its limit last */
  changed_by: string;
}

export interface BudgetList {
  items: readonly Budget[];
  next_cursor: string | null;
}

export interface BudgetSetting {
  subject: BudgetSubject;
  period: BudgetPeriod;
  measure: BudgetMeasure;
  currency?: string | null;
  /** the most that one period may use */
  limit: number;
}

export type BudgetSubjectKind = "tenant" | "agent" | "person" | "group" | "api_key";

export interface BudgetSubject {
  kind: BudgetSubjectKind;
  id: string | null;
}

/** a calendar day or month in UTC */
export type BudgetPeriod = "day" | "month";

/** calls: calls that were admitted; llm_tokens: tokens that models of runs read and wrote; cost: what they cost, in millionths of `currency` */
export type BudgetMeasure = "calls" | "llm_tokens" | "cost";

export interface CallUsage {
  /** the first day */
  from: string;
  /** the day after the last one */
  to: string;
  by: readonly string[];
  items: readonly CallUsageItem[];
  next_cursor: string | null;
}

/** how they ended; open: they have not */
export type CallUsageItemOutcome = "refused" | "committed" | "rolled_back" | "no_op" | "ambiguous" | "open";

export interface CallUsageItem {
  day: string | null;
  agent_id: string | null;
  person: string | null;
  api_key_id: string | null;
  tool_id: string | null;
  outcome: CallUsageItemOutcome | null;
  calls: number;
}

export interface NewName {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
}

export interface Removed {
  removed: string;
}

export interface Budgets {
  calls?: number;
  cpu_ms?: number;
  wall_ms?: number;
  disk_write_bytes?: number;
  egress_bytes?: number;
  llm_tokens?: number;
}

export interface NetGrant {
  domain: string;
  methods: readonly string[];
  /** the only ports; absent: 80 for http, 443 for https and `CONNECT`, and none for `TCP` and `TLS`, which need them named */
  ports?: readonly number[];
}

export interface PathGrant {
  path: string;
  read: boolean;
  write: boolean;
  /** nothing at or below it is reached, whatever other roots grant */
  denied?: true;
}

export interface PolicyOfVerdict {
  policy_hash: string;
  name: string;
  enforcement: Enforcement;
}

export interface VerdictChange {
  from: AutonomyMode;
  to: AutonomyMode;
  tool_id: string;
  count: number;
}

export interface VerdictChangeOfEffect {
  from: AutonomyMode;
  to: AutonomyMode;
  tool_id: string;
  count: number;
}

export interface Redaction {
  rule: string;
  /** JSON pointers into the result; `*` is every member and every item */
  pointers: readonly string[];
}

export interface Replayed {
  verdict: Verdict;
  mode: AutonomyMode;
  decided: AutonomyMode;
  rule_ids: readonly string[];
  /** those of its rules first */
  reasons: readonly Reason[];
  /** what it redacts of the result; absent: nothing */
  redactions?: readonly Redaction[];
}

export interface SystemUserIds {
  uid: number;
  gid: number;
}

export interface SandboxLimits {
  /** the longest that a command may run */
  wall_ms: number;
  memory_bytes: number;
}

/** whether the external effect happened, as the person found */
export type ResolutionOutcome = "committed" | "rolled_back";

export interface McpServerByUrlCredentialWithHeader {
  /** `authorization` by default */
  header?: string;
  /** before the secret, with its space; `Bearer ` by default */
  prefix?: string;
  /** the name of a tenant's secret */
  secret: string;
}

export interface McpServerByUrlCredentialWithOauth {
  oauth: McpServerByUrlCredentialWithOauthOauth;
}

/** OAuth 2.1, with authorization code and PKCE */
export interface McpServerByUrlCredentialWithOauthOauth {
  /** the id of the client that Writ is at the authorization server */
  client_id: string;
  /** the name of the tenant's secret that authenticates the client; takes `authorization_server`, and goes there alone */
  client_secret?: string;
  /** the scopes that a person is asked for */
  scopes: readonly string[];
  /** its issuer, `https://host[:port]/path`; by default the one that the server names */
  authorization_server?: string;
}

export interface McpServerByUrl {
  /** streamable HTTP */
  transport: "http";
  /** the MCP endpoint: `https://host[:port]/path` */
  url: string;
  credential?: McpServerByUrlCredentialWithHeader | McpServerByUrlCredentialWithOauth;
  /** calls under way per executor; 8 by default */
  calls_max?: number;
  /** what it may ask of the client that calls it; absent: nothing */
  asks?: readonly McpServerQuestion[];
}

export interface McpServerByProgramEnvValueWithSecret {
  /** the name of a tenant's secret */
  secret: string;
}

export interface McpServerByProgram {
  /** a program, over its standard input and output */
  transport: "stdio";
  /** the program and its arguments: no shell reads them */
  command: readonly string[];
  /** the name of the tenant's image that has the program; absent: the image of sandboxes */
  image?: string;
  /** variables of the program, beside a few that every program has */
  env?: {
    [name: string]: string | McpServerByProgramEnvValueWithSecret;
  };
  /** hosts that it may reach during a call whose token grants them, too; absent: none */
  hosts?: readonly string[];
  /** of one process; 1024 by default */
  memory_mb?: number;
  /** calls under way per executor; 8 by default */
  calls_max?: number;
  /** what it may ask of the client that calls it; absent: nothing */
  asks?: readonly McpServerQuestion[];
}

export type McpServerQuestion = "elicitation" | "elicitation_url" | "sampling" | "roots";

export interface LocalModel {
  kind: "local";
  /** a model that the executor has */
  model: string;
}

export interface McpToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema: {
    [name: string]: unknown;
  };
  outputSchema?: {
    [name: string]: unknown;
  };
  annotations?: {
    [name: string]: unknown;
  };
}

export interface ToolProblem {
  /** JSON pointer (RFC 6901) of the place in what was sent */
  pointer: string;
  message: string;
  /** what to do about it; empty where the message says it all */
  help: string;
}

export interface DocumentProblem {
  /** JSON pointer of the place in what was sent */
  pointer: string;
  message: string;
}

export type ImportProblemOf = "document" | "options";

export interface ImportProblem {
  /** JSON pointer of the place in the document */
  pointer: string;
  of: ImportProblemOf;
  message: string;
  /** what to do about it; empty where the message says it all */
  help: string;
}

export interface PublicKey {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
}

export interface StoredOutput {
  bytes: number;
  /** the command wrote more than is read of one command: the end of its output is missing */
  cut: boolean;
}

export interface ModelTurnCall {
  id: string;
  tool_id: string;
  args: {
    [name: string]: unknown;
  };
  /** why it can't run, in words for the model, such as arguments that are no JSON object; this is its answer, and it is never proposed */
  problem?: string;
  /** the tool's name as the model wrote it, if it is an alias */
  name?: string;
  mode?: ModelTurnCallMode;
  /** names of variables in its arguments that are not filled in yet */
  variables?: readonly string[];
  show?: ModelTurnCallShow;
}

/** stage: shown and kept as a change; apply: the staged change that `args.token` names */
export type ModelTurnCallMode = "stage" | "apply";

/** how its answer is rendered */
export interface ModelTurnCallShow {
  chars_max?: number;
  legacy?: true;
  /** what was changed in its arguments before it ran */
  warnings?: readonly string[];
}

export interface ModelTurn {
  text: string;
  calls: readonly ModelTurnCall[];
  stop: "end" | "tool_use" | "length" | "refusal";
  problems?: readonly string[];
  /** parts that were ignored, though the rest was parsed */
  notes?: readonly string[];
  /** the reply as written, if the dialect is text: `text` is without its calls */
  written?: string;
  usage?: ModelUsage;
}

export interface ModelUsage {
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
}

/** `gone`: its server answered 410; `failing`: all attempts failed for five days */
export type WebhookDisabledReason = "asked" | "gone" | "failing";

/** `username` and `password` go together */
export interface EmailDestination {
  /** the name of the SMTP server, or its IPv4 address */
  host: string;
  /** mostly 465 for `implicit`, and 587 for `starttls` */
  port: number;
  tls: EmailTls;
  /** an address without a name, in ASCII: `name@example.org` */
  from: string;
  to: readonly string[];
  /** in ASCII; absent: the server takes mails without signing in */
  username?: string;
  /** in ASCII: it is never shown */
  password?: string;
}

/** another `host`, `port`, `tls` or `username` takes the `password`, too */
export interface EmailDestinationChange {
  /** the name of the SMTP server, or its IPv4 address */
  host?: string;
  /** mostly 465 for `implicit`, and 587 for `starttls` */
  port?: number;
  /** `none` only for hosts that the operator allowed */
  tls?: EmailTls;
  /** in ASCII; absent: the server takes mails without signing in */
  username?: string;
  /** in ASCII: it is never shown */
  password?: string;
  /** an address without a name, in ASCII: `name@example.org` */
  from?: string;
  to?: readonly string[];
}

export interface EmailDestinationView {
  /** the name of the SMTP server, or its IPv4 address */
  host: string;
  /** mostly 465 for `implicit`, and 587 for `starttls` */
  port: number;
  tls: EmailTls;
  /** an address without a name, in ASCII: `name@example.org` */
  from: string;
  to: readonly string[];
  username: string | null;
}

/** `none` only for hosts that the operator allowed */
export type EmailTls = "implicit" | "starttls" | "none";

export interface TeamsDestination {
  /** the URL of the workflow with its signature: it is never shown */
  url: string;
}

export interface TeamsDestinationView {
  /** where the workflow's URL begins; the rest is secret */
  origin: string;
}

export interface WebhookDestination {
  /** the URL that each change is posted to */
  url: string;
}

export interface WebhookDestinationView {
  url: string;
  /** the secret that signs messages, `whsec_…`: shown once, where the channel is created */
  secret?: string;
}

export interface SlackConversation {
  /** the id of Slack's channel */
  conversation: string;
  /** Slack's API */
  api_url: string;
}

export interface SlackSettings {
  /** the id of Slack's channel, such as `C0123456789`: Slack shows it in the channel's details */
  conversation: string;
  /** the token of the bot, `xoxb-…`, with the scope `chat:write`: it is never shown */
  bot_token: string;
  /** `https://slack.com/api` unless given; of Slack's service for governments another one */
  api_url?: string;
}

/** another `api_url` takes the `bot_token`, too */
export interface SlackChange {
  /** the id of Slack's channel, such as `C0123456789`: Slack shows it in the channel's details */
  conversation?: string;
  /** the token of the bot, `xoxb-…`, with the scope `chat:write`: it is never shown */
  bot_token?: string;
  /** `https://slack.com/api` unless given; of Slack's service for governments another one */
  api_url?: string;
}

export type ChannelKind = "slack" | "webhook" | "teams" | "email";

/** for a sub-agent: its parent run (null for a call of a turn), and the call that started it */
export interface SpawnedBy {
  run_id: string | null;
  /** the id of an operation: `op_…` */
  operation_id: string;
}

export interface ScopeRole {
  /** a scope of the issuer */
  scope: string;
  role: PersonRole;
}

export interface Member {
  /** the id of a member: `mbr_…` */
  member_id: string;
  kind: MemberKind;
  name: string | null;
  person_id: string | null;
  issuer: string | null;
  subject: string | null;
  role: PersonRole | null;
  state: MemberState;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key, or the identity provider where the person signed in */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  changed_by: string;
}

/** `person`: somebody who signed in; `service`: a service account, which decides about no call */
export type MemberKind = "person" | "service";

/** of whoever is not `active`, sessions, tokens and keys are refused */
export type MemberState = "active" | "suspended" | "offboarded";

export interface MemberList {
  items: readonly Member[];
  next_cursor: string | null;
}

export interface Invitation {
  /** the id of an invitation: `inv_…` */
  invitation_id: string;
  email: string | null;
  subject: string | null;
  provider: string | null;
  /** becomes the role of the member who accepts it */
  role: PersonRole;
  state: InvitationState;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key, by whose right the role is given */
  created_by: string;
  /** milliseconds since the epoch */
  expires_at: number;
  accepted_at: number | null;
  member_id: string | null;
  revoked_at: number | null;
  revoked_by: string | null;
}

/** an invitation that is not `open` is good for nothing */
export type InvitationState = "open" | "accepted" | "revoked" | "expired";

export interface NewInvitation {
  /** the id of an invitation: `inv_…` */
  invitation_id: string;
  email: string | null;
  subject: string | null;
  provider: string | null;
  /** becomes the role of the member who accepts it */
  role: PersonRole;
  state: InvitationState;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key, by whose right the role is given */
  created_by: string;
  /** milliseconds since the epoch */
  expires_at: number;
  accepted_at: number | null;
  member_id: string | null;
  revoked_at: number | null;
  revoked_by: string | null;
  /** for the person alone: shown once and not stored */
  link: string;
}

export interface InvitationList {
  items: readonly Invitation[];
  next_cursor: string | null;
}

/** how people sign in at the issuer in a browser; null: nobody does */
export interface SignInClient {
  /** the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration */
  client_id: string;
}

export interface GroupRole {
  /** a group, exactly as the issuer writes it */
  group: string;
  role: PersonRole;
}

export interface PermitProof {
  permit: Envelope;
  /** random, made once per permit; the same one may redeem again, since a reply can be lost */
  nonce: string;
}

export interface McpMessage {
  jsonrpc: "2.0";
  id?: string | number | null;
  method?: string;
  params?: {
    [name: string]: unknown;
  };
  result?: unknown;
  error?: unknown;
}

export interface JobSettings {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  /** five fields (minute, hour, day, month, weekday), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly` */
  cron: string;
  /** an IANA time zone for the fields; default: `UTC` */
  time_zone?: string;
  workspace_id: string;
  /** the token of the agent, from which the token of the runs is derived */
  capability_token_id: string;
  input: string;
  /** one of `/v1/models` */
  model: string;
  /** the mutating tools that its runs may use; listing an administrative tool approves it */
  tools?: readonly string[];
  /** text at the end of the system prompt */
  system?: string;
  /** your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it */
  data_subject?: string;
  /** how the model writes its calls; default: `native`, the provider's format */
  dialect?: SessionDialect;
  /** `fresh`: each run begins a new conversation; `kept`: all runs continue one */
  conversation?: JobConversation;
  /** handling of a start while a run of the job has not ended; default: `skip` */
  overlap?: JobOverlap;
  /** handling of due times at which no orchestrator was running: none, or one run for all; default: `skip` */
  missed?: JobMissed;
  /** when calls of its runs are served among the waiting calls of the tenant; default: `background` */
  scheduling_class?: SchedulingClass;
  /** most replies of the model; default: 20, in `yips` 6 */
  rounds_max?: number;
  /** most tokens, input and output together */
  tokens_max?: number;
  /** most that it may cost, in millionths of the model's currency */
  cost_max?: number;
}

export interface DiffFile {
  path: string;
  change: FileChange;
  before: FileState | null;
  after: FileState | null;
  added_lines: number | null;
  removed_lines: number | null;
  text: string | null;
  why_no_text: NoTextReason | null;
}

export interface ApproverGroup {
  /** what policies call the group */
  name: string;
  description: string;
  /** the persons, sorted */
  members: readonly string[];
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key */
  changed_by: string;
}

export interface ApproverGroupList {
  items: readonly ApproverGroup[];
  next_cursor: string | null;
}

export interface ApproverDemand {
  /** the groups; a person of any of them counts */
  any_of: readonly string[];
  /** how many distinct persons of them must approve */
  count: number;
}

export interface ApproverDemandCount {
  /** the groups; a person of any of them counts */
  any_of: readonly string[];
  /** how many distinct persons of them must approve */
  count: number;
  /** how many of them have approved */
  given: number;
}

/** what an approval binds to; it counts once */
export interface ApprovalBinding {
  /** with the snapshot left out */
  action_digest: string;
  effect_digest: string | null;
  policy_hash: string;
  /** milliseconds since the epoch */
  expires_at: number;
}

export interface ApprovalPreview {
  state: ApprovalPreviewState;
  why: string | null;
  /** 2 once an effect went stale and was shown anew */
  round: number;
  base_snapshot_id: string | null;
  changes: readonly Change[] | null;
  changes_total: number | null;
  exit_code: number | null;
  /** the tool's result; null where it is too long to show */
  output: unknown;
  /** with any of these the approval is of the action: the preview did not have them, so the effect may differ */
  would_ask_for: readonly ApprovalPreviewWouldAskForItem[];
  used: Budgets | null;
}

export interface ApprovalPreviewWouldAskForItem {
  kind: "egress" | "secret";
  what: string;
}

export interface ApprovalVotedItem {
  /** the id of a vote: `vot_…` */
  vote_id: string;
  says: ApprovalVotedItemSays;
  /** the person whose vote it is */
  principal: string;
  /** the right that was used */
  role: ApproverRole;
  /** the API key that gave it */
  cast_by: string;
  /** the person of that key: another than `principal` if the right was delegated */
  cast_as: string;
  delegation_id: string | null;
  effect_digest: string | null;
  /** whether it applies to the current subject of the approval, and its right was not revoked */
  stands: boolean;
  comment: string | null;
  record_id: string | null;
  /** milliseconds since the epoch */
  created_at: number;
}

/** what you may decide now; it is checked again when you decide, under the policy of then */
export interface ApprovalYou {
  /** whether your approval of what is shown would count now, by your own right */
  may_approve: boolean;
  /** whether you may deny it now, by your own right */
  may_deny: boolean;
  /** why you may not: the code and the words with which your decision would be refused; empty where you may do both */
  why: readonly Reason[];
  /** delegations with which your approval would count now */
  delegations: readonly string[];
  /** what you have decided about what is shown, or somebody by your right; null: nothing that counts */
  voted: ApprovalVotedItemSays | null;
}

/** who and what began the work that the call belongs to, before any edit */
export interface ApprovalStartedBy {
  /** the id of an agent: `agt_…` */
  agent_id: string;
  /** where the call came from: `api`, `mcp` or `run`; absent: it is not known */
  source?: string;
  /** the API key or credential that proposed it; of a run the one on whose behalf it runs */
  api_key_id: string;
  /** the person of that key; absent: it names none */
  principal?: string;
  /** the member whose key it is; absent: of none */
  member_id?: string;
  /** the run that made it, of a sub-agent the run at the top; absent: no run did */
  run_id?: string;
  /** the session of that run; absent: no run made it, or the session was erased */
  session_id?: string;
  job?: ApprovalStartedByJob;
}

/** the job that the session belongs to; absent: none */
export interface ApprovalStartedByJob {
  /** the id of a job: `job_…` */
  job_id: string;
  /** absent: the job was deleted */
  name?: string;
  /** whether a person started the run; absent: it is not known any more */
  by_hand?: boolean;
  /** when it was due, or was started by hand, in ms since the epoch; absent: it is not known any more */
  due_at?: number;
}

/** what `expand` names; null: it is not there for you */
export interface ApprovalExpanded {
  operation?: Operation | null;
}

export interface Approval {
  /** the id of an approval: `apr_…` */
  approval_id: string;
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  action_digest: string;
  autonomy_mode: AutonomyMode;
  of: ApprovalOf;
  state: "pending" | "approved" | "denied" | "expired" | "cancelled" | "superseded";
  binding: ApprovalBinding;
  preview: ApprovalPreview;
  votes: ApprovalVotes;
  /** the votes, oldest first */
  voted: readonly ApprovalVotedItem[];
  reasons: readonly Reason[];
  /** the arguments that would run, for the approver */
  args: unknown;
  /** what is stored of the call can not be read, so its arguments or its effect are null: it can be denied, and not approved */
  unreadable?: true;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  comment: string | null;
  session_token_id?: string | null;
  /** the groups that the policy reserves it for; absent: anybody of that role may decide */
  groups?: readonly ApproverDemandCount[];
  /** groups that it was offered to later, beside those; absent: none */
  escalated_to?: readonly string[];
  /** when it is offered to further groups; absent: never */
  escalates_at?: number;
  you?: ApprovalYou;
  started_by?: ApprovalStartedBy;
  expanded?: ApprovalExpanded;
}

/** where its content was erased: when, and by which record */
export interface OperationErased {
  /** milliseconds since the epoch */
  at: number;
  /** the id of an erasure: `ers_…` */
  erasure_id: string;
  /** its record */
  record_id: string;
}

/** what `expand` names; null: nothing is there, or not yet, or not for you */
export interface OperationExpanded {
  result?: ToolResult | null;
  approval?: Approval | null;
  receipt?: Receipt | null;
}

export interface Operation {
  /** the id of an operation: `op_…` */
  operation_id: string;
  state: CallState;
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  capability_token_id: string;
  workspace_id: string | null;
  session_id: string | null;
  task_class: string;
  /** when it is served among the waiting calls of its tenant */
  scheduling_class?: SchedulingClass;
  autonomy_mode: AutonomyMode;
  risk_score: number;
  risk_basis: readonly string[];
  reasons: readonly Reason[];
  provenance: Provenance;
  attempt: number;
  /** this answer is the original outcome of an idempotency key used again */
  replayed: boolean;
  approval_id: string | null;
  votes?: OperationVotes;
  /** the id of a record: `rec_…` */
  decision_record_id: string;
  outcome_record_id: string | null;
  resolution: Resolution | null;
  erased?: OperationErased;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  updated_at: number;
  /** its proposer is to run it: ask for its permit. Absent: somebody else runs it, or it has ended */
  awaits?: "caller";
  /** what rules of the policy redact of its result; absent: nothing */
  redactions?: readonly Redaction[];
  result: ToolResult | null;
  expanded?: OperationExpanded;
}

/** why the model or the run failed */
export interface RunError {
  fault: string;
  message: string;
}

/** what `expand` names; null: it is not there for you */
export interface RunExpanded {
  session?: Session | null;
}

export interface Run {
  /** the id of a run: `run_…` */
  run_id: string;
  /** the id of a session: `ses_…` */
  session_id: string;
  model: string;
  state: RunState;
  stopped: RunStopped | null;
  /** operations that a person has to decide */
  waits_for: readonly string[];
  cancel_asked: boolean;
  error: RunError | null;
  /** how many events are stored, which is the last one's `seq` */
  events: number;
  rounds: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key on whose behalf it makes its calls */
  created_by: string;
  started_at: number | null;
  ended_at: number | null;
  expanded?: RunExpanded;
}

export interface TokenSessionApproval {
  /** the id of an approval: `apr_…` */
  approval_id: string;
  /** the id of an operation: `op_…` */
  operation_id: string;
  /** the only session it serves */
  session_id: string;
  policy_hash: string;
  args: TokenSessionApprovalArgs;
  risk_max: number;
  /** a call that is risky for another reason is another call */
  risk_basis: readonly string[];
  /** codes of all that a person was shown: a call that is held for another reason is another call */
  reasons: readonly string[];
}

/** any: the token's roots are the paths that were approved; same: of a command, whose paths can't be known */
export type TokenSessionApprovalArgs = "any" | "same";

export interface TokenJob {
  /** the id of a job: `job_…` */
  job_id: string;
  /** tools by their whole names: a family would list what nobody has seen */
  tools: readonly string[];
}

/** what `expand` names; null: it is not there for you; `children` is the first page of the children of one token */
export interface TokenExpanded {
  agent?: Agent | null;
  children?: TokenList | null;
}

export interface Token {
  v: 1;
  /** the id of a token: `cap_…` */
  capability_token_id: string;
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  parent_id: string | null;
  /** the only workspace it reaches; null: any of the tenant */
  workspace_id: string | null;
  grant: Grant;
  /** the API key that issued it */
  issuer: string;
  /** milliseconds since the epoch, UTC */
  created_at: number;
  revoked_at: number | null;
  session_approval?: TokenSessionApproval;
  /** the committed call of `agent.spawn` that the kernel made it for */
  spawned_by?: string;
  job?: TokenJob;
  used: Budgets;
  reserved: Budgets;
  left: Budgets;
  /** the way to it, root first, itself last */
  chain: readonly string[];
  /** it, or one above it */
  revoked: boolean;
  expanded?: TokenExpanded;
}

export interface TokenList {
  items: readonly Token[];
  next_cursor: string | null;
}

export interface CallNotice {
  /** the id of an operation: `op_…` */
  operation_id: string;
  approval_id: string | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  tool_id: string;
  workspace_id: string | null;
  session_id: string | null;
  action_digest: string | null;
  autonomy_mode: AutonomyMode;
  expires_at: number | null;
  resolution: ResolutionOutcome | null;
}

export interface McpServerNoticeTool {
  tool_id: string;
  digest: string | null;
}

export interface McpServerNotice {
  /** the id of a resource: `res_…` */
  resource_id: string;
  /** its registered name */
  server: string;
  problem: string | null;
  /** how many tools it is about */
  count: number;
  /** the first of them, with the digests of the listed definitions */
  tools: readonly McpServerNoticeTool[];
}

export interface RunFinished {
  /** the id of a run: `run_…` */
  run_id: string;
  /** the id of a session: `ses_…` */
  session_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  spawned_by: SpawnedBy | null;
  model: string;
  state: RunState;
  stopped: RunStopped | null;
  fault: string | null;
  rounds: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost: number | null;
}

export interface WebhookPing {
  /** the id of a webhook: `whk_…` */
  webhook_id: string;
}

export interface Agent {
  /** the id of an agent: `agt_…` */
  agent_id: string;
  name: string;
  /** milliseconds since the epoch */
  created_at: number;
}

export interface AgentList {
  items: readonly Agent[];
  next_cursor: string | null;
}

export interface ApiKey {
  /** the id of an API key: `key_…` */
  api_key_id: string;
  name: string;
  role: KeyRole;
  agent_id: string | null;
  principal: string | null;
  member_id: string | null;
  tools: readonly string[] | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it, or `platform` */
  created_by: string;
  revoked_at: number | null;
  scopes: readonly string[] | null;
  expires_at: number | null;
  last_used_at: number | null;
  rotated_at: number | null;
  former_until: number | null;
}

export interface ApiKeyList {
  items: readonly ApiKey[];
  next_cursor: string | null;
}

export interface ApprovalBrief {
  /** the id of an approval: `apr_…` */
  approval_id: string;
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  session_id: string | null;
  workspace_id: string | null;
  person_id: string | null;
  autonomy_mode: AutonomyMode;
  of: ApprovalOf;
  state: "pending" | "approved" | "denied" | "expired" | "cancelled" | "superseded";
  risk_score: number;
  /** codes of the reasons why it is held, such as ids of rules, the deciding one first; the approval has the texts */
  reason_codes: readonly string[];
  preview: ApprovalPreviewState;
  votes: ApprovalVotes;
  /** the groups that the policy reserves it for; absent: none */
  groups?: readonly ApproverDemandCount[];
  /** groups that it was offered to later, beside those; absent: none */
  escalated_to?: readonly string[];
  /** when it is offered to further groups; absent: never */
  escalates_at?: number;
  /** the calls of one tool, agent and autonomy mode that were held for the same reasons have the same */
  alike: string;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  expires_at: number;
  decided_at: number | null;
}

export interface ApprovalBriefList {
  items: readonly ApprovalBrief[];
  next_cursor: string | null;
}

export interface ApprovalGroup {
  /** the calls of one tool, agent and autonomy mode that were held for the same reasons have the same */
  alike: string;
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  autonomy_mode: AutonomyMode;
  /** codes of the reasons why they are held, the deciding one first */
  reason_codes: readonly string[];
  /** how many wait */
  count: number;
  /** when the oldest one was held, in milliseconds since the epoch */
  created_at: number;
  /** when the first one expires, in milliseconds since the epoch */
  expires_at: number;
  /** the highest one */
  risk_score: number;
}

export interface ApprovalGroups {
  items: readonly ApprovalGroup[];
  /** calls that were counted, in all groups */
  waiting: number;
  /** their groups, of which the first 200 are shown */
  groups: number;
  /** false: more calls wait, and the 20000 that wait the longest were counted */
  complete: boolean;
}

/** how the approval ended; superseded: a person edited the call */
export type PastDecisionOutcome = "approved" | "denied" | "expired" | "cancelled" | "superseded";

/** how an approval of an earlier call of the same tool and agent ended */
export interface PastDecision {
  /** the id of an approval: `apr_…` */
  approval_id: string;
  /** the id of an operation: `op_…` */
  operation_id: string;
  outcome: PastDecisionOutcome;
  autonomy_mode: AutonomyMode;
  /** milliseconds since the epoch */
  decided_at: number;
  /** the API key that decided it, or `kernel` for one that expired */
  decided_by: string | null;
  /** the persons whose votes decided it so, oldest first; empty where no vote did */
  voters: readonly string[];
  /** what the person wrote who decided it; null: nothing, or it was erased */
  comment: string | null;
  /** the codes of the reasons why it was held */
  held_for: readonly string[];
  /** of the call, from 0 to 1 */
  risk_score: number;
  /** ids of the risk rules that applied to the call */
  risk_basis: readonly string[];
}

export interface PastDecisions {
  /** of the calls that were proposed last, the newest call first */
  items: readonly PastDecision[];
}

export interface ApprovalList {
  items: readonly Approval[];
  next_cursor: string | null;
}

export interface Backtest {
  page: BacktestPage;
  envelope: Envelope;
}

export interface BacktestPageExample {
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  from: AutonomyMode;
  to: AutonomyMode;
  rule_ids: readonly string[];
}

export interface BacktestPageRedactions {
  changed: number;
  examples: readonly BacktestPageRedactionsExample[];
}

export interface BacktestPageRedactionsExample {
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  from: readonly Redaction[];
  to: readonly Redaction[];
}

export interface BacktestPageEffects {
  /** committed calls with changes about whose effects both sets were asked */
  judged: number;
  /** those about whose effects they were not */
  skipped: number;
  skipped_for: readonly BacktestPageEffectsSkippedForItem[];
  /** effects judged alone, since the calls before them could not all be read */
  without_series: number;
  changed: number;
  /** `autopilot`: the effect commits without anybody more than the call had */
  changes: readonly VerdictChangeOfEffect[];
  examples: readonly BacktestPageEffectsExample[];
}

export interface BacktestPageEffectsSkippedForItem {
  why: BacktestPageEffectsSkippedForItemWhy;
  count: number;
}

export type BacktestPageEffectsSkippedForItemWhy = "arguments_erased" | "contents_gone" | "set_unknown" | "beyond_bounds";

export interface BacktestPageEffectsExample {
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  from: AutonomyMode;
  to: AutonomyMode;
  /** what the candidate decides by */
  rule_ids: readonly string[];
  /** rules on effects by which the candidate finds something */
  findings: readonly string[];
  /** the same of the set that was in force */
  findings_then: readonly string[];
  /** what the effect does, as the stricter of both says it first */
  headline: string;
}

export interface BacktestPage {
  v: 1;
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  kernel_key_id: string;
  candidate: PolicyOfVerdict;
  since: number;
  cursor: string | null;
  next_cursor: string | null;
  made_at: number;
  examined: number;
  /** operations that no policy was asked about, or whose arguments or set are gone */
  skipped: number;
  changed: number;
  changes: readonly VerdictChange[];
  examples: readonly BacktestPageExample[];
  redactions?: BacktestPageRedactions;
  effects?: BacktestPageEffects;
}

export interface Change {
  /** relative to the workspace, `/` between segments */
  path: string;
  before: FileState | null;
  after: FileState | null;
}

export interface Delta {
  v: 1;
  base: string;
  changes: readonly Change[];
}

export interface EgressRequest {
  at_ms: number;
  method: string;
  target: string;
  purpose: string;
  outcome: "answered" | "refused" | "failed" | "unreported";
  reason: string | null;
  address: string | null;
  status: number | null;
  sent_bytes: number;
  received_bytes: number;
}

export interface EgressRequestPage {
  items: readonly EgressRequest[];
  next_cursor: string | null;
  total: number;
  hash: string | null;
}

export interface EnvelopeSignature {
  keyid: string;
  sig: string;
}

export interface Envelope {
  payloadType: string;
  payload: string;
  signatures: readonly EnvelopeSignature[];
}

export interface ExecutionProfile {
  /** what may read a command */
  shells: readonly Shell[];
  /** the only workspace that it is for; null: any */
  workspace_id: string | null;
  /** variables that commands find; no secrets */
  environment: {
    [name: string]: string;
  };
  /** the user that commands run as, never root; the user `sandbox` (10001) unless set */
  user?: string | SystemUserIds;
  /** the tenant's image that commands run in; that of the tool unless set */
  image?: string;
  /** hosts that a command may reach at most, where its token reaches them too */
  net: readonly NetGrant[];
  limits: SandboxLimits;
}

export interface FileState {
  kind: "file" | "dir" | "symlink";
  /** files only, else null */
  mode: "644" | "755" | null;
  sha256: string | null;
  size: number;
}

export type GrantEffect = "effect.lost_many" | "effect.lost_series" | "effect.history" | "effect.binary_over_text" | "effect.renamed_many" | "effect.runs_later" | "effect.read_wrote";

export interface Grant {
  tools: readonly string[];
  fs: readonly PathGrant[];
  net: readonly NetGrant[];
  secrets: readonly string[];
  /** execution profiles that raw commands may run under; absent: none */
  profiles?: readonly string[];
  /** registered resources of the kinds that a token must list; absent: none */
  resources?: readonly string[];
  /** rules on effects whose findings need no person under this token; absent: none */
  effects?: readonly GrantEffect[];
  budgets: Budgets;
  /** milliseconds since the epoch, UTC */
  not_before: number;
  /** milliseconds since the epoch, UTC */
  expires_at: number;
}

export interface Health {
  status: "ok";
}

export interface Inclusion {
  leaf_index: number;
  tree_size: number;
  hashes: readonly string[];
  /** C2SP signed note */
  checkpoint: string;
}

export interface NewApiKey {
  /** the id of an API key: `key_…` */
  api_key_id: string;
  name: string;
  role: KeyRole;
  agent_id: string | null;
  principal: string | null;
  member_id: string | null;
  tools: readonly string[] | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it, or `platform` */
  created_by: string;
  revoked_at: number | null;
  scopes: readonly string[] | null;
  expires_at: number | null;
  last_used_at: number | null;
  rotated_at: number | null;
  former_until: number | null;
  /** the key itself: shown once and not stored */
  api_key: string;
}

export interface NewTenant {
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  name: string;
  /** the id of an API key: `key_…` */
  api_key_id: string;
  /** the key of the first administrator: shown once and not stored */
  api_key: string;
}

export type TenantState = "open" | "closed";

export interface Tenant {
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  name: string;
  state: TenantState;
  /** milliseconds since the epoch */
  created_at: number;
  closed_at: number | null;
  closed_by: string | null;
  close_reason: string | null;
}

export interface TenantList {
  items: readonly Tenant[];
  next_cursor: string | null;
}

export interface OperationExplanation {
  /** the id of an operation: `op_…` */
  operation_id: string;
  policy_hash: string;
  /** whether policy was evaluated at all */
  asked: boolean;
  why_not: string | null;
  then: PolicyExplanation | null;
  now: PolicyExplanation | null;
  alike: boolean | null;
}

export interface OperationList {
  items: readonly Operation[];
  next_cursor: string | null;
}

export interface PolicyActivation {
  policy_hash: string;
  name: string;
  version: number | null;
  enforcement: Enforcement;
  /** counts the tenant's activations; 0: none yet, so the default set is in force */
  seq: number;
  activated_by: string | null;
  at: number | null;
  note: string | null;
}

export interface PolicyActivationList {
  items: readonly PolicyActivation[];
  next_cursor: string | null;
}

export interface PolicyDiffRule {
  id: string;
  change: RuleChange;
  before: string | null;
  after: string | null;
}

export interface PolicyDiffHistoryItem {
  id: string;
  change: RuleChange;
  before: {
    [name: string]: unknown;
  } | null;
  after: {
    [name: string]: unknown;
  } | null;
}

export interface PolicyDiffSetting {
  pointer: string;
  before: string | number | null;
  after: string | number | null;
}

export interface PolicyDiff {
  from: PolicySet;
  to: PolicySet;
  /** of the text, as Cedar */
  rules: readonly PolicyDiffRule[];
  history: readonly PolicyDiffHistoryItem[];
  /** thresholds, quorums, times to live, enforcement, name */
  settings: readonly PolicyDiffSetting[];
}

export interface PolicyExplanationBetterWithItem {
  with: string;
  mode: AutonomyMode;
}

export interface PolicyExplanationRule {
  id: string;
  effect: PolicyExplanationRuleEffect;
  text: string;
}

export type PolicyExplanationRuleEffect = "permit" | "forbid";

export interface PolicyExplanation {
  policy: PolicyOfVerdict;
  mode: AutonomyMode;
  decided: AutonomyMode;
  rule_ids: readonly string[];
  reasons: readonly Reason[];
  /** what would have let it pass with less supervision */
  would_pass: readonly string[];
  /** single changes of the call, each decided anew */
  better_with: readonly PolicyExplanationBetterWithItem[];
  rules: readonly PolicyExplanationRule[];
  errors: readonly string[];
}

export interface PolicyPage {
  active: PolicyActivation;
  shipped: readonly PolicySet[];
  /** stored by the tenant, newest first */
  items: readonly PolicySet[];
  next_cursor: string | null;
}

export interface PolicyProblem {
  /** JSON pointer of the place in the document; `/cedar` for what is wrong in the rules */
  pointer: string;
  line: number | null;
  column: number | null;
  message: string;
  /** what to do about it; empty where the message says it all */
  help: string;
}

export interface PolicyPut {
  valid: boolean;
  /** everything that is wrong */
  problems: readonly PolicyProblem[];
  /** what is allowed but odd */
  warnings: readonly PolicyProblem[];
  policy: PolicySet | null;
}

export interface PolicySchema {
  /** goes into every policy hash */
  version: number;
  /** the Cedar schema that rules are checked against */
  cedar: string;
  /** JSON Schema of the document */
  document: {
    [name: string]: unknown;
  };
}

export interface PolicySet {
  policy_hash: string;
  name: string;
  version: number | null;
  description: string;
  enforcement: Enforcement;
  /** whether it is in force now */
  active: boolean;
  /** whether every tenant has it */
  shipped: boolean;
  created_by: string | null;
  created_at: number | null;
}

export interface PolicySetWhole {
  policy_hash: string;
  name: string;
  version: number | null;
  description: string;
  enforcement: Enforcement;
  /** whether it is in force now */
  active: boolean;
  /** whether every tenant has it */
  shipped: boolean;
  created_by: string | null;
  created_at: number | null;
  document: {
    [name: string]: unknown;
  };
}

export interface PolicyTemplateListItem {
  id: string;
  description: string;
  /** JSON Schema of the parameters */
  parameters: {
    [name: string]: unknown;
  };
}

export interface PolicyTemplateList {
  items: readonly PolicyTemplateListItem[];
}

export interface PreconditionRef {
  kind: "snapshot" | "path" | "external_version" | "staged";
  ref: string;
  version: string;
}

export interface Problem {
  /** `https://writ.dev/errors/<code>`; the page is `docs/errors/<code>.md` */
  type: string;
  /** the short name of this kind of fault; the same in every occurrence */
  title: string;
  status: number;
  /** what failed, where, and what to do */
  detail: string;
  /** the fault code */
  code: string;
  /** never: the same request fails again; later: nothing happened, try again; same-key: it may have happened, ask again with the same idempotency key */
  retry: "never" | "later" | "same-key";
  /** this occurrence: `urn:writ:request:<request id>` */
  instance: string;
  /** JSON pointer (RFC 6901) to the place in the body */
  pointer?: string;
  /** for an invalid policy set: all of its errors */
  problems?: readonly PolicyProblem[];
}

export interface CallSettings {
  /** what calls of the tenant may reach, whatever their tokens grant */
  allowed_paths: readonly string[];
  /** what no call of the tenant reaches, whatever is allowed or granted */
  denied_paths: readonly string[];
  /** most bytes of the output of a command in its result; 200000 unless set */
  output_bytes: number;
  command_ms: number | null;
  /** the same for single tools, in place of `command_ms` */
  tool_command_ms: {
    [name: string]: number;
  };
  changed_at: number | null;
}

export interface Provenance {
  source?: string;
  run_id?: string;
  model?: string;
  dialect?: string;
  session_id?: string;
  turn?: string;
  parent_operation_id?: string;
  /** the name of the program that calls, in its own words */
  client?: string;
  /** the model that the caller says it drives */
  claimed_model?: string;
}

export interface PublicKeysRecordKey {
  keyid: string;
  jwk: {
    [name: string]: unknown;
  };
  /** when it was published; default: no lower bound, in milliseconds since the epoch */
  not_before?: number;
  /** the latest time of a record that it signed; default: no upper bound, in milliseconds since the epoch */
  not_after?: number;
  /** from when its signatures are not trusted; only for a revoked key, in milliseconds since the epoch */
  revoked_from?: number;
}

export interface PublicKeys {
  record_keys: readonly PublicKeysRecordKey[];
  log_keys: readonly string[];
  revoked_log_keys?: readonly string[];
}

export interface Readiness {
  ready: boolean;
  checks: {
    [name: string]: string;
  };
}

export interface Reason {
  /** a fault code or a rule id */
  code: string;
  message: string;
}

export interface Receipt {
  media_type: "application/vnd.writ.receipt.v1+json";
  envelope: Envelope;
  inclusion: Inclusion;
}

export interface ReceiptState {
  state: "logged" | "pending";
  /** the id of a record: `rec_…` */
  record_id: string;
  /** path of the receipt under the API */
  href: string;
  leaf_index: number | null;
  tree_size: number | null;
}

export interface RecordEntry {
  leaf_index: number;
  /** records of the log, by the checkpoint of its receipt */
  tree_size: number;
  /** the in-toto Statement v1 that was signed; its `predicate` is the record */
  statement: {
    [name: string]: unknown;
  };
  /** where its receipt is */
  receipt: string;
}

export interface RecordPageItem {
  /** its place in the tenant's log */
  leaf_index: number;
  /** milliseconds since the epoch */
  recorded_at: number;
  record_id: string;
  /** the record's `kind` */
  type: string;
  phase: string | null;
  operation_id: string | null;
  agent_id: string | null;
  tool_id: string | null;
  session_id: string | null;
  verdict: string | null;
  outcome: string | null;
  fault_code: string | null;
  risk_score: number | null;
  /** false for a record of a version that this ledger does not know: what it says is not in the index */
  is_drawn: boolean;
}

export interface RecordPage {
  items: readonly RecordPageItem[];
  next_cursor: string | null;
  /** records of the log that the index holds: the first so many */
  indexed_to: number;
  /** records of the log, by its newest checkpoint */
  tree_size: number;
}

export interface Resolution {
  outcome: ResolutionOutcome;
  /** how they know */
  note: string;
  /** milliseconds since the epoch */
  resolved_at: number;
  /** the API key of that person */
  resolved_by: string;
  /** the id of a record: `rec_…` */
  record_id: string;
}

export interface NewResourceAudioDevice {
  kind: "audio_device";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: AudioDeviceSettings;
}

export interface NewResourceCalendar {
  kind: "calendar";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: CalendarSettings;
}

export interface NewResourceContainer {
  kind: "container";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: ContainerSettings;
}

export interface NewResourceInfoStore {
  kind: "info_store";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: InfoStoreSettings;
}

export interface NewResourceMailbox {
  kind: "mailbox";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: MailboxSettings;
}

export interface NewResourceMcpServer {
  kind: "mcp_server";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: McpServerByUrl | McpServerByProgram;
}

export interface NewResourceModel {
  kind: "model";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: ModelSettings;
}

export interface NewResourceSearchEngine {
  kind: "search_engine";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: SearchEngineSettings;
}

export interface NewResourceWebsite {
  kind: "website";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: WebsiteSettings;
}

export type NewResource = NewResourceAudioDevice | NewResourceCalendar | NewResourceContainer | NewResourceInfoStore | NewResourceMailbox | NewResourceMcpServer | NewResourceModel | NewResourceSearchEngine | NewResourceWebsite;

export interface Resource {
  /** the id of a resource: `res_…` */
  resource_id: string;
  kind: ResourceKind;
  /** unique within its kind; for an agent its id */
  name: string;
  owner_agent_id: string | null;
  settings: {
    [name: string]: unknown;
  } | null;
  digest: string | null;
  /** counts changes of the settings */
  version: number;
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

export interface ResourceList {
  items: readonly Resource[];
  next_cursor: string | null;
}

export interface ResourceGrant {
  /** the id of a resource grant: `rgr_…` */
  resource_grant_id: string;
  kind: ResourceKind;
  /** null: every resource of the kind; the only value for `create` */
  resource_id: string | null;
  right: ResourceRight;
  /** null: every agent of the tenant */
  agent_id: string | null;
  clearance: Clearance;
  name: string | null;
  /** the API key that set it last; `kernel` for those of a new tenant */
  created_by: string;
  created_at: number;
}

export interface ResourceGrantList {
  items: readonly ResourceGrant[];
  next_cursor: string | null;
}

export interface ModelProviderOpenai {
  kind: "openai";
  /** `https://host[:port]/path` */
  url: string;
  /** the provider's name of the model */
  model: string;
  /** the name of a tenant's secret */
  secret?: string;
}

export type ModelProvider = LocalModel | ModelProviderOpenai;

export interface AudioDeviceGap {
  /** the start, in milliseconds since the epoch */
  from: number;
  /** the end, in milliseconds since the epoch */
  to: number;
}

export interface AudioDevice {
  /** the id of a resource: `res_…` */
  resource_id: string;
  name: string;
  retention_seconds: number;
  buffer_bytes: number;
  /** the number of the frame that the device sends next */
  next_seq: number;
  /** frames that are kept */
  frames: number;
  /** bytes of the samples that are kept */
  bytes: number;
  from: number | null;
  to: number | null;
  /** times between the newest frames that the device did not send, the newest first */
  gaps: readonly AudioDeviceGap[];
}

export interface FramesReceived {
  /** the id of a resource: `res_…` */
  resource_id: string;
  /** frames of this upload that are stored */
  stored: number;
  /** frames that were sent before, and were ignored */
  repeated: number;
  /** the number of the frame that the device sends next */
  next_seq: number;
  recorded_until: number | null;
}

export interface AudioDeviceSettings {
  /** how long uploaded audio is kept */
  retention_seconds: number;
  /** the size of its ring buffer */
  buffer_bytes: number;
  /** the agent whose API keys upload for the device; absent: operators and administrators alone do */
  uploader?: string;
}

export interface CalendarSettingsIcs {
  kind: "ics";
  /** `https://host[:port]/path` */
  url: string;
  /** the name of a tenant's secret */
  secret?: string;
}

export interface CalendarSettingsCaldav {
  kind: "caldav";
  /** `https://host[:port]/path` */
  url: string;
  /** of the account */
  username: string;
  /** the name of a tenant's secret */
  secret: string;
}

export type CalendarSettings = CalendarSettingsIcs | CalendarSettingsCaldav;

export interface ContainerSettings {
  /** the workspace that its shell works in; null: that of the call */
  workspace_id: string | null;
}

export interface InfoStoreSettingsBackendLocal {
  kind: "local";
}

export interface InfoStoreSettingsBackendChroma {
  kind: "chroma";
  /** `https://host[:port]/path` */
  url: string;
  /** the name of the collection */
  collection: string;
  /** the name of a tenant's secret */
  secret?: string;
}

export interface InfoStoreSettingsEmbeddingOpenai {
  kind: "openai";
  /** `https://host[:port]/path` */
  url: string;
  /** the provider's name of the model */
  model: string;
  /** the length of the model's vectors */
  dimensions: number;
  /** the name of a tenant's secret */
  secret?: string;
}

/** the label that its contents add to a session */
export type InfoStoreSettingsLabel = "untrusted_content" | "private_data";

export interface InfoStoreSettings {
  backend: InfoStoreSettingsBackendLocal | InfoStoreSettingsBackendChroma;
  /** absent: full-text search only */
  embedding?: LocalModel | InfoStoreSettingsEmbeddingOpenai;
  /** the Postgres text search configuration; `simple` by default */
  text_config?: string;
  label: InfoStoreSettingsLabel;
}

export type MailboxSettingsTls = "implicit" | "starttls";

export interface MailboxSettings {
  /** the IMAP server */
  host: string;
  port: number;
  tls: MailboxSettingsTls;
  /** of the account */
  username: string;
  /** the name of a tenant's secret */
  secret: string;
  /** the address that drafts are from */
  address: string;
  /** the folder of drafts; absent: the one that the server marks `\Drafts` */
  drafts?: string;
}

export type ModelSettingsTask = "embedding" | "transcription";

export interface ModelSettings {
  task: ModelSettingsTask;
  provider: ModelProvider;
}

export interface SearchEngineSettings {
  /** any server that answers `GET <url>/search?q=…&format=json` like SearXNG */
  kind: "searxng";
  /** `https://host[:port]/path` */
  url: string;
}

export interface WebsiteSettings {
  /** `https://host[:port]/path` */
  url: string;
}

export interface ExternalVersion {
  /** the id of an external version: `xvr_…` */
  external_version_id: string;
  /** a name, such as `deployment:shop/production` */
  ref: string;
  /** printable ASCII; what it means is between whoever sets and whoever names it */
  version: string;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  updated_at: number;
  /** the API key that set this version */
  updated_by: string;
}

export interface ExternalVersionList {
  items: readonly ExternalVersion[];
  next_cursor: string | null;
}

export interface ResultError {
  code: string;
  message: string;
  hint: string | null;
}

/** session: its shell, which outlives its calls */
export type ContainerKind = "call" | "preview" | "session";

export interface Container {
  container_id: string;
  kind: ContainerKind;
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string | null;
  session_id: string | null;
  resource_id: string | null;
  operation_id: string | null;
  tool_id: string;
  executor_id: string;
  image_digest: string | null;
  /** when the call was proposed, or the shell opened */
  created_at: number;
}

export interface ContainerList {
  items: readonly Container[];
  next_cursor: string | null;
}

export interface ContainerLogs {
  container_id: string;
  /** the end of the output; bytes that are no UTF-8 show as U+FFFD */
  output: string;
  /** size of the output so far */
  output_bytes: number;
  /** a call with secrets shows no output while it runs */
  withheld: boolean;
}

export interface Image {
  /** the id of an image: `img_…` */
  image_id: string;
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  source: ImageSource;
  /** hex SHA-256 of the source, RFC 8785 */
  digest: string;
  /** tools whose calls run in it; profiles and programs name their image themselves */
  tools: readonly string[];
  state: ImageState;
  /** what calls run in, as in their permits and records; null until it is ready */
  image_digest: string | null;
  /** why it failed */
  problem: string | null;
  /** the API key */
  created_by: string;
  created_at: number;
  updated_at: number;
}

/** how it is reached: an address, or a program */
export type McpServerTransport = "http" | "stdio";

/** the server's own words, from the last listing that succeeded */
export interface McpServerAbout {
  /** the revision of MCP that was spoken */
  protocol: string;
  name: string;
  version: string;
}

/** why the last attempt failed; null: it did not */
export interface McpServerProblem {
  code: FaultCode;
  /** without anything that the server sent, or shown as its words */
  message: string;
}

/** each call has the rights of its person */
export interface McpServerOauth {
  client_id: string;
  scopes: readonly string[];
  issuer: string | null;
  /** of the client: register it at the authorization server */
  redirect_uri?: string;
  listed_by: string | null;
}

export interface McpServerSkippedItem {
  name: string;
  problem: string;
}

/** how many there are in each state */
export interface McpServerTools {
  new: number;
  accepted: number;
  changed: number;
  gone: number;
  refused: number;
}

export interface McpServer {
  /** the id of a resource: `res_…` */
  resource_id: string;
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  transport: McpServerTransport;
  url: string | null;
  command: readonly string[] | null;
  about: McpServerAbout | null;
  checked_at: number | null;
  /** when they are listed again */
  due_at: number;
  problem: McpServerProblem | null;
  oauth?: McpServerOauth | null;
  /** tools that the server listed and that can not be used */
  skipped: readonly McpServerSkippedItem[];
  tools: McpServerTools;
}

export interface McpServerList {
  items: readonly McpServer[];
  next_cursor: string | null;
}

/** as the server lists it; null: it lists it no more */
export interface McpServerToolSeen {
  digest: string;
  definition: McpToolDefinition;
}

/** as an administrator accepted it last; null: never */
export interface McpServerToolAccepted {
  digest: string;
  definition: McpToolDefinition;
}

export interface McpServerTool {
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  server: string;
  remote_name: string;
  tool_id: string;
  state: McpToolState;
  seen: McpServerToolSeen | null;
  accepted: McpServerToolAccepted | null;
  /** why the definition that was seen can not be accepted */
  problems: readonly ToolProblem[];
  /** the category that its hints speak for */
  suggested: ToolCategory;
  category: ToolCategory | null;
  /** the category that it has once it is accepted without one: never a less strict one */
  category_then: ToolCategory;
  seen_at: number;
  decided_by: string | null;
  decided_at: number | null;
}

export interface McpServerToolList {
  items: readonly McpServerTool[];
  next_cursor: string | null;
}

export interface McpToolDecisionTool {
  remote_name: string;
  tool_id: string;
  state: McpToolState;
}

export interface McpToolDecision {
  tools: readonly McpToolDecisionTool[];
}

export interface ImageList {
  items: readonly Image[];
  next_cursor: string | null;
}

export interface ImageLog {
  state: ImageState;
  /** the end of what the builder and the package managers wrote */
  log: string;
}

/** an image of a registry */
export interface ImageSourceWithReference {
  /** `registry/repository@sha256:…` */
  reference: string;
}

/** an image that the engines of the executors have */
export interface ImageSourceWithDigest {
  /** `sha256:…` of an image */
  digest: string;
}

/** packages that are added to a base */
export interface ImageSourceWithRecipe {
  recipe: ImageSourceWithRecipeRecipe;
}

export interface ImageSourceWithRecipeRecipe {
  /** the image that the packages are added to; null: the sandbox image of the deployment */
  base?: string | null;
  /** of Debian */
  debian?: readonly ImageSourceWithRecipeRecipeDebianItem[];
  /** of the npm registry, installed globally */
  npm?: readonly ImageSourceWithRecipeRecipeNpmItem[];
  /** of a Python index */
  pip?: readonly ImageSourceWithRecipeRecipePipItem[];
}

export interface ImageSourceWithRecipeRecipeDebianItem {
  /** the name of one package */
  name: string;
  /** one exact version */
  version: string;
}

export interface ImageSourceWithRecipeRecipeNpmItem {
  /** the name of one package */
  name: string;
  /** one exact version */
  version: string;
}

export interface ImageSourceWithRecipeRecipePipItem {
  /** the name of one package */
  name: string;
  /** one exact version */
  version: string;
}

export type ImageSource = ImageSourceWithReference | ImageSourceWithDigest | ImageSourceWithRecipe;

export interface Profile {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  definition: ExecutionProfile;
  digest: string;
  /** the API key */
  created_by: string;
  created_at: number;
}

export interface ProfileList {
  items: readonly Profile[];
  next_cursor: string | null;
}

export interface ProfilePut {
  valid: boolean;
  problems: readonly DocumentProblem[];
  profile: Profile | null;
}

/** retired: its signatures stay valid, and it signs nothing more; revoked: none of its signatures is valid */
export type RegistrarKeyState = "active" | "retired" | "revoked";

export interface RegistrarKey {
  keyid: string;
  public_key: PublicKey;
  note: string | null;
  state: RegistrarKeyState;
  created_by: string;
  created_at: number;
  ended_by: string | null;
  ended_at: number | null;
}

export interface RegistrarKeyList {
  items: readonly RegistrarKey[];
  next_cursor: string | null;
}

export interface Sandbox {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  workspace_id: string;
  definition_digest: string;
  keyid: string | null;
  signed_at: number | null;
  /** the API key */
  updated_by: string;
  created_at: number;
  updated_at: number;
}

export interface SandboxList {
  items: readonly Sandbox[];
  next_cursor: string | null;
}

export interface SandboxPut {
  valid: boolean;
  problems: readonly DocumentProblem[];
  sandbox: Sandbox | null;
}

export interface SandboxWhole {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  workspace_id: string;
  definition_digest: string;
  keyid: string | null;
  signed_at: number | null;
  /** the API key */
  updated_by: string;
  created_at: number;
  updated_at: number;
  /** a signature names it */
  tenant_id: string;
  /** workspace_id, rules, enabled_templates, fragments */
  definition: {
    [name: string]: unknown;
  };
  environment: {
    [name: string]: string;
  } | null;
  digest: string | null;
  problem: string | null;
}

export interface Secret {
  name: string;
  /** one more each time that a value is set */
  version: number;
  note: string | null;
  /** the API key that set the value */
  created_by: string;
  created_at: number;
}

export interface SecretList {
  items: readonly Secret[];
  next_cursor: string | null;
}

export interface SimulationApprovers {
  count: number;
  role: ApproverRole;
  /** absent: the policy reserves it for none */
  groups?: readonly ApproverDemand[];
}

export interface Simulation {
  simulated: true;
  would_be: Verdict;
  error: ResultError | null;
  autonomy_mode: AutonomyMode;
  risk_score: number;
  risk_basis: readonly string[];
  reasons: readonly Reason[];
  approvers: SimulationApprovers | null;
  /** of its session and workspace */
  labels: readonly string[];
  explanation: PolicyExplanation | null;
  /** what is odd about the set, such as rules that can never apply; absent where an older kernel answers */
  warnings?: readonly PolicyProblem[];
}

export interface Skill {
  /** one to 64 small letters and digits, with single `-` between them */
  name: string;
  /** what it is for, in a line */
  description: string;
  /** of the version, over all of its files */
  digest: string;
  files: number;
  /** of all files of the version */
  bytes: number;
  /** the API key */
  updated_by: string;
  updated_at: number;
}

export interface SkillList {
  items: readonly Skill[];
  next_cursor: string | null;
}

export type SkillPutChange = "added" | "changed" | "unchanged";

export interface SkillPut {
  valid: boolean;
  problems: readonly DocumentProblem[];
  change: SkillPutChange | null;
  skill: Skill | null;
}

export interface SkillWholeFile {
  path: string;
  sha256: string;
  size: number;
}

export interface SkillWholeVersion {
  digest: string;
  bytes: number;
  /** the API key */
  created_by: string;
  created_at: number;
}

export interface SkillWhole {
  /** one to 64 small letters and digits, with single `-` between them */
  name: string;
  /** what it is for, in a line */
  description: string;
  /** of the version, over all of its files */
  digest: string;
  files: readonly SkillWholeFile[];
  /** of all files of the version */
  bytes: number;
  /** the API key */
  updated_by: string;
  updated_at: number;
  versions: readonly SkillWholeVersion[];
}

export type SnapshotKind = "created" | "committed" | "changed" | "restored" | "imported";

export interface Snapshot {
  /** how many states came before it */
  seq: number;
  snapshot_id: string;
  parent_snapshot_id: string | null;
  delta_id: string | null;
  kind: SnapshotKind;
  operation_id: string | null;
  tool_id: string | null;
  made_by: string | null;
  /** milliseconds since the epoch */
  created_at: number;
}

export interface SnapshotList {
  items: readonly Snapshot[];
  next_cursor: string | null;
}

export type ToolClass = "inline" | "sandboxed" | "broker" | "function";

/** of a function that a process of the tenant runs */
export interface ToolFunction {
  mode: ToolFunctionMode;
  /** whether a lost attempt may be repeated under the same operation id; else it ends as ambiguous */
  idempotent: boolean;
  applied_by: string;
  applied_at: number;
}

/** `pull`: a worker of the tenant takes permits; `caller`: the caller gets one and runs it itself */
export type ToolFunctionMode = "pull" | "caller";

/** of an operation of an HTTP API */
export interface ToolHttp {
  method: ToolHttpMethod;
  /** the base address, without a query */
  server: string;
  /** with `{name}` for inputs in the path */
  path: string;
  inputs: readonly ToolHttpInput[];
  body: ToolHttpBody | null;
  idempotency_header: string | null;
  /** where the values of secrets are sent, with the names of the secrets */
  credentials: readonly ToolHttpCredential[];
  applied_by: string;
  applied_at: number;
}

export type ToolHttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ToolHttpInput {
  argument: string;
  name: string;
  in: ToolHttpInputIn;
  style: ToolHttpInputStyle;
  explode: boolean;
}

export type ToolHttpInputIn = "path" | "query" | "header";

export type ToolHttpInputStyle = "simple" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";

export interface ToolHttpBody {
  argument: string;
  media: ToolHttpBodyMedia;
}

export type ToolHttpBodyMedia = "application/json" | "application/x-www-form-urlencoded";

export interface ToolHttpCredential {
  in: ToolHttpCredentialIn;
  name: string;
  secret: string;
}

export type ToolHttpCredentialIn = "header" | "query";

/** of a tool of an MCP server */
export interface ToolMcp {
  server: string;
  server_digest: string;
  remote_name: string;
  remote_digest: string;
  /** the server's own hints on what the tool does: nothing relies on them */
  annotations: {
    [name: string]: unknown;
  };
  applied_by: string;
  applied_at: number;
}

export interface ToolCli {
  cmd: string;
  args: readonly string[];
  optional_args: readonly ToolCliOptionalArg[];
  /** the variables that it declares, by name, with the secrets in them */
  env: readonly ToolCliEnvItem[];
  applied_by: string;
  applied_at: number;
}

export interface ToolCliOptionalArg {
  parameter: string;
  args: readonly string[];
}

export interface ToolCliEnvItem {
  name: string;
  secrets: readonly string[];
}

export interface Tool {
  tool_id: string;
  version: number;
  description: string;
  category: "read" | "write" | "admin";
  class: ToolClass;
  mutating: boolean;
  /** JSON Schema of the arguments */
  parameters: {
    [name: string]: unknown;
  };
  /** JSON Schema of the result */
  result: {
    [name: string]: unknown;
  };
  limits: {
    [name: string]: number;
  };
  /** SHA-256 of the definition, as in records */
  definition_digest: string;
  function?: ToolFunction;
  http?: ToolHttp;
  mcp?: ToolMcp;
  cli?: ToolCli;
}

export interface ToolCallProvenance {
  dialect?: string;
  session_id?: string;
  turn?: string;
  parent_operation_id?: string;
  /** the name of the program that calls, in its own words */
  client?: string;
  /** the model that the caller says it drives */
  claimed_model?: string;
}

export interface ToolCall {
  tool_id: string;
  /** arguments that match the tool's `parameters` */
  args: {
    [name: string]: unknown;
  };
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** default: the only usable one of the agent */
  capability_token_id?: string;
  /** default: the token's; for a token of no workspace, the only one of the tenant */
  workspace_id?: string;
  idempotency_key?: string;
  precondition_refs?: readonly PreconditionRef[];
  provenance?: ToolCallProvenance;
  /** what the call is for, for policies. If its first word is `interactive`, `background` or `maintenance`, it is also the scheduling class; otherwise a scheduled session is background and others are interactive */
  task_class?: string;
  /** milliseconds since the epoch */
  deadline?: number;
  dry_run?: boolean;
  session_id?: string;
  /** an id of your own for the person whose data the call holds, so that it can be erased by it; its agent by default */
  data_subject?: string;
  /** erases the call's content within minutes of its end; the tenant's own retention by default */
  retention?: "hashes";
  session_mode?: SessionMode;
  max_autonomy?: AutonomyMode;
}

export interface ToolList {
  items: readonly Tool[];
}

export interface ToolResultResultRef {
  sha256: string;
  size: number;
}

/** of a command whose output the result cuts; absent for all others */
export interface ToolResultWholeOutput {
  /** path under the API; `?stream=stderr` gives the other stream */
  href: string;
  stdout: StoredOutput;
  stderr: StoredOutput;
  expires_at: number | null;
}

export interface ToolResult {
  v: 1;
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string | null;
  status: "ok" | "error";
  state_snapshot_id: string | null;
  new_snapshot_id: string | null;
  /** the tool's result; with an error too, such as a failed command's output */
  result: unknown;
  result_ref: ToolResultResultRef | null;
  whole_output?: ToolResultWholeOutput;
  result_hash: string | null;
  error: ResultError | null;
  reasons: readonly Reason[];
  provenance: Provenance;
  task_class: string;
  autonomy_mode: AutonomyMode;
  risk_score: number;
  tx_outcome: TxOutcome;
  commit_delta_id: string | null;
  receipt: ReceiptState | null;
}

export interface Tree {
  /** the id of a workspace: `wsp_…` */
  workspace_id: string;
  snapshot_id: string;
  path: string;
  entries: readonly TreeEntry[];
  next_cursor: string | null;
}

export interface TreeEntry {
  path: string;
  state: FileState;
}

/** millionths of the currency for a million tokens */
export interface ModelPrices {
  input: number;
  cached: number;
  output: number;
}

export interface Model {
  /** its name for sessions */
  name: string;
  provider: ModelProviderName;
  /** its name at the provider */
  model: string;
  prices: ModelPrices | null;
  currency: string | null;
  context_tokens_max: number | null;
}

export interface ModelList {
  items: readonly Model[];
}

export interface RunEventReplied {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "replied";
  turn: ModelTurn;
}

export interface RunEventAnswered {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "answered";
  round: number;
  /** index of the call in the reply, from 0 */
  index: number;
  answer: RunEventAnsweredAnswer;
}

export interface RunEventAnsweredAnswer {
  text: string;
  standing: RunEventAnsweredAnswerStanding;
  is_error: boolean;
  outcome?: RunEventAnsweredAnswerOutcome;
  /** the operation of the call; absent if it was refused before it became one */
  operation_id?: string;
  below?: RunEventAnsweredAnswerBelow;
}

export type RunEventAnsweredAnswerStanding = "completed" | "failed" | "denied" | "timeout" | "cancelled" | "held" | "queued" | "executing";

export interface RunEventAnsweredAnswerOutcome {
  result: unknown;
  error: RunEventAnsweredAnswerOutcomeError | null;
  metadata?: {
    [name: string]: unknown;
  };
}

export interface RunEventAnsweredAnswerOutcomeError {
  code: string;
  message: string;
  hint?: string | null;
}

/** of a sub-agent: its run, and the usage of that and those below it */
export interface RunEventAnsweredAnswerBelow {
  run_id: string;
  tokens: number;
  cost: number;
}

export interface RunEventHeld {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "held";
  round: number;
  /** index of the call in the reply, from 0 */
  index: number;
  held: RunEventHeldHeld;
}

export interface RunEventHeldHeld {
  operation_id: string;
  waits_for: "approval" | "value" | "run";
  /** the sub-agent's run, which has to end first */
  run_id?: string;
  /** the text about it for the model and for people */
  text: string;
}

export interface RunEventExplained {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "explained";
  round: number;
  turn: ModelTurn;
}

export interface RunEventResumed {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "resumed";
}

export interface RunEventCompacted {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "compacted";
  until: number;
  summary: string;
  usage?: ModelUsage;
}

export interface RunEventModelFailed {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "model_failed";
  fault: RunEventModelFailedFault;
  message: string;
}

export type RunEventModelFailedFault = "rate_limited" | "overloaded" | "unavailable" | "interrupted" | "timeout" | "malformed" | "context_exceeded" | "unauthorized" | "invalid";

export interface RunEventCancelled {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "cancelled";
  by: string;
}

export interface RunEventEnded {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "ended";
  stopped: RunStopped;
}

export type RunEvent = RunEventReplied | RunEventAnswered | RunEventHeld | RunEventExplained | RunEventResumed | RunEventCompacted | RunEventModelFailed | RunEventCancelled | RunEventEnded;

export interface RunList {
  items: readonly Run[];
  next_cursor: string | null;
}

/** the first call of this page with another verdict; from there on the run would have diverged */
export interface RunReplayPartsAt {
  /** the id of a run: `run_…` */
  run_id: string;
  /** 0: the run's own read before its first round */
  round: number;
  index: number;
}

/** counts of this page */
export interface RunReplayCounts {
  examined: number;
  /** calls that could not be evaluated; `why_not` has the reason */
  skipped: number;
  /** calls with another autonomy mode */
  changed: number;
  would_be: RunReplayCountsWouldBe;
}

export interface RunReplayCountsWouldBe {
  admitted: number;
  held: number;
  refused: number;
}

export interface RunReplayItem {
  /** the id of a run: `run_…` */
  run_id: string;
  /** 0: the run's own read before its first round */
  round: number;
  index: number;
  tool_id: string;
  operation_id: string | null;
  was: Replayed | null;
  would_be: Replayed | null;
  why_not: string | null;
}

export interface RunReplay {
  /** the id of a run: `run_…` */
  run_id: string;
  candidate: PolicyOfVerdict;
  next_cursor: string | null;
  parts_at: RunReplayPartsAt | null;
  counts: RunReplayCounts;
  items: readonly RunReplayItem[];
}

export interface SessionForkedFrom {
  /** the id of a run: `run_…` */
  run_id: string;
  after: number;
}

export interface Session {
  /** the id of a session: `ses_…` */
  session_id: string;
  name: string | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** how the model writes calls: `native`, the provider's format, or a text dialect */
  dialect: string;
  model: string;
  forked_from: SessionForkedFrom | null;
  spawned_by: SpawnedBy | null;
  job_id: string | null;
  /** of its calls: only in an interactive session can a person be asked */
  session_mode: SessionMode;
  scheduling_class: SchedulingClass | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
}

export interface SessionList {
  items: readonly Session[];
  next_cursor: string | null;
}

export interface TranscriptRun {
  run: Run;
  input: string;
  events: readonly RunEvent[];
}

export interface Transcript {
  v: 1;
  session: Session;
  runs: readonly TranscriptRun[];
}

export interface UsageItem {
  of: string | null;
  model: string;
  runs: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  /** millionths of the currency */
  cost: number;
  currency: string | null;
}

export interface Usage {
  /** milliseconds since the epoch */
  from: number;
  /** milliseconds since the epoch */
  to: number;
  by: UsageBy;
  items: readonly UsageItem[];
}

export interface Channel {
  /** the id of a channel: `chn_…` */
  channel_id: string;
  name: string;
  kind: ChannelKind;
  state: WebhookState;
  slack?: SlackConversation;
  webhook?: WebhookDestinationView;
  teams?: TeamsDestinationView;
  email?: EmailDestinationView;
  last_error: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
}

export interface ChannelList {
  items: readonly Channel[];
  next_cursor: string | null;
}

export interface Delivery {
  /** the id of a delivery: `dlv_…` */
  delivery_id: string;
  /** the id of a webhook: `whk_…` */
  webhook_id: string;
  /** `webhook-id` of the message: the same in each attempt */
  message_id: string;
  kind: string;
  state: DeliveryState;
  attempts: number;
  next_at: number | null;
  last_status: number | null;
  last_error: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  delivered_at: number | null;
}

export interface DeliveryList {
  items: readonly Delivery[];
  next_cursor: string | null;
}

export interface NewWebhook {
  /** the id of a webhook: `whk_…` */
  webhook_id: string;
  name: string;
  url: string;
  events: readonly string[];
  state: WebhookState;
  disabled_reason: WebhookDisabledReason | null;
  failing_since: number | null;
  old_until: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
  /** the secret that signs messages, `whsec_…`: shown once */
  secret: string;
}

export interface Webhook {
  /** the id of a webhook: `whk_…` */
  webhook_id: string;
  name: string;
  url: string;
  events: readonly string[];
  state: WebhookState;
  disabled_reason: WebhookDisabledReason | null;
  failing_since: number | null;
  old_until: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
}

export interface WebhookList {
  items: readonly Webhook[];
  next_cursor: string | null;
}

/** what the request presented; platform: the key of the deployment, which belongs to no tenant; workload: a projected token of a Kubernetes cluster */
export type WhoamiKind = "platform" | "api_key" | "access_token" | "exchanged_token" | "session" | "workload";

export interface Whoami {
  kind: WhoamiKind;
  tenant_id: string | null;
  api_key_id: string | null;
  name: string | null;
  role: KeyRole | null;
  agent_id: string | null;
  tools: readonly string[] | null;
  scopes: readonly string[] | null;
  capability_token_id: string | null;
  principal: string | null;
  member_id: string | null;
  person_id: string | null;
  expires_at: number | null;
}

export interface Workspace {
  /** the id of a workspace: `wsp_…` */
  workspace_id: string;
  name: string;
  head_snapshot_id: string;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  updated_at: number;
}

export interface WorkspaceList {
  items: readonly Workspace[];
  next_cursor: string | null;
}

export interface WorkspaceLimits {
  /** the id of a workspace: `wsp_…` */
  workspace_id: string;
  files_max: number | null;
  bytes_max: number | null;
  files: number | null;
  bytes: number | null;
}

export interface TenantLimits {
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  requests_per_second: number | null;
  request_burst: number | null;
  person_requests_per_second?: number | null;
  person_request_burst?: number | null;
  /** its share of the capacity while several tenants are active; 1 is the default */
  weight: number;
  /** calls that are with executors at once, over all replicas */
  running_max: number;
  /** calls that wait for an executor, over all replicas; one more is `queue.full` */
  waiting_max: number;
  changed_at: number | null;
  files_max: number | null;
  bytes_max: number | null;
  outputs_bytes_max: number | null;
  files: number | null;
  bytes: number | null;
  /** of whole outputs that are kept now */
  outputs_bytes: number;
}

export interface Retention {
  payload_days: number | null;
  output_days: number | null;
  /** full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is */
  payload_mode?: PayloadMode;
  /** full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is */
  requests_mode?: RequestsMode;
  changed_at: number | null;
}

export interface SignIn {
  /** the id of a sign in: `sgn_…` */
  sign_in_id: string;
  kind: SignInKind;
  client: string | null;
  /** the pseudonym of the person */
  person_id: string;
  /** the name of the identity provider */
  provider: string;
  /** milliseconds since the epoch */
  created_at: number;
  /** when the person was at the identity provider */
  signed_in_at: number;
  /** the last request, to the minute */
  seen_at: number;
  /** when it ends in any case */
  expires_at: number;
  ended_at: number | null;
  ended_by: string | null;
}

/** `device`: a program that a person approved in a browser */
export type SignInKind = "browser" | "device";

export interface SignInList {
  items: readonly SignIn[];
  next_cursor: string | null;
}

export type OauthErrorViewError = "invalid_request" | "invalid_client" | "invalid_grant" | "invalid_scope" | "invalid_target" | "unauthorized_client" | "unsupported_grant_type" | "authorization_pending" | "slow_down" | "access_denied" | "expired_token";

export interface OauthErrorView {
  error: OauthErrorViewError;
  /** what failed, where, and what to do */
  error_description?: string;
}

export interface TokenAnswer {
  /** goes where an API key goes: `Authorization: Bearer <token>` */
  access_token: string;
  token_type: "Bearer";
  /** seconds */
  expires_in: number;
  /** for the grant `refresh_token`; a secret, too */
  refresh_token?: string;
  scope?: string;
  issued_token_type?: string;
  /** of an exchange: calls name this capability token */
  capability_token_id?: string;
}

/** what the key created and what remains until it is removed */
export interface RevokedApiKeyRemains {
  /** valid tokens that it issued, newest first */
  capability_tokens: readonly RevokedApiKeyRemainsCapabilityToken[];
  /** jobs that it created, newest first; those that ran on its behalf start no run until an administrator changes them */
  jobs: readonly RevokedApiKeyRemainsJob[];
  /** whether there are more than are listed */
  more: boolean;
}

export interface RevokedApiKeyRemainsCapabilityToken {
  /** the id of a token: `cap_…` */
  capability_token_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  /** milliseconds since the epoch */
  expires_at: number;
}

export interface RevokedApiKeyRemainsJob {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: JobState;
}

export interface RevokedApiKey {
  /** the id of an API key: `key_…` */
  api_key_id: string;
  name: string;
  role: KeyRole;
  agent_id: string | null;
  principal: string | null;
  member_id: string | null;
  tools: readonly string[] | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it, or `platform` */
  created_by: string;
  revoked_at: number | null;
  scopes: readonly string[] | null;
  expires_at: number | null;
  last_used_at: number | null;
  rotated_at: number | null;
  former_until: number | null;
  remains: RevokedApiKeyRemains;
}

export interface IdentityProviderWorkload {
  /** the `sub` of its tokens: `system:serviceaccount:NAMESPACE:NAME` */
  subject: string;
  role: WorkloadRole;
  agent_id: string | null;
  tools: readonly string[] | null;
  capability_token_id: string | null;
  /** when it was registered as it is */
  since: number;
}

export interface IdentityProvider {
  /** the id of an identity provider: `idp_…` */
  provider_id: string;
  name: string;
  /** the URL of the issuer, exactly as in `iss` */
  issuer: string;
  /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
  audience: string;
  tenant_claim: string | null;
  tenant_value: string | null;
  /** which scope gives which role; empty: of a cluster */
  scopes: readonly ScopeRole[];
  groups_claim: string | null;
  /** which group gives which role */
  groups: readonly GroupRole[];
  person_claim: string | null;
  agent_id: string | null;
  agent_claim: string | null;
  sign_in: SignInClient | null;
  profile: IssuerProfile;
  workloads: readonly IdentityProviderWorkload[];
  pinned_keys: readonly string[] | null;
  redirect_uri: string | null;
  session_redirect_uri: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that registered it; `platform`: the platform key */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
  removed_at: number | null;
}

export interface IdentityProviderList {
  items: readonly IdentityProvider[];
}

export interface EndedCredentials {
  name: string;
  /** credentials that this request revoked */
  revoked: readonly string[];
  /** whether credentials are left to revoke: send the request again */
  more: boolean;
}

export interface Person {
  /** the id of a person: `per_…` */
  person_id: string;
  /** milliseconds since the epoch */
  created_at: number;
}

export interface PersonForgotten {
  /** the id of a person: `per_…` */
  person_id: string;
  /** whether nobody can tell any more whose it was; false while `more` */
  forgotten: boolean;
  /** credentials that this request revoked */
  revoked: readonly string[];
  /** whether credentials are left to revoke: send the request again */
  more: boolean;
}

export interface ProtectedResource {
  /** what a token's `aud` must contain: RFC 8707 */
  resource: string;
  /** issuers that the operator names; absent: ask your administrator */
  authorization_servers?: readonly string[];
  /** scopes that give a role, unless the registration of the issuer names others */
  scopes_supported: readonly string[];
  bearer_methods_supported: readonly "header"[];
  resource_name: string;
}

export interface DelegationScope {
  tools: readonly string[] | null;
  agent_id: string | null;
  /** the highest supervision that it applies to */
  autonomy_mode: HeldMode;
}

export interface Delegation {
  /** the id of a delegation: `dlg_…` */
  delegation_id: string;
  /** whose right it is: a vote by it counts as theirs */
  from: string;
  /** the right */
  role: ApproverRole;
  /** who may use it */
  to: string;
  scope: DelegationScope;
  note: string;
  state: DelegationState;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that made it */
  created_by: string;
  /** milliseconds since the epoch */
  expires_at: number;
  revoked_at: number | null;
  revoked_by: string | null;
}

export interface DelegationList {
  items: readonly Delegation[];
  next_cursor: string | null;
}

export interface ApprovalDiff {
  /** what an approval binds to */
  effect_digest: string;
  base_snapshot_id: string;
  files: readonly DiffFile[];
  files_total: number;
}

export interface TextDiff {
  /** a snapshot */
  from: string;
  /** a snapshot */
  to: string;
  files: readonly DiffFile[];
  /** more than `files` where they are too many for one answer */
  files_total: number;
}

export interface Freeze {
  /** the id of a freeze: `frz_…` */
  freeze_id: string;
  scope: FreezeScope;
  id: string | null;
  state: StandingState;
  reason: string;
  /** an API key, an agent, or `platform` */
  placed_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  expires_at: number | null;
  lifted_at: number | null;
  lifted_by: string | null;
}

export interface FreezeList {
  items: readonly Freeze[];
  next_cursor: string | null;
}

export interface Erasure {
  /** the id of an erasure: `ers_…` */
  erasure_id: string;
  /** conversation: the texts of a deleted session, without its calls; ended: calls of which only hashes stay */
  selector: ErasureSelector;
  operation_id: string | null;
  session_id: string | null;
  subject: string | null;
  before: number | null;
  reason_code: string;
  /** running: the rest goes batch by batch, whatever dies meanwhile */
  state: ErasureState;
  /** calls whose content it has erased so far */
  operations: number;
  /** calls that it passed over, because they had not ended */
  unfinished: number;
  /** sessions that are gone with all that was said in them */
  sessions?: number;
  /** runs that are gone of sessions which are there still */
  runs?: number;
  /** its records: one per batch */
  records: number;
  record_id: string | null;
  /** an API key, or `kernel` for what a retention period ended */
  requested_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  finished_at: number | null;
}

export interface ErasureList {
  items: readonly Erasure[];
  next_cursor: string | null;
}

export interface Job {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: JobState;
  cron: string;
  time_zone: string;
  due_at: number | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** the token of its runs, which grants the listed tools */
  run_token_id: string;
  tools: readonly string[];
  input: string;
  system: string | null;
  model: string;
  dialect: string;
  conversation: JobConversation;
  overlap: JobOverlap;
  missed: JobMissed;
  scheduling_class: SchedulingClass;
  rounds_max: number | null;
  tokens_max: number | null;
  cost_max: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key on whose behalf its runs make their calls */
  changed_by: string;
}

export interface JobList {
  items: readonly Job[];
  next_cursor: string | null;
}

export interface JobStart {
  /** the id of a job start: `jst_…` */
  start_id: string;
  /** the id of a job: `job_…` */
  job_id: string;
  /** milliseconds since the epoch */
  due_at: number;
  /** whether it was requested, not due */
  by_hand: boolean;
  /** `queued`: waits for a run of the job; `skipped`: excluded by the overlap rule; `missed`: due while no orchestrator was running */
  state: JobStartState;
  reason: string | null;
  session_id: string | null;
  run_id: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  started_at: number | null;
}

export interface JobStartList {
  items: readonly JobStart[];
  next_cursor: string | null;
}

/** why it failed or ended, or why its token was not renewed */
export interface McpConnectionProblem {
  code: FaultCode;
  /** without anything that the server sent, or shown as its words */
  message: string;
}

export interface McpConnection {
  /** the id of a connection: `con_…` */
  connection_id: string;
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  server: string;
  state: McpConnectionState;
  /** whether it is the caller's own */
  own: boolean;
  person: string | null;
  /** whether the server's tools are listed with its rights */
  lists: boolean;
  /** what was granted, as far as it is known; else what is asked for */
  scopes: readonly string[];
  issuer: string | null;
  problem: McpConnectionProblem | null;
  /** milliseconds since the epoch */
  created_at: number;
  expires_at: number | null;
  connected_at: number | null;
  used_at: number | null;
  ended_at: number | null;
}

export interface McpConnectionLink {
  /** the id of a connection: `con_…` */
  connection_id: string;
  /** the page that the person opens in a browser */
  url: string;
  /** until when it is good, in milliseconds since the epoch */
  expires_at: number;
}

export interface McpConnectionList {
  items: readonly McpConnection[];
  next_cursor: string | null;
}

export interface ToolsAppliedTool {
  tool_id: string;
  version: number;
  definition_digest: string;
  change: ToolsAppliedToolChange;
}

export type ToolsAppliedToolChange = "created" | "changed" | "unchanged";

export interface ToolsApplied {
  valid: boolean;
  problems: readonly ToolProblem[];
  tools: readonly ToolsAppliedTool[];
}

export interface ApiImportedOperation {
  method: string;
  path: string;
  operation: string | null;
  pointer: string;
  /** null: it was left out */
  tool_id: string | null;
  outcome: ApiImportedOperationOutcome;
}

export type ApiImportedOperationOutcome = "tool" | "excluded" | "unusable";

export interface ApiImported {
  title: string;
  server: string | null;
  operations: readonly ApiImportedOperation[];
  /** why operations were left out */
  problems: readonly ImportProblem[];
  /** what of imported operations is not offered */
  notes: readonly ImportProblem[];
  /** the result for each tool; null: nothing was registered */
  applied: ToolsApplied | null;
}

export interface TakenPermit {
  permit: Envelope | null;
}

export interface RedeemedPermit {
  /** the id of an operation: `op_…` */
  operation_id: string;
  attempt: number;
  tool_id: string;
  tool_definition_digest: string;
  args: {
    [name: string]: unknown;
  };
  /** whether another attempt with the same `operation_id` may follow if this one is lost */
  idempotent: boolean;
  timeout_ms: number;
  /** milliseconds since the epoch */
  lease_until: number;
  /** renew within a third of it */
  lease_ms: number;
}

export interface RenewedLease {
  /** milliseconds since the epoch */
  lease_until: number;
  stop: boolean;
}

export interface FunctionReported {
  state: string;
  tx_outcome: string | null;
}

/** held: a person must decide; send the turn again after that */
export type TurnState = "ended" | "held" | "under_way";

export type TurnStop = "end" | "tool_use" | "length";

export interface TurnProblem {
  level: TurnProblemLevel;
  message: string;
  call_id: string | null;
  name: string | null;
  /** position in the output, in UTF-16 units */
  at: number;
}

/** protocol: no call of the output ran; call: this call did not run; warning: all calls ran */
export type TurnProblemLevel = "protocol" | "call" | "warning";

export interface TurnCall {
  /** the model's own id, or one made from its position */
  call_id: string;
  /** the name as the model wrote it */
  name: string;
  tool_id: string;
  /** the tool's arguments */
  args: {
    [name: string]: unknown;
  };
  mode: TurnCallMode;
  standing: TurnCallStanding;
  error: ResultError | null;
  operation_id: string | null;
  state: CallState | null;
  approval_id: string | null;
  /** whether it was proposed before */
  replayed: boolean;
  receipt: ReceiptState | null;
}

/** stage: stores a change, which is applied by its token; apply: applies such a change */
export type TurnCallMode = "run" | "stage" | "apply";

/** queued: it waits behind a held or running call */
export type TurnCallStanding = "completed" | "failed" | "denied" | "timeout" | "cancelled" | "held" | "queued" | "executing";

export interface Turn {
  turn_id: string;
  session_id: string;
  dialect: Dialect;
  state: TurnState;
  /** the text for people */
  text: string;
  stop: TurnStop | null;
  problems: readonly TurnProblem[];
  /** in the order of the output */
  calls: readonly TurnCall[];
  /** messages for the model, in the format of its provider */
  messages: readonly {
    [name: string]: unknown;
  }[];
}

export interface Prompt {
  dialect: Dialect;
  /** text for the system prompt */
  system: string;
  tools: readonly {
    [name: string]: unknown;
  }[] | null;
}

export interface SignaturesSignature {
  /** RFC 7638 thumbprint of the record key */
  keyid: string;
  /** base64 */
  sig: string;
}

export interface Signatures {
  signatures: readonly SignaturesSignature[];
}

export interface Consistency {
  from: number;
  to: number;
  hashes: readonly string[];
}

export interface CloseTenantRequest {
  reason: string;
}

export interface SetTenantLimitsRequest {
  requests_per_second?: number | null;
  request_burst?: number | null;
  person_requests_per_second?: number | null;
  person_request_burst?: number | null;
  /** its share of the capacity while several tenants are active; 1 is the default */
  weight?: number;
  /** calls that are with executors at once, over all replicas */
  running_max?: number;
  /** calls that wait for an executor, over all replicas; one more is `queue.full` */
  waiting_max?: number;
  files_max?: number | null;
  bytes_max?: number | null;
  outputs_bytes_max?: number | null;
}

export interface CreateApiKeyRequest {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  role: KeyRole;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** who answers for the key: a name or an address; all keys with it are one person */
  principal?: string;
  /** the service account whose key it is */
  member_id?: string;
  /** for a key of the role `worker`: the tools whose calls it may take */
  tools?: readonly string[];
  /** the only groups of routes that the key may use, such as `operations:read` */
  scopes?: readonly string[];
  /** milliseconds since the epoch: the key is refused from then on */
  expires_at?: number;
}

export interface RotateApiKeyRequest {
  /** milliseconds for which the present secret stays good; 0: it ends at once */
  overlap_ms: number;
  expires_at?: number | null;
}

export interface RotateOwnApiKeyRequest {
  /** milliseconds for which the present secret stays good; 0: it ends at once */
  overlap_ms: number;
}

export interface PutIdentityProviderRequest {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** the URL of the issuer, exactly as in `iss` */
  issuer: string;
  /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
  audience?: string;
  tenant_claim?: string | null;
  tenant_value?: string | null;
  /** which scope gives which role */
  scopes?: readonly ScopeRole[];
  groups_claim?: string | null;
  /** which group gives which role */
  groups?: readonly GroupRole[];
  person_claim?: string | null;
  agent_id?: string | null;
  agent_claim?: string | null;
  sign_in?: SignInClient | null;
  /** how tokens are verified: `oauth`, access tokens; `kubernetes`, projected tokens of a cluster */
  profile?: IssuerProfile;
  /** which service account is what */
  workloads?: readonly WorkloadSettings[];
  jwks?: PinnedKeySet | null;
  /** an access token of the issuer for the audience, whose scope gives `admin`; needed for a new registration, and for other scopes or groups; never stored */
  access_token?: string;
}

export interface PutTenantIdentityProviderRequest {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** the URL of the issuer, exactly as in `iss` */
  issuer: string;
  /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
  audience?: string;
  tenant_claim?: string | null;
  tenant_value?: string | null;
  /** which scope gives which role */
  scopes?: readonly ScopeRole[];
  groups_claim?: string | null;
  /** which group gives which role */
  groups?: readonly GroupRole[];
  person_claim?: string | null;
  agent_id?: string | null;
  agent_claim?: string | null;
  sign_in?: SignInClient | null;
  /** how tokens are verified: `oauth`, access tokens; `kubernetes`, projected tokens of a cluster */
  profile?: IssuerProfile;
  /** which service account is what */
  workloads?: readonly WorkloadSettings[];
  jwks?: PinnedKeySet | null;
}

export interface DenyTokensRequest {
  /** a `sub`, with all its tokens */
  subject?: string;
  /** one token, by its `jti` */
  jti?: string;
}

export interface ChangeMemberRequest {
  role?: PersonRole | null;
  state?: ChangeMemberRequestState;
}

export type ChangeMemberRequestState = "active" | "suspended";

export interface LinkIdentityRequest {
  /** the name of the identity provider */
  provider: string;
  /** the `sub` of the person there */
  subject: string;
}

export interface OffboardMemberRequest {
  /** why; the record has its digest */
  reason: string;
}

export interface OffboardMemberAnswer {
  member: Member;
  /** keys and credentials that this request revoked */
  revoked: readonly string[];
  /** jobs that it paused, since they ran on their behalf */
  paused_jobs: readonly string[];
  /** rights to approve that it ended, lent or borrowed */
  delegations: number;
  /** whether something is left, which ends within a minute */
  more: boolean;
}

/** whom it is for: either `email`, or `subject` and `provider` */
export interface CreateInvitationRequest {
  /** an address of ASCII characters */
  email?: string;
  /** the `sub` of the person at the provider */
  subject?: string;
  /** the name of an identity provider */
  provider?: string;
  /** becomes the role of the member who accepts it */
  role: PersonRole;
  /** milliseconds since the epoch: a week from now at most, and by default */
  expires_at?: number;
}

export interface CreateDeviceAuthorizationRequest {
  /** how the program calls itself; the person sees it */
  client_id: string;
  /** the tenant whose people may approve it */
  tenant: string;
}

export interface CreateDeviceAuthorizationAnswer {
  /** for the token endpoint; a secret of the program */
  device_code: string;
  /** what the person compares, such as `BCDF-GHJK` */
  user_code: string;
  /** where the person signs in and approves */
  verification_uri: string;
  /** the same with the code */
  verification_uri_complete: string;
  /** seconds */
  expires_in: number;
  /** how many seconds to wait between two requests for the token */
  interval: number;
}

export interface ReadSignInAnswer {
  sign_in: ReadSignInAnswerSignIn | null;
  key_session: ReadSignInAnswerKeySession | null;
}

/** null: the request presents a key, an access token, or the session of a key */
export interface ReadSignInAnswerSignIn {
  /** the id of a sign in: `sgn_…` */
  sign_in_id: string;
  kind: SignInKind;
  client: string | null;
  /** the pseudonym of the person */
  person_id: string;
  /** the name of the identity provider */
  provider: string;
  /** milliseconds since the epoch */
  created_at: number;
  /** when the person was at the identity provider */
  signed_in_at: number;
  /** the last request, to the minute */
  seen_at: number;
  /** when it ends in any case */
  expires_at: number;
  ended_at: number | null;
  ended_by: string | null;
  /** the roles that it gives now */
  roles: readonly PersonRole[];
  csrf_token: string | null;
}

/** a browser that signed in with an API key; null: the request presents another one */
export interface ReadSignInAnswerKeySession {
  /** for the header `Writ-CSRF` of requests that change something */
  csrf_token: string;
  /** when it ends in any case */
  expires_at: number;
}

export interface SignOutAnswer {
  ended: SignIn | null;
}

export interface IssueAccessTokenRequest {
  /** which grant; the other parameters depend on it */
  grant_type: string;
  client_id?: string;
  device_code?: string;
  /** of an exchange (RFC 8693) */
  subject_token?: string;
  subject_token_type?: string;
  requested_token_type?: string;
  audience?: string;
  resource?: string;
  /** of an exchange: the tools, with spaces between */
  scope?: string;
  /** of an exchange: which capability token, and which part of it (RFC 9396) */
  authorization_details?: string;
  refresh_token?: string;
}

export interface SetCallSettingsRequest {
  /** what calls of the tenant may reach, whatever their tokens grant */
  allowed_paths?: readonly string[];
  /** what no call of the tenant reaches, whatever is allowed or granted */
  denied_paths?: readonly string[];
  /** most bytes of the output of a command in its result; 200000 unless set */
  output_bytes?: number;
  command_ms?: number | null;
  /** the same for single tools, in place of `command_ms` */
  tool_command_ms?: {
    [name: string]: number;
  };
}

export interface TakeOwnPermitRequest {
  operation_id: string;
}

export interface ReportFunctionRequest {
  permit: Envelope;
  /** random, made once per permit; the same one may redeem again, since a reply can be lost */
  nonce: string;
  outcome: ReportFunctionRequestOutcomeSucceeded | ReportFunctionRequestOutcomeWithMessage;
}

export interface ReportFunctionRequestOutcomeSucceeded {
  outcome: "succeeded";
  result: unknown;
}

export interface ReportFunctionRequestOutcomeWithMessage {
  outcome: ReportFunctionRequestOutcomeWithMessageOutcome;
  message: string;
}

/** `failed`: nothing took effect, as the executor states; `unknown`: something may have */
export type ReportFunctionRequestOutcomeWithMessageOutcome = "failed" | "unknown";

export interface RunTurnRequest {
  dialect: Dialect;
  /** the unchanged output of the model */
  output: string;
  session_id: string;
  /** unique in a session for each output; the same turn sent again runs nothing twice, and continues where it stopped */
  turn_id: string;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  capability_token_id: string;
  workspace_id: string;
  session_mode?: SessionMode;
  task_class?: string;
  max_autonomy?: AutonomyMode;
  /** of each call, in milliseconds since the epoch */
  deadline?: number;
  /** an id of your own for the person whose data the call holds, so that it can be erased by it; its agent by default */
  data_subject?: string;
  /** the name of the model as you say it; the record holds it as `claimed_model` */
  model?: string;
  /** one of `/v1/models`, for sub-agents that its calls start; default: `model` if it is one of them, else the only one */
  sub_agent_model?: string;
  /** ids of calls whose results the model has already; they are omitted from `messages` */
  told?: readonly string[];
}

export interface ResolveOperationRequest {
  outcome: ResolutionOutcome;
  /** how they know */
  note: string;
}

/** default: `stdout` */
export type ReadOutputStream = "stdout" | "stderr";

/** the output of both streams while the command runs, as Server-Sent Events; `Last-Event-ID` resumes */
export type ReadOutputFollow = "" | "true" | "false";

export type ReadReceiptPhase = "decision" | "outcome" | "resolution";

export interface DelegateApprovalRequest {
  /** a person: a name, or the id of a key without one */
  to: string;
  tools?: readonly string[] | null;
  agent_id?: string | null;
  /** the highest autonomy mode of calls that it may approve; default: `soft_gate` */
  autonomy_mode?: HeldMode;
  /** why */
  note: string;
  /** milliseconds since the epoch; within 30 days */
  expires_at: number;
}

/** the largest groups first, or those of which a call expires first; default: `count` */
export type GroupApprovalsOrder = "count" | "expires";

export interface ApproveRequest {
  comment?: string;
  scope?: ApproveRequestScope;
  /** for scope session: how many further calls; default: 32 */
  uses?: number;
  /** for scope session: for how many milliseconds; default: the policy's `ttl.session_grant_ms` */
  ttl_ms?: number;
  /** the delegation that you use; the vote then counts as the delegating person's */
  delegation_id?: string;
  /** for an effect: the `binding.effect_digest` that was shown. Without it only the action is approved; if an effect, or another effect, waits for approval, the request fails */
  effect_digest?: string;
}

/** session: creates a session grant, a child of the call's token under which similar calls of its session run; default: once */
export type ApproveRequestScope = "once" | "session";

export interface EditApprovalRequest {
  /** arguments that match the tool's `parameters` */
  args: {
    [name: string]: unknown;
  };
  comment?: string;
}

export interface GiveValueRequest {
  /** the value in clear text */
  value: string;
  scope?: GiveValueRequestScope;
  /** for a stored value: its description; default: the one that the call suggests */
  note?: string;
  comment?: string;
}

/** once: for one use; session: for this agent in this session, at most twelve hours; stored: as one of the tenant's secrets; default: once */
export type GiveValueRequestScope = "once" | "session" | "stored";

export interface DenyRequest {
  comment?: string;
  /** the delegation that you use; the vote then counts as the delegating person's */
  delegation_id?: string;
}

export interface PutApproverGroupRequest {
  /** what policies call the group */
  name: string;
  /** the persons: names as on their API keys, or the ids of keys without one; empty: nobody */
  members: readonly string[];
  /** what the group is for */
  description?: string;
}

export interface SimulatePolicyRequest {
  /** a policy set: its hash, a name, or `name@version` */
  policy?: string;
  /** a set that isn't stored, instead of `policy` */
  document?: {
    [name: string]: unknown;
  };
  call: SimulatePolicyRequestCall;
}

export interface SimulatePolicyRequestCall {
  agent_id: string;
  capability_token_id: string;
  workspace_id: string;
  tool_id: string;
  args: {
    [name: string]: unknown;
  };
  session_id?: string | null;
  session_mode?: "interactive" | "gateway" | "scheduled";
  max_autonomy?: AutonomyMode | null;
  task_class?: string;
}

export interface BacktestPolicyRequest {
  /** a policy set: its hash, a name, or `name@version` */
  policy?: string;
  /** a set that isn't stored, instead of `policy` */
  document?: {
    [name: string]: unknown;
  };
  /** also evaluates committed effects: a page then has `effects`, and may end before its `limit` */
  effects?: boolean;
  /** milliseconds since the epoch; default: from the beginning */
  since?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
  /** operations of a page; default: 100 */
  limit?: number;
}

export interface PutPolicyRequest {
  /** the set, in the format of `GET /v1/policies/schema` */
  document: {
    [name: string]: unknown;
  };
}

export interface ActivatePolicyRequest {
  /** a policy set: its hash, a name, or `name@version` */
  policy: string;
  /** a policy set: its hash, a name, or `name@version` */
  if_active?: string;
  /** the reason, for later readers */
  note?: string;
  /** `true`: accepts a set with rules that can never apply, which is otherwise refused */
  allow_impossible?: boolean;
}

export interface RollBackPolicyRequest {
  /** a policy set: its hash, a name, or `name@version` */
  if_active?: string;
  /** the reason, for later readers */
  note?: string;
}

export interface IssueTokenRequest {
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id?: string | null;
  grant: Grant;
}

export interface AttenuateTokenRequest {
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** the id of a workspace: `wsp_…` */
  workspace_id?: string;
  grant: Grant;
}

export interface SetWorkspaceLimitsRequest {
  files_max?: number | null;
  bytes_max?: number | null;
}

export interface RestoreWorkspaceRequest {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at: string;
  /** the path to restore, with everything below it; default: the whole workspace */
  path?: string;
  /** only if this is still the head */
  if_head?: string;
}

export interface UploadFilesRequest {
  files: readonly UploadFilesRequestFile[];
}

export interface UploadFilesRequestFile {
  path: string;
  content: string;
  /** of `content`; default: utf8 */
  encoding?: ContentEncoding;
  mode?: FileMode;
}

export interface PlaceFreezeRequest {
  scope: FreezeScope;
  /** the agent or the tool; for a tenant, your own id or none */
  id?: string;
  /** why; callers that are refused read it */
  reason: string;
  /** milliseconds since the epoch; default: in effect until it is lifted */
  expires_at?: number;
}

/** exactly one of `operation_id`, `session_id`, `subject` and `before` */
export interface EraseRequest {
  operation_id?: string;
  session_id?: string;
  /** calls and sessions with this `data_subject`; for an agent's id: those of the agent without a data subject */
  subject?: string;
  /** everything created before this time, such as `2026-01-31T09:30:00Z`; unfinished calls are skipped */
  before?: string;
  /** why, as a code of your own, such as `gdpr-art-17`; `retention` where a period was over */
  reason_code: string;
  /** `true`: reports what would be erased, and erases nothing */
  dry_run?: boolean;
}

export interface EraseAnswerWithDryRun {
  dry_run: true;
  /** calls whose content would be erased */
  operations: number;
  /** calls that have not ended: they prevent the erasure of a call or a session; an erasure by time skips them */
  unfinished: number;
  /** there are more than were counted */
  more: boolean;
  /** sessions that would go with all that was said in them */
  sessions?: number;
}

export interface SetRetentionRequest {
  payload_days: number | null;
  output_days: number | null;
  /** full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is */
  payload_mode?: PayloadMode;
  /** full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is */
  requests_mode?: RequestsMode;
}

export interface ForkRunRequest {
  /** the last event to include; 0: the conversation before the run */
  after: number;
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name?: string;
  /** one of `/v1/models` */
  model?: string;
}

export interface ReplayRunRequest {
  /** a stored set; default: the one in force */
  policy?: string;
  /** a set that isn't stored, instead of `policy` */
  document?: {
    [name: string]: unknown;
  };
  /** `next_cursor` of the page before */
  cursor?: string;
  /** calls of a page; default: 100 */
  limit?: number;
}

export interface CreateSessionRequest {
  workspace_id: string;
  capability_token_id: string;
  /** one of `/v1/models` */
  model: string;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name?: string;
  /** how the model writes its calls; default: `native`, the provider's format */
  dialect?: SessionDialect;
  /** text at the end of the system prompt */
  system?: string;
  /** your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it */
  data_subject?: string;
  session_mode?: CreateSessionRequestSessionMode;
}

/** `gateway`: nobody can be asked, so a call that needs a person is refused, unless it applies a staged change; default: `interactive` */
export type CreateSessionRequestSessionMode = "interactive" | "gateway";

export interface StartRunRequest {
  input: string;
  /** most replies of the model; default: 20, in `yips` 6 */
  rounds_max?: number;
  /** most tokens, input and output together */
  tokens_max?: number;
  /** most that it may cost, in millionths of the model's currency */
  cost_max?: number;
  idempotency_key?: string;
}

export interface RunJobRequest {
  idempotency_key?: string;
}

export interface UpdateResourceRequest {
  settings: AudioDeviceSettings | CalendarSettings | ContainerSettings | InfoStoreSettings | MailboxSettings | McpServerByUrl | McpServerByProgram | ModelSettings | SearchEngineSettings | WebsiteSettings;
  /** the version that the new settings replace: another one is a `conflict` */
  expected_version: number;
}

export interface SetResourceGrantRequest {
  kind: ResourceKind;
  /** null: every resource of the kind; the only value for `create` */
  resource_id: string | null;
  right: ResourceRight;
  /** null: every agent of the tenant */
  agent_id: string | null;
  clearance: Clearance;
}

export interface SetExternalVersionRequest {
  /** a name, such as `deployment:shop/production` */
  ref: string;
  /** printable ASCII; what it means is between whoever sets and whoever names it */
  version: string;
  /** the current version; null where there is none yet */
  expected_version: string | null;
}

export interface SetSecretRequest {
  name: string;
  /** the value in clear text */
  value: string;
  /** for people */
  note?: string;
}

export interface PutSandboxRequest {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** the workspace that its scripts run in */
  workspace_id: string;
  /** what it adds to the shipped rules: `mk8-rules.v1.json`, every member optional */
  rules?: {
    [name: string]: unknown;
  };
  /** the only templates that ProcRun may use; null: all */
  enabled_templates?: readonly string[] | null;
  /** operations by the name that Include uses */
  fragments?: {
    [name: string]: readonly unknown[];
  };
}

export interface SignSandboxRequest {
  envelope: Envelope;
}

export interface AddRegistrarKeyRequest {
  public_key: PublicKey;
  /** for people */
  note?: string;
}

export interface CreateImageRequest {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  source: ImageSource;
  /** tools whose calls run in it; profiles and programs name their image themselves */
  tools?: readonly string[];
}

export interface CreateExecutionProfileRequest {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** what may read a command */
  shells: readonly Shell[];
  limits: SandboxLimits;
  /** the only workspace that it is for; null: any */
  workspace_id?: string | null;
  /** variables that commands find; no secrets */
  environment?: {
    [name: string]: string;
  };
  /** hosts that a command may reach at most, where its token reaches them too */
  net?: readonly NetGrant[];
  /** the user that commands run as, never root; the user `sandbox` (10001) unless set */
  user?: string | SystemUserIds;
  /** the tenant's image that commands run in; that of the tool unless set */
  image?: string;
}

export interface PutSkillRequest {
  files: readonly PutSkillRequestFile[];
}

export interface PutSkillRequestFile {
  /** relative to the folder */
  path: string;
  content: string;
  /** of `content`; default: utf8 */
  encoding?: ContentEncoding;
}

export interface ApplyToolsRequest {
  tools?: readonly ApplyToolsRequestTool[];
  functions?: readonly ApplyToolsRequestFunction[];
  /** what `${NAME}` stands for in the environments of these tools */
  variables?: {
    [name: string]: string;
  };
  /** only report what would change */
  dry_run?: boolean;
}

export interface ApplyToolsRequestTool {
  name: string;
  description: string;
  category: ToolCategory;
  /** a program on the path of the image, or its absolute path */
  cmd: string;
  args?: readonly string[];
  parameters?: {
    [name: string]: ApplyToolsRequestToolParametersValue;
  };
  optional_args?: {
    [name: string]: readonly string[];
  };
  env?: {
    [name: string]: string;
  };
  /** 120000 by default */
  timeout_ms?: number;
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  image?: string;
  /** 200000 by default */
  output_bytes?: number;
}

export interface ApplyToolsRequestToolParametersValue {
  type: ApplyToolsRequestToolParametersValueType;
  description?: string;
  /** false by default */
  optional?: boolean;
  enum?: readonly (string | number)[];
  /** RE2; the whole value must match */
  pattern?: string;
  minLength?: number;
  /** 4096 by default */
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  /** whether a value may begin with `-`: false by default, since a program could take it for an option */
  leading_dash?: boolean;
}

export type ApplyToolsRequestToolParametersValueType = "string" | "integer" | "number" | "boolean";

export interface ApplyToolsRequestFunction {
  name: string;
  title?: string;
  description: string;
  category: ToolCategory;
  mode: ApplyToolsRequestFunctionMode;
  parameters: {
    [name: string]: unknown;
  };
  result?: {
    [name: string]: unknown;
  };
  /** default: whether it only reads; see the same member of the stored tool */
  idempotent?: boolean;
  /** 120000 by default */
  timeout_ms?: number;
}

/** `pull`: a worker of the tenant takes permits; `caller`: the caller gets one and runs it itself; `inline` is an older name of `caller` */
export type ApplyToolsRequestFunctionMode = "pull" | "caller" | "inline";

export interface ImportOpenApiRequest {
  /** OpenAPI 3.0 or 3.1, JSON or YAML */
  document: string;
  options: ImportOpenApiRequestOptions;
  /** an operation that has a problem keeps all from being registered */
  strict?: boolean;
  /** only report what would change */
  dry_run?: boolean;
}

export interface ImportOpenApiRequestOptions {
  /** the part of the names of the tools after `api.`: lower case, digits and `_` */
  name: string;
  /** the address of the API over TLS; absent: that of the document */
  server?: string;
  server_variables?: {
    [name: string]: string;
  };
  secrets?: {
    [name: string]: string;
  };
  categories?: {
    [name: string]: ToolCategory;
  };
  idempotency_headers?: {
    [name: string]: string;
  };
  /** operations, each may end in `*`; absent: all */
  include?: readonly string[];
  exclude?: readonly string[];
  /** whether deprecated operations are imported, too */
  deprecated?: boolean;
  /** of each call; 30000 by default */
  timeout_ms?: number;
}

export interface AcceptMcpServerToolsRequest {
  tools: readonly AcceptMcpServerToolsRequestTool[];
}

export interface AcceptMcpServerToolsRequestTool {
  /** the tool's name at the server */
  name: string;
  /** of the definition that was looked at */
  digest: string;
  category?: ToolCategory;
}

export interface RefuseMcpServerToolsRequest {
  tools: readonly RefuseMcpServerToolsRequestTool[];
}

export interface RefuseMcpServerToolsRequestTool {
  /** the tool's name at the server */
  name: string;
  /** of the definition that was looked at */
  digest: string;
}

/** it has the settings of its `kind`, and of no other */
export interface CreateChannelRequest {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  kind: ChannelKind;
  slack?: SlackSettings;
  webhook?: WebhookDestination;
  teams?: TeamsDestination;
  /** `username` and `password` go together */
  email?: EmailDestination;
}

export interface ChangeChannelRequest {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name?: string;
  state?: WebhookState;
  /** another `api_url` takes the `bot_token`, too */
  slack?: SlackChange;
  webhook?: WebhookDestination;
  teams?: TeamsDestination;
  /** another `host`, `port`, `tls` or `username` takes the `password`, too */
  email?: EmailDestinationChange;
}

export interface CreateWebhookRequest {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  /** `https://`, at a public address */
  url: string;
  /** the kinds of messages that it receives */
  events: readonly WebhookEvent[];
}

export interface RotateWebhookSecretRequest {
  /** default: a day */
  overlap_ms?: number;
}

export interface ChangeWebhookRequest {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  /** `https://`, at a public address */
  url: string;
  /** the kinds of messages that it receives */
  events: readonly WebhookEvent[];
  state: WebhookState;
}

/** `dsse`, the default: `{leaf_index, envelope}` with the signed envelope; `receipt`: the receipt for `writ verify`; `cloudevents`: CloudEvents 1.0; `ocsf`: OCSF 1.4.0, API Activity */
export type ExportRecordsFormat = "dsse" | "receipt" | "cloudevents" | "ocsf";

export type ListRecordsType = "tool_call" | "approval" | "token" | "policy" | "resolution" | "erasure" | "key" | "workspace" | "change";

/** by the time of the record; default: `newest` */
export type ListRecordsOrder = "newest" | "oldest";

export interface ReadSystemAnswer {
  orchestrator: ReadSystemAnswerOrchestrator;
  kernel: ReadSystemAnswerKernel;
  database: ReadSystemAnswerDatabase;
  outbox: ReadSystemAnswerOutbox;
  /** executors that this replica heard of within seconds */
  executors: readonly ReadSystemAnswerExecutor[];
  /** of the kernel's schema, oldest first */
  migrations: readonly ReadSystemAnswerMigration[];
}

export interface ReadSystemAnswerOrchestrator {
  /** of the replica of the orchestrator that answered */
  version: string;
  /** of that replica's clock, in milliseconds since the epoch */
  now: number;
}

export interface ReadSystemAnswerKernel {
  /** of the replica of the kernel that answered */
  version: string;
  /** of that replica's clock, in milliseconds since the epoch */
  now: number;
  pools: {
    [name: string]: ReadSystemAnswerKernelPoolsValue;
  };
}

export interface ReadSystemAnswerKernelPoolsValue {
  connections_max: number;
  /** that are open */
  connections: number;
  /** of those, the ones that nobody uses */
  idle: number;
  /** requests that wait for one */
  waiting: number;
}

export interface ReadSystemAnswerDatabase {
  version: string;
  /** of the database's clock, when the report was made */
  now: number;
  connections_max: number;
  /** the settings that a COMMIT needs to survive a power cut */
  settings: {
    [name: string]: string;
  };
  /** whether these settings let every COMMIT survive a power cut */
  durable: boolean;
}

export interface ReadSystemAnswerOutbox {
  /** records that wait for the ledger; counted to 10,001 */
  rows: number;
  oldest_at: number | null;
}

export interface ReadSystemAnswerExecutor {
  /** the id of an executor: `exe_…` */
  executor_id: string;
  /** the most calls that it has had room for, by lane */
  slots: {
    [name: string]: number;
  };
  /** calls that it has room for now, by lane */
  free: {
    [name: string]: number;
  };
  seen_ms_ago: number;
}

export interface ReadSystemAnswerMigration {
  schema: string;
  name: string;
  /** milliseconds since the epoch */
  applied_at: number;
}

export interface ApprovalPendingMessage {
  type: "approval.pending";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalVotedMessage {
  type: "approval.voted";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalEscalatedMessage {
  type: "approval.escalated";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalReminderMessage {
  type: "approval.reminder";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalApprovedMessage {
  type: "approval.approved";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalDeniedMessage {
  type: "approval.denied";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalExpiredMessage {
  type: "approval.expired";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalCancelledMessage {
  type: "approval.cancelled";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface ApprovalSupersededMessage {
  type: "approval.superseded";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface OperationAmbiguousMessage {
  type: "operation.ambiguous";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface OperationResolvedMessage {
  type: "operation.resolved";
  /** when it happened */
  timestamp: string;
  data: CallNotice;
}

export interface McpServerToolsNewMessage {
  type: "mcp_server.tools_new";
  /** when it happened */
  timestamp: string;
  data: McpServerNotice;
}

export interface McpServerToolsChangedMessage {
  type: "mcp_server.tools_changed";
  /** when it happened */
  timestamp: string;
  data: McpServerNotice;
}

export interface McpServerToolsGoneMessage {
  type: "mcp_server.tools_gone";
  /** when it happened */
  timestamp: string;
  data: McpServerNotice;
}

export interface McpServerFailingMessage {
  type: "mcp_server.failing";
  /** when it happened */
  timestamp: string;
  data: McpServerNotice;
}

export interface McpServerRecoveredMessage {
  type: "mcp_server.recovered";
  /** when it happened */
  timestamp: string;
  data: McpServerNotice;
}

export interface RunFinishedMessage {
  type: "run.finished";
  /** when it happened */
  timestamp: string;
  data: RunFinished;
}

export interface WebhookPingMessage {
  type: "webhook.ping";
  /** when it happened */
  timestamp: string;
  data: WebhookPing;
}

export interface AuditRecord {
  v: 1;
  /** the id of a record: `rec_…` */
  record_id: string;
  kind: "tool_call" | "approval" | "token" | "policy" | "resolution" | "erasure" | "key" | "workspace" | "change";
  /** the id of a log: `log_…` */
  log_id: string;
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  kernel_key_id: string;
  /** milliseconds since the epoch by the database's clock */
  recorded_at: number;
  operation_id: string | null;
  attempt: number | null;
  phase: "decision" | "outcome" | null;
  verdict: "admitted" | "refused" | "held" | null;
  rule_ids: readonly string[];
  fault_code: string | null;
  approval_refs: readonly string[];
  agent_id: string | null;
  capability_token_id: string | null;
  tool_id: string | null;
  tool_definition_digest: string | null;
  args_hash: string | null;
  result_hash: string | null;
  policy_hash: string | null;
  state_snapshot_id: string | null;
  new_snapshot_id: string | null;
  commit_delta_id: string | null;
  workspace_id: string | null;
  provenance: {
    source?: string;
    run_id?: string;
    model?: string;
    dialect?: string;
    session_id?: string;
    turn?: string;
    parent_operation_id?: string;
    /** the name of the program that calls, in its own words */
    client?: string;
    /** the model that the caller says it drives */
    claimed_model?: string;
  };
  task_class: string | null;
  autonomy_mode: "autopilot" | "soft_gate" | "escalated" | "no_go" | null;
  risk_score: number | null;
  risk_basis: readonly string[];
  tx_outcome: "committed" | "rolled_back" | "no_op" | "ambiguous" | null;
  budget_delta: {
    calls?: number;
    cpu_ms?: number;
    wall_ms?: number;
    disk_write_bytes?: number;
    egress_bytes?: number;
    llm_tokens?: number;
  } | null;
  /** host: the container engine or the kernel of its host, outside of the sandbox; agent: a process inside of the sandbox, so that a job can make it say less */
  usage_counted_by?: "host" | "agent";
  /** the id of a person: `per_…` */
  person?: string;
  execution?: {
    contained: false;
    result: "claimed";
    executor: string | null;
  };
  redactions?: readonly {
    rule: string;
    /** JSON pointers into the result; `*` is every member and every item */
    pointers: readonly string[];
  }[];
  decision_record_id: string | null;
  decision_hash: string | null;
  effect_digest: string | null;
  egress_count: number;
  egress_hash: string | null;
  image_digest: string | null;
  actor: string | null;
  change: {
    verb: string;
    subject: string;
    digest: string | null;
  } | null;
  trace_id: string | null;
  span_id: string | null;
}

export type CreateTenantBody = NewName;

export type CreateTenantAnswer = NewTenant;

export interface ListTenantsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** `true`: only tenants that are not closed */
  open?: boolean;
}

export type ListTenantsAnswer = TenantList;

export type ReadTenantAnswer = Tenant;

export type CloseTenantBody = CloseTenantRequest;

export type CloseTenantAnswer = Tenant;

export interface ListRecordsOfClosedTenantQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListRecordsOfClosedTenantAnswer = RecordPage;

export type ReadTenantLimitsAnswer = TenantLimits;

export type SetTenantLimitsBody = SetTenantLimitsRequest;

export type SetTenantLimitsAnswer = TenantLimits;

export interface ListApiKeysQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListApiKeysAnswer = ApiKeyList;

export type CreateApiKeyBody = CreateApiKeyRequest;

export type CreateApiKeyAnswer = NewApiKey;

export type RotateApiKeyBody = RotateApiKeyRequest;

export type RotateApiKeyAnswer = NewApiKey;

export type RotateOwnApiKeyBody = RotateOwnApiKeyRequest;

export type RotateOwnApiKeyAnswer = NewApiKey;

export type RevokeApiKeyAnswer = RevokedApiKey;

export type WhoamiAnswer = Whoami;

export type ListIdentityProvidersAnswer = IdentityProviderList;

export type PutIdentityProviderBody = PutIdentityProviderRequest;

export type PutIdentityProviderAnswer = IdentityProvider;

export type ReadIdentityProviderAnswer = IdentityProvider;

export type RemoveIdentityProviderAnswer = EndedCredentials;

export type PutTenantIdentityProviderBody = PutTenantIdentityProviderRequest;

export type PutTenantIdentityProviderAnswer = IdentityProvider;

export type DenyTokensBody = DenyTokensRequest;

export type DenyTokensAnswer = EndedCredentials;

export interface FindPersonQuery {
  /** who answers for the key: a name or an address; all keys with it are one person */
  principal?: string;
  issuer?: string;
  subject?: string;
}

export type FindPersonAnswer = Person;

export type ForgetPersonAnswer = PersonForgotten;

export interface ListMembersQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** `person`: somebody who signed in; `service`: a service account, which decides about no call */
  kind?: MemberKind;
  /** of whoever is not `active`, sessions, tokens and keys are refused */
  state?: MemberState;
}

export type ListMembersAnswer = MemberList;

export type CreateServiceAccountBody = NewName;

export type CreateServiceAccountAnswer = Member;

export type ReadMemberAnswer = Member;

export type ChangeMemberBody = ChangeMemberRequest;

export type ChangeMemberAnswer = Member;

export type LinkIdentityBody = LinkIdentityRequest;

export type LinkIdentityAnswer = Member;

export type OffboardMemberBody = OffboardMemberRequest;

export interface ListInvitationsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListInvitationsAnswer = InvitationList;

export type CreateInvitationBody = CreateInvitationRequest;

export type CreateInvitationAnswer = NewInvitation;

export type ReadInvitationAnswer = Invitation;

export type RevokeInvitationAnswer = Invitation;

export interface ListOwnSignInsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListOwnSignInsAnswer = SignInList;

export type EndOwnSignInAnswer = SignIn;

export interface ListSignInsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListSignInsAnswer = SignInList;

export type EndSignInAnswer = SignIn;

export type IssueAccessTokenAnswer = TokenAnswer;

export type ReadCallSettingsAnswer = CallSettings;

export type SetCallSettingsBody = SetCallSettingsRequest;

export type SetCallSettingsAnswer = CallSettings;

export interface ListBudgetsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListBudgetsAnswer = BudgetList;

export type SetBudgetBody = BudgetSetting;

export type SetBudgetAnswer = Budget;

export type ReadBudgetAnswer = Budget;

export type DeleteBudgetAnswer = Budget;

export interface ReadCallUsageQuery {
  /** the first day in UTC; default: 30 days before `to` */
  from?: string;
  /** the day after the last one; default: tomorrow */
  to?: string;
  /** dimensions of the counts, separated by commas: day, agent, person, key, tool, outcome; default: day */
  by?: string;
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ReadCallUsageAnswer = CallUsage;

export interface ListAgentsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListAgentsAnswer = AgentList;

export type CreateAgentBody = NewName;

export type CreateAgentAnswer = Agent;

export type ReadAgentAnswer = Agent;

export interface ProposeToolCallQuery {
  /** milliseconds to wait for the end */
  wait?: number;
}

export type ProposeToolCallBody = ToolCall;

export type ProposeToolCallAnswer = ToolResult | Operation;

export interface TakePermitQuery {
  /** milliseconds to wait for the end */
  wait?: number;
}

export interface TakePermitBody { [name: string]: never }

export type TakePermitAnswer = TakenPermit;

export type TakeOwnPermitBody = TakeOwnPermitRequest;

export type TakeOwnPermitAnswer = TakenPermit;

export type RedeemPermitBody = PermitProof;

export type RedeemPermitAnswer = RedeemedPermit;

export type RenewLeaseBody = PermitProof;

export type RenewLeaseAnswer = RenewedLease;

export type ReportFunctionBody = ReportFunctionRequest;

export type ReportFunctionAnswer = FunctionReported;

export interface RunTurnQuery {
  /** milliseconds to wait for the end */
  wait?: number;
}

export type RunTurnBody = RunTurnRequest;

export type RunTurnAnswer = Turn;

export interface ReadPromptQuery {
  dialect: Dialect;
  capability_token_id: string;
  /** the workspace whose `CODE.md` it includes; it is read by a call of the token's agent, which is decided and recorded, so only administrators and agents name one */
  workspace_id?: string;
}

export type ReadPromptAnswer = Prompt;

export interface PostMcpQuery {
  /** the workspace of the calls; by default that of the capability token */
  workspace_id?: string;
  /** `search`: the list has only tools that find and describe the others; `all` by default */
  tools?: CatalogueMode;
  /** a registered MCP server, which is served as if the client spoke to it itself; by default all of Writ is served */
  server?: string;
}

export type PostMcpBody = McpMessage;

export interface PostMcpWithTokenQuery {
  /** the workspace of the calls; by default that of the capability token */
  workspace_id?: string;
  /** `search`: the list has only tools that find and describe the others; `all` by default */
  tools?: CatalogueMode;
  /** a registered MCP server, which is served as if the client spoke to it itself; by default all of Writ is served */
  server?: string;
}

export type PostMcpWithTokenBody = McpMessage;

export interface ListOperationsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: CallState;
  tool_id?: string;
  agent_id?: string;
  workspace_id?: string;
  session_id?: string;
  scheduling_class?: SchedulingClass;
  /** `true`: only unresolved ambiguous ones; the filter `state` is then ignored */
  unresolved?: boolean;
  /** what to show beside, in the member `expanded`, with commas between: `result`, `approval`, `receipt` */
  expand?: string;
}

export type ListOperationsAnswer = OperationList;

export interface ReadOperationQuery {
  /** milliseconds to wait for the end */
  wait?: number;
  /** what to show beside, in the member `expanded`, with commas between: `result`, `approval`, `receipt` */
  expand?: string;
}

export type ReadOperationAnswer = Operation;

export interface CancelOperationBody { [name: string]: never }

export type CancelOperationAnswer = Operation;

export type ResolveOperationBody = ResolveOperationRequest;

export type ResolveOperationAnswer = Operation;

export interface ListRequestsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListRequestsAnswer = EgressRequestPage;

export interface ReadOutputQuery {
  stream?: ReadOutputStream;
  follow?: ReadOutputFollow;
  /** with `follow`: milliseconds after which the stream ends; default: with the operation */
  for_ms?: number;
}

export type ExplainOperationAnswer = OperationExplanation;

export interface ReadReceiptQuery {
  phase?: ReadReceiptPhase;
}

export type DelegateApprovalBody = DelegateApprovalRequest;

export type DelegateApprovalAnswer = Delegation;

export interface ListDelegationsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** `true`: only delegations that are valid now */
  standing?: boolean;
}

export type ListDelegationsAnswer = DelegationList;

export type RevokeDelegationAnswer = Delegation;

export interface ListBriefApprovalsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: ListApprovalsState;
  /** by the time when they were held, or of those that are pending by their end or their risk; default: `newest`. A cursor is of one order and its filters */
  order?: ApprovalOrder;
  /** `true`: only those that you may decide now: of your role and groups, and not of your own calls */
  mine?: boolean;
  /** the tool; with a `*` at its end, all whose names begin so */
  tool_id?: string;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  session_id?: string;
  /** the supervision that they need */
  autonomy_mode?: HeldMode;
  /** approver group that may decide */
  group?: string;
  /** on whose behalf the call is made */
  person_id?: string;
  risk_min?: number;
  /** held then or later, such as `2026-01-31T09:30:00Z` */
  since?: string;
  /** held before */
  until?: string;
  /** those that expire before */
  expires_before?: string;
  /** the key of a group of alike calls */
  alike?: string;
}

export type ListBriefApprovalsAnswer = ApprovalBriefList;

export interface GroupApprovalsQuery {
  /** `true`: only those that you may decide now: of your role and groups, and not of your own calls */
  mine?: boolean;
  /** the tool; with a `*` at its end, all whose names begin so */
  tool_id?: string;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  session_id?: string;
  /** the supervision that they need */
  autonomy_mode?: HeldMode;
  /** approver group that may decide */
  group?: string;
  /** on whose behalf the call is made */
  person_id?: string;
  risk_min?: number;
  /** held then or later, such as `2026-01-31T09:30:00Z` */
  since?: string;
  /** held before */
  until?: string;
  /** those that expire before */
  expires_before?: string;
  /** the key of a group of alike calls */
  alike?: string;
  order?: GroupApprovalsOrder;
}

export type GroupApprovalsAnswer = ApprovalGroups;

export interface ListApprovalsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: ListApprovalsState;
  /** by the time when they were held, or of those that are pending by their end or their risk; default: `newest`. A cursor is of one order and its filters */
  order?: ApprovalOrder;
  /** `true`: only those that you may decide now: of your role and groups, and not of your own calls */
  mine?: boolean;
  /** the tool; with a `*` at its end, all whose names begin so */
  tool_id?: string;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  session_id?: string;
  /** the supervision that they need */
  autonomy_mode?: HeldMode;
  /** approver group that may decide */
  group?: string;
  /** on whose behalf the call is made */
  person_id?: string;
  risk_min?: number;
  /** held then or later, such as `2026-01-31T09:30:00Z` */
  since?: string;
  /** held before */
  until?: string;
  /** those that expire before */
  expires_before?: string;
  /** the key of a group of alike calls */
  alike?: string;
  /** what to show beside, in the member `expanded`, with commas between: `operation` */
  expand?: string;
}

export type ListApprovalsAnswer = ApprovalList;

export interface ReadApprovalQuery {
  /** what to show beside, in the member `expanded`, with commas between: `operation` */
  expand?: string;
}

export type ReadApprovalAnswer = Approval;

export type ReadApprovalDiffAnswer = ApprovalDiff;

export type ListAlikeApprovalsAnswer = PastDecisions;

export type ApproveBody = ApproveRequest;

export type ApproveAnswer = Operation;

export type EditApprovalBody = EditApprovalRequest;

export type EditApprovalAnswer = Operation;

export type GiveValueBody = GiveValueRequest;

export type GiveValueAnswer = Operation;

export type DenyBody = DenyRequest;

export type DenyAnswer = Operation;

export interface ListApproverGroupsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListApproverGroupsAnswer = ApproverGroupList;

export type PutApproverGroupBody = PutApproverGroupRequest;

export type PutApproverGroupAnswer = ApproverGroup;

export type ReadApproverGroupAnswer = ApproverGroup;

export type RemoveApproverGroupAnswer = Removed;

export type SimulatePolicyBody = SimulatePolicyRequest;

export type SimulatePolicyAnswer = Simulation;

export type BacktestPolicyBody = BacktestPolicyRequest;

export type BacktestPolicyAnswer = Backtest;

export interface ListPoliciesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListPoliciesAnswer = PolicyPage;

export type PutPolicyBody = PutPolicyRequest;

export type PutPolicyAnswer = PolicyPut;

export type ReadPolicySchemaAnswer = PolicySchema;

export type ListPolicyTemplatesAnswer = PolicyTemplateList;

export interface ListPolicyActivationsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListPolicyActivationsAnswer = PolicyActivationList;

export interface DiffPoliciesQuery {
  /** a policy set: its hash, a name, or `name@version` */
  from?: string;
  /** a policy set: its hash, a name, or `name@version` */
  to?: string;
}

export type DiffPoliciesAnswer = PolicyDiff;

export type ActivatePolicyBody = ActivatePolicyRequest;

export type ActivatePolicyAnswer = PolicyActivation;

export type RollBackPolicyBody = RollBackPolicyRequest;

export type RollBackPolicyAnswer = PolicyActivation;

export type ReadPolicyAnswer = PolicySetWhole;

export type IssueTokenBody = IssueTokenRequest;

export type IssueTokenAnswer = Token;

export interface ListTokensQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  agent_id?: string;
  parent_id?: string;
  /** what to show beside, in the member `expanded`, with commas between: `agent` */
  expand?: string;
}

export type ListTokensAnswer = TokenList;

export type AttenuateTokenBody = AttenuateTokenRequest;

export type AttenuateTokenAnswer = Token;

export interface ReadTokenQuery {
  /** what to show beside, in the member `expanded`, with commas between: `agent`, `children` */
  expand?: string;
}

export type ReadTokenAnswer = Token;

export interface RevokeTokenBody { [name: string]: never }

export type RevokeTokenAnswer = Token;

export type CreateWorkspaceBody = NewName;

export type CreateWorkspaceAnswer = Workspace;

export interface ListWorkspacesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListWorkspacesAnswer = WorkspaceList;

export type ReadWorkspaceAnswer = Workspace;

export type ReadWorkspaceLimitsAnswer = WorkspaceLimits;

export type SetWorkspaceLimitsBody = SetWorkspaceLimitsRequest;

export type SetWorkspaceLimitsAnswer = WorkspaceLimits;

export interface ReadTreeQuery {
  /** a directory; default: the whole workspace */
  path?: string;
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at?: string;
  /** levels; default: all */
  depth?: number;
  cursor?: string;
  /** entries; default: 10000 */
  limit?: number;
}

export type ReadTreeAnswer = Tree;

export interface ReadHistoryQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ReadHistoryAnswer = SnapshotList;

export interface ReadDiffQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  from: string;
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  to?: string;
  /** only this path and everything below it */
  path?: string;
}

export type ReadDiffAnswer = Delta;

export interface ReadTextDiffQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  from: string;
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  to?: string;
  /** only this path and everything below it */
  path?: string;
}

export type ReadTextDiffAnswer = TextDiff;

export type RestoreWorkspaceBody = RestoreWorkspaceRequest;

export type RestoreWorkspaceAnswer = Workspace;

export type UploadFilesBody = UploadFilesRequest;

export type UploadFilesAnswer = Workspace;

export interface DownloadFileQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at?: string;
}

export interface UploadFileQuery {
  mode?: FileMode;
}

export type UploadFileAnswer = Workspace;

export type DeleteFileAnswer = Workspace;

export interface ExportWorkspaceQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at?: string;
  /** a directory; default: the whole workspace */
  path?: string;
}

export interface ImportWorkspaceQuery {
  /** a directory; default: the whole workspace */
  path?: string;
  /** whether files that the archive does not contain are deleted; default: they stay */
  replace?: boolean;
}

export type ImportWorkspaceAnswer = Workspace;

export type PlaceFreezeBody = PlaceFreezeRequest;

export type PlaceFreezeAnswer = Freeze;

export interface ListFreezesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** `true`: only freezes that are in effect now */
  standing?: boolean;
}

export type ListFreezesAnswer = FreezeList;

export type ReadFreezeAnswer = Freeze;

export interface LiftFreezeBody { [name: string]: never }

export type LiftFreezeAnswer = Freeze;

export type EraseBody = EraseRequest;

export type EraseAnswer = Erasure | EraseAnswerWithDryRun | Erasure;

export interface ListErasuresQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListErasuresAnswer = ErasureList;

export type ReadErasureAnswer = Erasure;

export type ReadRetentionAnswer = Retention;

export type SetRetentionBody = SetRetentionRequest;

export type SetRetentionAnswer = Retention;

export interface FollowEventsQuery {
  /** milliseconds after which the stream ends; default: no end */
  for_ms?: number;
}

export type ListModelsAnswer = ModelList;

export interface ReadRunQuery {
  /** what to show beside, in the member `expanded`, with commas between: `session` */
  expand?: string;
}

export type ReadRunAnswer = Run;

export interface FollowRunQuery {
  /** only events after this `seq`; `Last-Event-ID` takes precedence */
  after?: number;
  /** milliseconds after which the stream ends; default: when the run ends */
  for_ms?: number;
}

export interface CancelRunBody { [name: string]: never }

export type CancelRunAnswer = Run;

export type ForkRunBody = ForkRunRequest;

export type ForkRunAnswer = Session;

export type ReplayRunBody = ReplayRunRequest;

export type ReplayRunAnswer = RunReplay;

export interface ListSessionsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  workspace_id?: string;
  /** only sessions of sub-agents of this run, which other lists omit */
  run_id?: string;
}

export type ListSessionsAnswer = SessionList;

export type CreateSessionBody = CreateSessionRequest;

export type CreateSessionAnswer = Session;

export interface ListRunsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListRunsAnswer = RunList;

export type StartRunBody = StartRunRequest;

export type StartRunAnswer = Run;

export type ExportTranscriptAnswer = Transcript;

export interface ReadUsageQuery {
  /** milliseconds since the epoch */
  from?: number;
  /** milliseconds since the epoch */
  to?: number;
  /** default: `model`; days are UTC */
  by?: UsageBy;
}

export type ReadUsageAnswer = Usage;

export type ReadSessionAnswer = Session;

export type DeleteSessionAnswer = Session;

export interface ListJobsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
}

export type ListJobsAnswer = JobList;

export type CreateJobBody = JobSettings;

export type CreateJobAnswer = Job;

export interface PauseJobBody { [name: string]: never }

export type PauseJobAnswer = Job;

export interface ResumeJobBody { [name: string]: never }

export type ResumeJobAnswer = Job;

export interface ListJobRunsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListJobRunsAnswer = JobStartList;

export type RunJobBody = RunJobRequest;

export type RunJobAnswer = JobStart;

export type ReadJobAnswer = Job;

export type ChangeJobBody = JobSettings;

export type ChangeJobAnswer = Job;

export type DeleteJobAnswer = Job;

export interface ListResourcesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** only resources of this kind */
  kind?: ResourceKind;
  /** only resources of this name */
  name?: string;
  /** only those that this agent may use */
  agent_id?: string;
}

export type ListResourcesAnswer = ResourceList;

export type CreateResourceBody = NewResource;

export type CreateResourceAnswer = Resource;

export type ReadResourceAnswer = Resource;

export type UpdateResourceBody = UpdateResourceRequest;

export type UpdateResourceAnswer = Resource;

export type RemoveResourceAnswer = Resource;

export interface ListResourceGrantsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** only resources of this kind */
  kind?: ResourceKind;
  /** only grants of this resource */
  resource_id?: string;
  /** only grants that count for this agent: its own and those of every agent */
  agent_id?: string;
}

export type ListResourceGrantsAnswer = ResourceGrantList;

export type SetResourceGrantBody = SetResourceGrantRequest;

export type SetResourceGrantAnswer = ResourceGrant;

export type ReadResourceGrantAnswer = ResourceGrant;

export type RemoveResourceGrantAnswer = ResourceGrant;

export type ReadAudioDeviceAnswer = AudioDevice;

export type UploadAudioFramesAnswer = FramesReceived;

export interface ListExternalVersionsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** only this one */
  ref?: string;
}

export type ListExternalVersionsAnswer = ExternalVersionList;

export type SetExternalVersionBody = SetExternalVersionRequest;

export type SetExternalVersionAnswer = ExternalVersion;

export interface ListSecretsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListSecretsAnswer = SecretList;

export type SetSecretBody = SetSecretRequest;

export type SetSecretAnswer = Secret;

export type ReadSecretAnswer = Secret;

export type RemoveSecretAnswer = Secret;

export interface ListContainersQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListContainersAnswer = ContainerList;

export type ReadContainerLogsAnswer = ContainerLogs;

export interface KillContainerBody { [name: string]: never }

export type KillContainerAnswer = Container;

export interface ListSandboxesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListSandboxesAnswer = SandboxList;

export type PutSandboxBody = PutSandboxRequest;

export type PutSandboxAnswer = SandboxPut;

export type ReadSandboxAnswer = SandboxWhole;

export type RemoveSandboxAnswer = Removed;

export type SignSandboxBody = SignSandboxRequest;

export type SignSandboxAnswer = SandboxWhole;

export interface ListRegistrarKeysQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListRegistrarKeysAnswer = RegistrarKeyList;

export type AddRegistrarKeyBody = AddRegistrarKeyRequest;

export type AddRegistrarKeyAnswer = RegistrarKey;

export interface RetireRegistrarKeyBody { [name: string]: never }

export type RetireRegistrarKeyAnswer = RegistrarKey;

export interface RevokeRegistrarKeyBody { [name: string]: never }

export type RevokeRegistrarKeyAnswer = RegistrarKey;

export interface ListImagesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListImagesAnswer = ImageList;

export type CreateImageBody = CreateImageRequest;

export type CreateImageAnswer = Image;

export type ReadImageAnswer = Image;

export type RemoveImageAnswer = Removed;

export type ReadImageLogAnswer = ImageLog;

export interface ListExecutionProfilesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListExecutionProfilesAnswer = ProfileList;

export type CreateExecutionProfileBody = CreateExecutionProfileRequest;

export type CreateExecutionProfileAnswer = ProfilePut;

export type ReadExecutionProfileAnswer = Profile;

export type RemoveExecutionProfileAnswer = Removed;

export interface ListSkillsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListSkillsAnswer = SkillList;

export type PutSkillBody = PutSkillRequest;

export type PutSkillAnswer = SkillPut;

export type ReadSkillAnswer = SkillWhole;

export type RemoveSkillAnswer = Removed;

export type ListToolsAnswer = ToolList;

export type ApplyToolsBody = ApplyToolsRequest;

export type ApplyToolsAnswer = ToolsApplied;

export type ReadToolAnswer = Tool;

export type RemoveToolAnswer = Removed;

export type ImportOpenApiBody = ImportOpenApiRequest;

export type ImportOpenApiAnswer = ApiImported;

export interface ListMcpServersQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListMcpServersAnswer = McpServerList;

export type ReadMcpServerAnswer = McpServer;

export interface RefreshMcpServerBody { [name: string]: never }

export type RefreshMcpServerAnswer = McpServer;

export interface ListMcpServerToolsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: McpToolState;
}

export type ListMcpServerToolsAnswer = McpServerToolList;

export type AcceptMcpServerToolsBody = AcceptMcpServerToolsRequest;

export type AcceptMcpServerToolsAnswer = McpToolDecision;

export type RefuseMcpServerToolsBody = RefuseMcpServerToolsRequest;

export type RefuseMcpServerToolsAnswer = McpToolDecision;

export interface AskMcpConnectionBody { [name: string]: never }

export type AskMcpConnectionAnswer = McpConnectionLink;

export interface ListMcpConnectionsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListMcpConnectionsAnswer = McpConnectionList;

export interface AskListingMcpConnectionBody { [name: string]: never }

export type AskListingMcpConnectionAnswer = McpConnectionLink;

export type ReadMcpConnectionAnswer = McpConnection;

export type EndMcpConnectionAnswer = McpConnection;

export interface ListChannelsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListChannelsAnswer = ChannelList;

export type CreateChannelBody = CreateChannelRequest;

export type CreateChannelAnswer = Channel;

export type ReadChannelAnswer = Channel;

export type ChangeChannelBody = ChangeChannelRequest;

export type ChangeChannelAnswer = Channel;

export type DeleteChannelAnswer = Channel;

export interface ListWebhooksQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListWebhooksAnswer = WebhookList;

export type CreateWebhookBody = CreateWebhookRequest;

export type CreateWebhookAnswer = NewWebhook;

export type RotateWebhookSecretBody = RotateWebhookSecretRequest;

export type RotateWebhookSecretAnswer = NewWebhook;

export interface PingWebhookBody { [name: string]: never }

export type PingWebhookAnswer = Delivery;

export interface ListDeliveriesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: DeliveryState;
}

export type ListDeliveriesAnswer = DeliveryList;

export interface RedeliverBody { [name: string]: never }

export type RedeliverAnswer = Delivery;

export type ReadWebhookAnswer = Webhook;

export type ChangeWebhookBody = ChangeWebhookRequest;

export type ChangeWebhookAnswer = Webhook;

export type DeleteWebhookAnswer = Webhook;

export type ReadSignaturesAnswer = Signatures;

export interface ReadInclusionQuery {
  /** of the record, as in its receipt */
  leaf_index: number;
}

export type ReadInclusionAnswer = Inclusion;

export interface ReadConsistencyQuery {
  /** the smaller tree size */
  from: number;
  /** the larger one, at most the newest checkpoint's */
  to: number;
}

export type ReadConsistencyAnswer = Consistency;

export interface ExportRecordsQuery {
  format?: ExportRecordsFormat;
  /** the leaf index of the last line that was read; default: from the beginning */
  after?: number;
  /** most records to export */
  limit?: number;
  /** whether to continue with new records as they are logged, with an empty line as a heartbeat; otherwise the export ends where the log ended at its start */
  follow?: boolean;
}

export interface ExportBundleQuery {
  /** the session whose operations to export; instead of a range */
  session?: string;
  /** milliseconds since the epoch; default: from the beginning */
  since?: number;
  /** milliseconds since the epoch, exclusive; default: to the end */
  until?: number;
}

export interface ListRecordsQuery {
  /** the id of an agent: `agt_…` */
  agent?: string;
  tool?: string;
  session?: string;
  /** the id of an operation: `op_…` */
  operation?: string;
  type?: ListRecordsType;
  verdict?: Verdict;
  outcome?: TxOutcome;
  risk_min?: number;
  risk_max?: number;
  /** recorded then or later */
  since?: string;
  /** recorded before */
  until?: string;
  /** an id in the record: workspace, token, policy set, image, approval, created snapshot or delta, changed subject; a `*` at its end matches a prefix */
  resource?: string;
  /** words of rule ids, fault code, risk basis and change; all must match, and joined words such as `policy.denied` must be adjacent */
  text?: string;
  order?: ListRecordsOrder;
  /** rows of a page; default: 50 */
  limit?: number;
  /** `next_cursor` of the page before, with the same filters */
  cursor?: string;
}

export type ListRecordsAnswer = RecordPage;

export type ReadRecordAnswer = RecordEntry;

export type ReadHealthAnswer = Health;

export type ReadReadinessAnswer = Readiness;

export type ReadDocumentAnswer = {
  [name: string]: unknown;
};

export type ReadPublicKeysAnswer = PublicKeys;

export type ReadProtectedResourceAnswer = ProtectedResource;

export type ReadProtectedMcpResourceAnswer = ProtectedResource;
