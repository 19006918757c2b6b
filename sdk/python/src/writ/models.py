# SPDX-License-Identifier: Apache-2.0
# Generated from the API by `node tools/with-node.mjs tools/src/sdk/main.ts`.
from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, Union

from pydantic import Field

from ._model import OPEN, ApiObject

ApprovalOf: TypeAlias = Annotated[Literal["action", "effect", "value"], OPEN]
"""what a person approves: the action, or exactly the effect shown; value: the call waits for one, and a person gives it"""
ApprovalOrder: TypeAlias = Annotated[Literal["newest", "oldest", "expires", "risk"], OPEN]
ApprovalPreviewState: TypeAlias = Annotated[Literal["none", "waiting", "running", "ready", "failed", "abandoned"], OPEN]
"""ready: the effect is staged, and is what an approval approves; failed: the call would not have committed, or nothing ran it; none: the call has none"""
ListApprovalsState: TypeAlias = Annotated[Literal["pending", "approved", "denied", "expired", "cancelled", "superseded"], OPEN]
AutonomyMode: TypeAlias = Annotated[Literal["autopilot", "soft_gate", "escalated", "no_go"], OPEN]
CallState: TypeAlias = Annotated[Literal["proposed", "admitted", "refused", "held", "dispatched", "performing", "performed", "committed", "rolled_back", "no_op", "ambiguous"], OPEN]
CallOutcome: TypeAlias = Annotated[Literal["ok", "refused", "failed", "held", "running", "unknown"], OPEN]
SchedulingClass: TypeAlias = Annotated[Literal["interactive", "background", "maintenance"], OPEN]
TxOutcome: TypeAlias = Annotated[Literal["committed", "rolled_back", "no_op", "ambiguous"], OPEN]
Verdict: TypeAlias = Annotated[Literal["admitted", "refused", "held"], OPEN]
ApprovalVotedItemSays: TypeAlias = Annotated[Literal["approve", "deny"], OPEN]
Dialect: TypeAlias = Annotated[Literal["blocks", "tools-xml", "yips", "openai", "openai-responses", "anthropic", "gemini"], OPEN]
"""the format of the model's output; for a provider, the body of its response or stream"""
CatalogueMode: TypeAlias = Annotated[Literal["all", "search"], OPEN]
"""`search`: the list has only tools that find and describe the others; `all` by default"""
FreezeScope: TypeAlias = Annotated[Literal["tenant", "agent", "tool", "all"], OPEN]
FaultCode: TypeAlias = Annotated[Literal["request.malformed", "query.invalid", "route.unknown", "request.too_large", "request.unsupported_media_type", "request.wrong_host", "request.method_not_allowed", "auth.missing", "auth.invalid", "auth.role", "auth.csrf", "auth.insufficient_scope", "auth.issuer_unavailable", "rate.limited", "queue.full", "not_found", "conflict", "tool.unknown", "tool.not_available", "tool.changed", "args.invalid", "args.too_large", "path.invalid", "path.escape", "idempotency.missing", "idempotency.mismatch", "idempotency.expired", "deadline", "token.unknown", "token.not_yet_valid", "token.expired", "token.revoked", "token.agent", "token.tool", "token.scope", "path.denied", "token.not_narrower", "token.depth", "key.revoked", "budget.exhausted", "budget.period", "workspace.unknown", "policy.args_changed", "policy.unredactable", "policy.args_untyped", "policy.denied", "policy.error", "policy.invalid", "policy.unreadable", "approval.denied", "approval.expired", "approval.own_call", "approval.stale", "approval.previewed_anew", "approval.effect_unseen", "approval.voted", "approval.not_delegated", "approval.not_in_group", "approval.superseded", "value.missing", "secret.unknown", "resolution.own_call", "sandbox.unknown", "sandbox.unverified", "resource.unknown", "resource.exists", "agent.itself", "agent.conflict", "image.unknown", "image.not_ready", "image.unavailable", "image.not_allowed", "store.mismatch", "store.unavailable", "profile.unknown", "shell.unavailable", "sandbox.killed", "cancelled", "frozen", "egress.refused", "egress.failed", "api.refused", "api.failed", "mcp.definition_changed", "mcp.definition_gone", "mcp.unreachable", "mcp.busy", "mcp.refused", "mcp.failed", "mcp.protocol", "mcp.result_invalid", "mcp.unsupported", "mcp.consent_required", "mcp.consent_not_yours", "mcp.consent_failed", "mcp.token_unavailable", "mcp.authorization_unusable", "calendar.unusable", "calendar.refused", "calendar.unreadable", "mailbox.unusable", "mailbox.refused", "mailbox.not_private", "mailbox.folder_unknown", "mailbox.unreadable", "tenant.closed", "precondition.failed", "effect.out_of_scope", "workspace.conflict", "output.not_kept", "workspace.quota", "file.not_found", "file.kind", "file.too_large", "edit.no_match", "edit.ambiguous", "skill.unknown", "task.unknown", "search.pattern", "command.failed", "command.timeout", "command.too_long", "command.killed", "session.lost", "session.diverged", "session.busy", "session.idle", "session.conflict", "limit.exceeded", "effect.invalid", "secret.in_delta", "attempts.exhausted", "effect.ambiguous", "function.failed", "function.result_invalid", "permit.invalid", "permit.expired", "permit.spent", "attempt.fenced", "overloaded", "record.backlog", "record.invalid", "record.too_large", "receipt.pending", "ledger.diverged", "ledger.unavailable", "bus.unreachable", "database.unavailable", "blob.missing", "blob.corrupt", "sandbox.unavailable", "audio.unreadable", "audio.too_long", "transcription.model_unknown", "transcription.unavailable", "transcription.failed", "version.unsupported", "internal"], OPEN]
KeyRole: TypeAlias = Annotated[Literal["admin", "operator", "agent", "auditor", "worker"], OPEN]
PersonRole: TypeAlias = Annotated[Literal["admin", "operator", "agent", "auditor"], OPEN]
ApproverRole: TypeAlias = Annotated[Literal["operator", "admin"], OPEN]
ToolCategory: TypeAlias = Annotated[Literal["read", "write", "admin"], OPEN]
Enforcement: TypeAlias = Annotated[Literal["enforce", "observe"], OPEN]
HeldMode: TypeAlias = Annotated[Literal["soft_gate", "escalated"], OPEN]
StandingState: TypeAlias = Annotated[Literal["standing", "expired", "lifted"], OPEN]
DelegationState: TypeAlias = Annotated[Literal["standing", "expired", "revoked"], OPEN]
ErasureSelector: TypeAlias = Annotated[Literal["operation", "session", "subject", "before", "conversation", "ended"], OPEN]
ErasureState: TypeAlias = Annotated[Literal["running", "done"], OPEN]
PayloadMode: TypeAlias = Annotated[Literal["full", "hashes"], OPEN]
RequestsMode: TypeAlias = Annotated[Literal["full", "none"], OPEN]
ResourceKind: TypeAlias = Annotated[Literal["agent", "audio_device", "calendar", "container", "info_store", "mailbox", "mcp_server", "model", "profile", "sandbox", "search_engine", "skill", "task", "website"], OPEN]
ResourceRight: TypeAlias = Annotated[Literal["use", "create"], OPEN]
Clearance: TypeAlias = Annotated[Literal["autopilot", "soft_gate", "escalated"], OPEN]
Shell: TypeAlias = Annotated[Literal["Bash", "PowerShell", "CommandPrompt", "Git"], OPEN]
ImageState: TypeAlias = Annotated[Literal["waiting", "building", "ready", "failed"], OPEN]
McpConnectionState: TypeAlias = Annotated[Literal["asked", "confirmed", "exchanging", "connected", "failed", "ended"], OPEN]
McpToolState: TypeAlias = Annotated[Literal["new", "accepted", "changed", "gone", "refused"], OPEN]
SessionMode: TypeAlias = Annotated[Literal["interactive", "gateway", "scheduled"], OPEN]
SessionDialect: TypeAlias = Annotated[Literal["native", "blocks", "tools-xml", "yips"], OPEN]
ModelProviderName: TypeAlias = Annotated[Literal["openai", "anthropic", "gemini", "transcript"], OPEN]
RunState: TypeAlias = Annotated[Literal["queued", "running", "waiting", "ended"], OPEN]
"""`queued`: waits for earlier runs of its session; `waiting`: a call is held for a person, or a sub-agent has to end first"""
RunStopped: TypeAlias = Annotated[Literal["end", "limit", "length", "refusal", "malformed", "budget", "cancelled", "model_failed", "failed"], OPEN]
UsageBy: TypeAlias = Annotated[Literal["model", "session", "agent", "day"], OPEN]
JobConversation: TypeAlias = Annotated[Literal["fresh", "kept"], OPEN]
JobOverlap: TypeAlias = Annotated[Literal["skip", "queue", "allow"], OPEN]
JobMissed: TypeAlias = Annotated[Literal["skip", "run_once"], OPEN]
JobState: TypeAlias = Annotated[Literal["active", "paused"], OPEN]
JobStartState: TypeAlias = Annotated[Literal["queued", "started", "skipped", "missed", "failed"], OPEN]
WebhookState: TypeAlias = Annotated[Literal["active", "disabled"], OPEN]
WebhookEvent: TypeAlias = Annotated[Literal["approval.pending", "approval.voted", "approval.escalated", "approval.reminder", "approval.approved", "approval.denied", "approval.expired", "approval.cancelled", "approval.superseded", "operation.ambiguous", "operation.resolved", "mcp_server.tools_new", "mcp_server.tools_changed", "mcp_server.tools_gone", "mcp_server.failing", "mcp_server.recovered", "run.finished"], OPEN]
DeliveryState: TypeAlias = Annotated[Literal["pending", "delivered", "failed"], OPEN]
RuleChange: TypeAlias = Annotated[Literal["added", "removed", "changed"], OPEN]
FileChange: TypeAlias = Annotated[Literal["added", "deleted", "modified"], OPEN]
NoTextReason: TypeAlias = Annotated[Literal["binary", "too_long", "not_a_file"], OPEN]
ContentEncoding: TypeAlias = Annotated[Literal["utf8", "base64"], OPEN]
FileMode: TypeAlias = Annotated[Literal["644", "755"], OPEN]
IssuerProfile: TypeAlias = Annotated[Literal["oauth", "kubernetes"], OPEN]
"""how tokens are verified: `oauth`, access tokens; `kubernetes`, projected tokens of a cluster"""
WorkloadRole: TypeAlias = Annotated[Literal["agent", "auditor", "worker"], OPEN]
BudgetSubjectKind: TypeAlias = Annotated[Literal["tenant", "agent", "person", "group", "api_key"], OPEN]
BudgetPeriod: TypeAlias = Annotated[Literal["day", "month"], OPEN]
"""a calendar day or month in UTC"""
BudgetMeasure: TypeAlias = Annotated[Literal["calls", "llm_tokens", "cost"], OPEN]
"""calls: calls that were admitted; llm_tokens: tokens that models of runs read and wrote; cost: what they cost, in millionths of `currency`"""
CallUsageItemOutcome: TypeAlias = Annotated[Literal["refused", "committed", "rolled_back", "no_op", "ambiguous", "open"], OPEN]
"""how they ended; open: they have not"""
ResolutionOutcome: TypeAlias = Annotated[Literal["committed", "rolled_back"], OPEN]
"""whether the external effect happened, as the person found"""
McpServerQuestion: TypeAlias = Annotated[Literal["elicitation", "elicitation_url", "sampling", "roots"], OPEN]
ImportProblemOf: TypeAlias = Annotated[Literal["document", "options"], OPEN]
ModelTurnCallMode: TypeAlias = Annotated[Literal["stage", "apply"], OPEN]
"""stage: shown and kept as a change; apply: the staged change that `args.token` names"""
WebhookDisabledReason: TypeAlias = Annotated[Literal["asked", "gone", "failing"], OPEN]
"""`gone`: its server answered 410; `failing`: all attempts failed for five days"""
EmailTls: TypeAlias = Annotated[Literal["implicit", "starttls", "none"], OPEN]
"""`none` only for hosts that the operator allowed"""
ChannelKind: TypeAlias = Annotated[Literal["slack", "webhook", "teams", "email"], OPEN]
MemberKind: TypeAlias = Annotated[Literal["person", "service"], OPEN]
"""`person`: somebody who signed in; `service`: a service account, which decides about no call"""
MemberState: TypeAlias = Annotated[Literal["active", "suspended", "offboarded"], OPEN]
"""of whoever is not `active`, sessions, tokens and keys are refused"""
InvitationState: TypeAlias = Annotated[Literal["open", "accepted", "revoked", "expired"], OPEN]
"""an invitation that is not `open` is good for nothing"""
TokenSessionApprovalArgs: TypeAlias = Annotated[Literal["any", "same"], OPEN]
"""any: the token's roots are the paths that were approved; same: of a command, whose paths can't be known"""
PastDecisionOutcome: TypeAlias = Annotated[Literal["approved", "denied", "expired", "cancelled", "superseded"], OPEN]
"""how the approval ended; superseded: a person edited the call"""
BacktestPageEffectsSkippedForItemWhy: TypeAlias = Annotated[Literal["arguments_erased", "contents_gone", "set_unknown", "beyond_bounds"], OPEN]
GrantEffect: TypeAlias = Annotated[Literal["effect.lost_many", "effect.lost_series", "effect.history", "effect.binary_over_text", "effect.renamed_many", "effect.runs_later", "effect.read_wrote"], OPEN]
TenantState: TypeAlias = Annotated[Literal["open", "closed"], OPEN]
PolicyExplanationRuleEffect: TypeAlias = Annotated[Literal["permit", "forbid"], OPEN]
InfoStoreSettingsLabel: TypeAlias = Annotated[Literal["untrusted_content", "private_data"], OPEN]
"""the label that its contents add to a session"""
MailboxSettingsTls: TypeAlias = Annotated[Literal["implicit", "starttls"], OPEN]
ModelSettingsTask: TypeAlias = Annotated[Literal["embedding", "transcription"], OPEN]
ContainerKind: TypeAlias = Annotated[Literal["call", "preview", "session"], OPEN]
"""session: its shell, which outlives its calls"""
McpServerTransport: TypeAlias = Annotated[Literal["http", "stdio"], OPEN]
"""how it is reached: an address, or a program"""
RegistrarKeyState: TypeAlias = Annotated[Literal["active", "retired", "revoked"], OPEN]
"""retired: its signatures stay valid, and it signs nothing more; revoked: none of its signatures is valid"""
SkillPutChange: TypeAlias = Annotated[Literal["added", "changed", "unchanged"], OPEN]
SnapshotKind: TypeAlias = Annotated[Literal["created", "committed", "changed", "restored", "imported"], OPEN]
ToolClass: TypeAlias = Annotated[Literal["inline", "sandboxed", "broker", "function"], OPEN]
ToolFunctionMode: TypeAlias = Annotated[Literal["pull", "caller"], OPEN]
"""`pull`: a worker of the tenant takes permits; `caller`: the caller gets one and runs it itself"""
ToolHttpMethod: TypeAlias = Annotated[Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], OPEN]
ToolHttpInputIn: TypeAlias = Annotated[Literal["path", "query", "header"], OPEN]
ToolHttpInputStyle: TypeAlias = Annotated[Literal["simple", "form", "spaceDelimited", "pipeDelimited", "deepObject"], OPEN]
ToolHttpBodyMedia: TypeAlias = Annotated[Literal["application/json", "application/x-www-form-urlencoded"], OPEN]
ToolHttpCredentialIn: TypeAlias = Annotated[Literal["header", "query"], OPEN]
RunEventAnsweredAnswerStanding: TypeAlias = Annotated[Literal["completed", "failed", "denied", "timeout", "cancelled", "held", "queued", "executing"], OPEN]
RunEventModelFailedFault: TypeAlias = Annotated[Literal["rate_limited", "overloaded", "unavailable", "interrupted", "timeout", "malformed", "context_exceeded", "unauthorized", "invalid"], OPEN]
WhoamiKind: TypeAlias = Annotated[Literal["platform", "api_key", "access_token", "exchanged_token", "session", "workload"], OPEN]
"""what the request presented; platform: the key of the deployment, which belongs to no tenant; workload: a projected token of a Kubernetes cluster"""
SignInKind: TypeAlias = Annotated[Literal["browser", "device"], OPEN]
"""`device`: a program that a person approved in a browser"""
OauthErrorViewError: TypeAlias = Annotated[Literal["invalid_request", "invalid_client", "invalid_grant", "invalid_scope", "invalid_target", "unauthorized_client", "unsupported_grant_type", "authorization_pending", "slow_down", "access_denied", "expired_token"], OPEN]
ToolsAppliedToolChange: TypeAlias = Annotated[Literal["created", "changed", "unchanged"], OPEN]
ApiImportedOperationOutcome: TypeAlias = Annotated[Literal["tool", "excluded", "unusable"], OPEN]
TurnState: TypeAlias = Annotated[Literal["ended", "held", "under_way"], OPEN]
"""held: a person must decide; send the turn again after that"""
TurnStop: TypeAlias = Annotated[Literal["end", "tool_use", "length"], OPEN]
TurnProblemLevel: TypeAlias = Annotated[Literal["protocol", "call", "warning"], OPEN]
"""protocol: no call of the output ran; call: this call did not run; warning: all calls ran"""
TurnCallMode: TypeAlias = Annotated[Literal["run", "stage", "apply"], OPEN]
"""stage: stores a change, which is applied by its token; apply: applies such a change"""
TurnCallStanding: TypeAlias = Annotated[Literal["completed", "failed", "denied", "timeout", "cancelled", "held", "queued", "executing"], OPEN]
"""queued: it waits behind a held or running call"""
ChangeMemberRequestState: TypeAlias = Annotated[Literal["active", "suspended"], OPEN]
ReportFunctionRequestOutcomeWithMessageOutcome: TypeAlias = Annotated[Literal["failed", "unknown"], OPEN]
"""`failed`: nothing took effect, as the executor states; `unknown`: something may have"""
ReadOutputStream: TypeAlias = Annotated[Literal["stdout", "stderr"], OPEN]
"""default: `stdout`"""
ReadOutputFollow: TypeAlias = Annotated[Literal["", "true", "false"], OPEN]
"""the output of both streams while the command runs, as Server-Sent Events; `Last-Event-ID` resumes"""
ReadReceiptPhase: TypeAlias = Annotated[Literal["decision", "outcome", "resolution"], OPEN]
GroupApprovalsOrder: TypeAlias = Annotated[Literal["count", "expires"], OPEN]
"""the largest groups first, or those of which a call expires first; default: `count`"""
ApproveRequestScope: TypeAlias = Annotated[Literal["once", "session"], OPEN]
"""session: creates a session grant, a child of the call's token under which similar calls of its session run; default: once"""
GiveValueRequestScope: TypeAlias = Annotated[Literal["once", "session", "stored"], OPEN]
"""once: for one use; session: for this agent in this session, at most twelve hours; stored: as one of the tenant's secrets; default: once"""
CreateSessionRequestSessionMode: TypeAlias = Annotated[Literal["interactive", "gateway"], OPEN]
"""`gateway`: nobody can be asked, so a call that needs a person is refused, unless it applies a staged change; default: `interactive`"""
ApplyToolsRequestToolParametersValueType: TypeAlias = Annotated[Literal["string", "integer", "number", "boolean"], OPEN]
ApplyToolsRequestFunctionMode: TypeAlias = Annotated[Literal["pull", "caller", "inline"], OPEN]
"""`pull`: a worker of the tenant takes permits; `caller`: the caller gets one and runs it itself; `inline` is an older name of `caller`"""
ExportRecordsFormat: TypeAlias = Annotated[Literal["dsse", "receipt", "cloudevents", "ocsf"], OPEN]
"""`dsse`, the default: `{leaf_index, envelope}` with the signed envelope; `receipt`: the receipt for `writ verify`; `cloudevents`: CloudEvents 1.0; `ocsf`: OCSF 1.4.0, API Activity"""
ListRecordsType: TypeAlias = Annotated[Literal["tool_call", "approval", "token", "policy", "resolution", "erasure", "key", "workspace", "change"], OPEN]
ListRecordsOrder: TypeAlias = Annotated[Literal["newest", "oldest"], OPEN]
"""by the time of the record; default: `newest`"""


class PinnedKeySet(ApiObject):
    """the only public keys of the cluster (RFC 7517); null: those that it publishes"""
    keys: list[dict[str, Any]]


class WorkloadSettings(ApiObject):
    subject: str
    """the `sub` of its tokens: `system:serviceaccount:NAMESPACE:NAME`"""
    role: WorkloadRole
    agent_id: str | None = None
    tools: list[str] | None = None
    capability_token_id: str | None = None


class ApprovalVotes(ApiObject):
    given: int
    """distinct persons whose approval is valid"""
    needed: int
    """distinct persons who must approve"""
    role: ApproverRole
    """the lowest role whose approval counts"""


class OperationVotes(ApiObject):
    """of a call that is held: how many have approved it"""
    given: int
    """distinct persons whose approval is valid"""
    needed: int
    """distinct persons who must approve"""
    role: ApproverRole
    """the lowest role whose approval counts"""


class Budget(ApiObject):
    budget_id: str
    """the id of a budget: `bgt_…`"""
    subject: BudgetSubject
    period: BudgetPeriod
    measure: BudgetMeasure
    currency: str | None
    limit: int
    used: int
    """in the present period"""
    starts_at: int
    """when the present period began, in milliseconds since the epoch"""
    resets_at: int
    """when the next one begins, in milliseconds since the epoch"""
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that set it first"""
    changed_at: int
    """milliseconds since the epoch"""
    changed_by: str
    """the API key that set its limit last"""


class BudgetList(ApiObject):
    items: list[Budget]
    next_cursor: str | None


class BudgetSetting(ApiObject):
    subject: BudgetSubject
    period: BudgetPeriod
    measure: BudgetMeasure
    limit: int
    """the most that one period may use"""
    currency: str | None = None


class BudgetSubject(ApiObject):
    kind: BudgetSubjectKind
    id: str | None


class CallUsage(ApiObject):
    from_: str = Field(alias="from")
    """the first day"""
    to: str
    """the day after the last one"""
    by: list[str]
    items: list[CallUsageItem]
    next_cursor: str | None


class CallUsageItem(ApiObject):
    day: str | None
    agent_id: str | None
    person: str | None
    api_key_id: str | None
    tool_id: str | None
    outcome: CallUsageItemOutcome | None
    calls: int


class NewName(ApiObject):
    name: str
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""


class Removed(ApiObject):
    removed: str


class Budgets(ApiObject):
    calls: int | None = None
    cpu_ms: int | None = None
    wall_ms: int | None = None
    disk_write_bytes: int | None = None
    egress_bytes: int | None = None
    llm_tokens: int | None = None


class NetGrant(ApiObject):
    domain: str
    methods: list[str]
    ports: list[int] | None = None
    """the only ports; absent: 80 for http, 443 for https and `CONNECT`, and none for `TCP` and `TLS`, which need them named"""


class PathGrant(ApiObject):
    path: str
    read: bool
    write: bool
    denied: Literal[True] | None = None
    """nothing at or below it is reached, whatever other roots grant"""


class PolicyOfVerdict(ApiObject):
    policy_hash: str
    name: str
    enforcement: Enforcement


class VerdictChange(ApiObject):
    from_: AutonomyMode = Field(alias="from")
    to: AutonomyMode
    tool_id: str
    count: int


class VerdictChangeOfEffect(ApiObject):
    from_: AutonomyMode = Field(alias="from")
    to: AutonomyMode
    tool_id: str
    count: int


class Redaction(ApiObject):
    rule: str
    pointers: list[str]
    """JSON pointers into the result; `*` is every member and every item"""


class Replayed(ApiObject):
    verdict: Verdict
    mode: AutonomyMode
    decided: AutonomyMode
    rule_ids: list[str]
    reasons: list[Reason]
    """those of its rules first"""
    redactions: list[Redaction] | None = None
    """what it redacts of the result; absent: nothing"""


class SystemUserIds(ApiObject):
    uid: int
    gid: int


class SandboxLimits(ApiObject):
    wall_ms: int
    """the longest that a command may run"""
    memory_bytes: int


class McpServerByUrlCredentialWithHeader(ApiObject):
    secret: str
    """the name of a tenant's secret"""
    header: str | None = None
    """`authorization` by default"""
    prefix: str | None = None
    """before the secret, with its space; `Bearer ` by default"""


class McpServerByUrlCredentialWithOauth(ApiObject):
    oauth: McpServerByUrlCredentialWithOauthOauth


class McpServerByUrlCredentialWithOauthOauth(ApiObject):
    """OAuth 2.1, with authorization code and PKCE"""
    client_id: str
    """the id of the client that Writ is at the authorization server"""
    scopes: list[str]
    """the scopes that a person is asked for"""
    client_secret: str | None = None
    """the name of the tenant's secret that authenticates the client; takes `authorization_server`, and goes there alone"""
    authorization_server: str | None = None
    """its issuer, `https://host[:port]/path`; by default the one that the server names"""


class McpServerByUrl(ApiObject):
    transport: Literal["http"]
    """streamable HTTP"""
    url: str
    """the MCP endpoint: `https://host[:port]/path`"""
    credential: McpServerByUrlCredentialWithHeader | McpServerByUrlCredentialWithOauth | None = None
    calls_max: int | None = None
    """calls under way per executor; 8 by default"""
    asks: list[McpServerQuestion] | None = None
    """what it may ask of the client that calls it; absent: nothing"""


class McpServerByProgramEnvValueWithSecret(ApiObject):
    secret: str
    """the name of a tenant's secret"""


class McpServerByProgram(ApiObject):
    transport: Literal["stdio"]
    """a program, over its standard input and output"""
    command: list[str]
    """the program and its arguments: no shell reads them"""
    image: str | None = None
    """the name of the tenant's image that has the program; absent: the image of sandboxes"""
    env: dict[str, str | McpServerByProgramEnvValueWithSecret] | None = None
    """variables of the program, beside a few that every program has"""
    hosts: list[str] | None = None
    """hosts that it may reach during a call whose token grants them, too; absent: none"""
    memory_mb: int | None = None
    """of one process; 1024 by default"""
    calls_max: int | None = None
    """calls under way per executor; 8 by default"""
    asks: list[McpServerQuestion] | None = None
    """what it may ask of the client that calls it; absent: nothing"""


class LocalModel(ApiObject):
    kind: Literal["local"]
    model: str
    """a model that the executor has"""


class McpToolDefinition(ApiObject):
    name: str
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    title: str | None = None
    description: str | None = None
    output_schema: dict[str, Any] | None = Field(default=None, alias="outputSchema")
    annotations: dict[str, Any] | None = None


class ToolProblem(ApiObject):
    pointer: str
    """JSON pointer (RFC 6901) of the place in what was sent"""
    message: str
    help: str
    """what to do about it; empty where the message says it all"""


class DocumentProblem(ApiObject):
    pointer: str
    """JSON pointer of the place in what was sent"""
    message: str


class ImportProblem(ApiObject):
    pointer: str
    """JSON pointer of the place in the document"""
    of: ImportProblemOf
    message: str
    help: str
    """what to do about it; empty where the message says it all"""


class PublicKey(ApiObject):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str


class StoredOutput(ApiObject):
    bytes: int
    cut: bool
    """the command wrote more than is read of one command: the end of its output is missing"""


class ModelTurnCall(ApiObject):
    id: str
    tool_id: str
    args: dict[str, Any]
    problem: str | None = None
    """why it can't run, in words for the model, such as arguments that are no JSON object; this is its answer, and it is never proposed"""
    name: str | None = None
    """the tool's name as the model wrote it, if it is an alias"""
    mode: ModelTurnCallMode | None = None
    variables: list[str] | None = None
    """names of variables in its arguments that are not filled in yet"""
    show: ModelTurnCallShow | None = None


class ModelTurnCallShow(ApiObject):
    """how its answer is rendered"""
    chars_max: int | None = None
    legacy: Literal[True] | None = None
    warnings: list[str] | None = None
    """what was changed in its arguments before it ran"""


class ModelTurn(ApiObject):
    text: str
    calls: list[ModelTurnCall]
    stop: Annotated[Literal["end", "tool_use", "length", "refusal"], OPEN]
    problems: list[str] | None = None
    notes: list[str] | None = None
    """parts that were ignored, though the rest was parsed"""
    written: str | None = None
    """the reply as written, if the dialect is text: `text` is without its calls"""
    usage: ModelUsage | None = None


class ModelUsage(ApiObject):
    input_tokens: int
    cached_tokens: int
    output_tokens: int


class EmailDestination(ApiObject):
    """`username` and `password` go together"""
    host: str
    """the name of the SMTP server, or its IPv4 address"""
    port: int
    """mostly 465 for `implicit`, and 587 for `starttls`"""
    tls: EmailTls
    from_: str = Field(alias="from")
    """an address without a name, in ASCII: `name@example.org`"""
    to: list[str]
    username: str | None = None
    """in ASCII; absent: the server takes mails without signing in"""
    password: str | None = None
    """in ASCII: it is never shown"""


class EmailDestinationChange(ApiObject):
    """another `host`, `port`, `tls` or `username` takes the `password`, too"""
    host: str | None = None
    """the name of the SMTP server, or its IPv4 address"""
    port: int | None = None
    """mostly 465 for `implicit`, and 587 for `starttls`"""
    tls: EmailTls | None = None
    """`none` only for hosts that the operator allowed"""
    username: str | None = None
    """in ASCII; absent: the server takes mails without signing in"""
    password: str | None = None
    """in ASCII: it is never shown"""
    from_: str | None = Field(default=None, alias="from")
    """an address without a name, in ASCII: `name@example.org`"""
    to: list[str] | None = None


class EmailDestinationView(ApiObject):
    host: str
    """the name of the SMTP server, or its IPv4 address"""
    port: int
    """mostly 465 for `implicit`, and 587 for `starttls`"""
    tls: EmailTls
    from_: str = Field(alias="from")
    """an address without a name, in ASCII: `name@example.org`"""
    to: list[str]
    username: str | None


class TeamsDestination(ApiObject):
    url: str
    """the URL of the workflow with its signature: it is never shown"""


class TeamsDestinationView(ApiObject):
    origin: str
    """where the workflow's URL begins; the rest is secret"""


class WebhookDestination(ApiObject):
    url: str
    """the URL that each change is posted to"""


class WebhookDestinationView(ApiObject):
    url: str
    secret: str | None = None
    """the secret that signs messages, `whsec_…`: shown once, where the channel is created"""


class SlackConversation(ApiObject):
    conversation: str
    """the id of Slack's channel"""
    api_url: str
    """Slack's API"""


class SlackSettings(ApiObject):
    conversation: str
    """the id of Slack's channel, such as `C0123456789`: Slack shows it in the channel's details"""
    bot_token: str
    """the token of the bot, `xoxb-…`, with the scope `chat:write`: it is never shown"""
    api_url: str | None = None
    """`https://slack.com/api` unless given; of Slack's service for governments another one"""


class SlackChange(ApiObject):
    """another `api_url` takes the `bot_token`, too"""
    conversation: str | None = None
    """the id of Slack's channel, such as `C0123456789`: Slack shows it in the channel's details"""
    bot_token: str | None = None
    """the token of the bot, `xoxb-…`, with the scope `chat:write`: it is never shown"""
    api_url: str | None = None
    """`https://slack.com/api` unless given; of Slack's service for governments another one"""


class SpawnedBy(ApiObject):
    """for a sub-agent: its parent run (null for a call of a turn), and the call that started it"""
    run_id: str | None
    operation_id: str
    """the id of an operation: `op_…`"""


class ScopeRole(ApiObject):
    scope: str
    """a scope of the issuer"""
    role: PersonRole


class Member(ApiObject):
    member_id: str
    """the id of a member: `mbr_…`"""
    kind: MemberKind
    name: str | None
    person_id: str | None
    issuer: str | None
    subject: str | None
    role: PersonRole | None
    state: MemberState
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key, or the identity provider where the person signed in"""
    changed_at: int
    """milliseconds since the epoch"""
    changed_by: str


class MemberList(ApiObject):
    items: list[Member]
    next_cursor: str | None


class Invitation(ApiObject):
    invitation_id: str
    """the id of an invitation: `inv_…`"""
    email: str | None
    subject: str | None
    provider: str | None
    role: PersonRole
    """becomes the role of the member who accepts it"""
    state: InvitationState
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key, by whose right the role is given"""
    expires_at: int
    """milliseconds since the epoch"""
    accepted_at: int | None
    member_id: str | None
    revoked_at: int | None
    revoked_by: str | None


class NewInvitation(ApiObject):
    invitation_id: str
    """the id of an invitation: `inv_…`"""
    email: str | None
    subject: str | None
    provider: str | None
    role: PersonRole
    """becomes the role of the member who accepts it"""
    state: InvitationState
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key, by whose right the role is given"""
    expires_at: int
    """milliseconds since the epoch"""
    accepted_at: int | None
    member_id: str | None
    revoked_at: int | None
    revoked_by: str | None
    link: str
    """for the person alone: shown once and not stored"""


class InvitationList(ApiObject):
    items: list[Invitation]
    next_cursor: str | None


class SignInClient(ApiObject):
    """how people sign in at the issuer in a browser; null: nobody does"""
    client_id: str
    """the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration"""


class GroupRole(ApiObject):
    group: str
    """a group, exactly as the issuer writes it"""
    role: PersonRole


class PermitProof(ApiObject):
    permit: Envelope
    nonce: str
    """random, made once per permit; the same one may redeem again, since a reply can be lost"""


class McpMessage(ApiObject):
    jsonrpc: Literal["2.0"]
    id: str | float | None = None
    method: str | None = None
    params: dict[str, Any] | None = None
    result: Any = None
    error: Any = None


class JobSettings(ApiObject):
    name: str
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    cron: str
    """five fields (minute, hour, day, month, weekday), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`"""
    workspace_id: str
    capability_token_id: str
    """the token of the agent, from which the token of the runs is derived"""
    input: str
    model: str
    """one of `/v1/models`"""
    time_zone: str | None = None
    """an IANA time zone for the fields; default: `UTC`"""
    tools: list[str] | None = None
    """the mutating tools that its runs may use; listing an administrative tool approves it"""
    system: str | None = None
    """text at the end of the system prompt"""
    data_subject: str | None = None
    """your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it"""
    dialect: SessionDialect | None = None
    """how the model writes its calls; default: `native`, the provider's format"""
    conversation: JobConversation | None = None
    """`fresh`: each run begins a new conversation; `kept`: all runs continue one"""
    overlap: JobOverlap | None = None
    """handling of a start while a run of the job has not ended; default: `skip`"""
    missed: JobMissed | None = None
    """handling of due times at which no orchestrator was running: none, or one run for all; default: `skip`"""
    scheduling_class: SchedulingClass | None = None
    """when calls of its runs are served among the waiting calls of the tenant; default: `background`"""
    rounds_max: int | None = None
    """most replies of the model; default: 20, in `yips` 6"""
    tokens_max: int | None = None
    """most tokens, input and output together"""
    cost_max: int | None = None
    """most that it may cost, in millionths of the model's currency"""


class DiffFile(ApiObject):
    path: str
    change: FileChange
    before: FileState | None
    after: FileState | None
    added_lines: int | None
    removed_lines: int | None
    text: str | None
    why_no_text: NoTextReason | None


class ApproverGroup(ApiObject):
    name: str
    """what policies call the group"""
    description: str
    members: list[str]
    """the persons, sorted"""
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key"""
    changed_at: int
    """milliseconds since the epoch"""
    changed_by: str
    """the API key"""


class ApproverGroupList(ApiObject):
    items: list[ApproverGroup]
    next_cursor: str | None


class ApproverDemand(ApiObject):
    any_of: list[str]
    """the groups; a person of any of them counts"""
    count: int
    """how many distinct persons of them must approve"""


class ApproverDemandCount(ApiObject):
    any_of: list[str]
    """the groups; a person of any of them counts"""
    count: int
    """how many distinct persons of them must approve"""
    given: int
    """how many of them have approved"""


class ApprovalBinding(ApiObject):
    """what an approval binds to; it counts once"""
    action_digest: str
    """with the snapshot left out"""
    effect_digest: str | None
    policy_hash: str
    expires_at: int
    """milliseconds since the epoch"""


class ApprovalPreview(ApiObject):
    state: ApprovalPreviewState
    why: str | None
    round: int
    """2 once an effect went stale and was shown anew"""
    base_snapshot_id: str | None
    changes: list[Change] | None
    changes_total: int | None
    exit_code: int | None
    output: Any
    """the tool's result; null where it is too long to show"""
    would_ask_for: list[ApprovalPreviewWouldAskForItem]
    """with any of these the approval is of the action: the preview did not have them, so the effect may differ"""
    used: Budgets | None


class ApprovalPreviewWouldAskForItem(ApiObject):
    kind: Annotated[Literal["egress", "secret"], OPEN]
    what: str


class ApprovalVotedItem(ApiObject):
    vote_id: str
    """the id of a vote: `vot_…`"""
    says: ApprovalVotedItemSays
    principal: str
    """the person whose vote it is"""
    role: ApproverRole
    """the right that was used"""
    cast_by: str
    """the API key that gave it"""
    cast_as: str
    """the person of that key: another than `principal` if the right was delegated"""
    delegation_id: str | None
    effect_digest: str | None
    stands: bool
    """whether it applies to the current subject of the approval, and its right was not revoked"""
    comment: str | None
    record_id: str | None
    created_at: int
    """milliseconds since the epoch"""


class ApprovalYou(ApiObject):
    """what you may decide now; it is checked again when you decide, under the policy of then"""
    may_approve: bool
    """whether your approval of what is shown would count now, by your own right"""
    may_deny: bool
    """whether you may deny it now, by your own right"""
    why: list[Reason]
    """why you may not: the code and the words with which your decision would be refused; empty where you may do both"""
    delegations: list[str]
    """delegations with which your approval would count now"""
    voted: ApprovalVotedItemSays | None
    """what you have decided about what is shown, or somebody by your right; null: nothing that counts"""


class ApprovalStartedBy(ApiObject):
    """who and what began the work that the call belongs to, before any edit"""
    agent_id: str
    """the id of an agent: `agt_…`"""
    api_key_id: str
    """the API key or credential that proposed it; of a run the one on whose behalf it runs"""
    source: str | None = None
    """where the call came from: `api`, `mcp` or `run`; absent: it is not known"""
    principal: str | None = None
    """the person of that key; absent: it names none"""
    member_id: str | None = None
    """the member whose key it is; absent: of none"""
    run_id: str | None = None
    """the run that made it, of a sub-agent the run at the top; absent: no run did"""
    session_id: str | None = None
    """the session of that run; absent: no run made it, or the session was erased"""
    job: ApprovalStartedByJob | None = None


class ApprovalStartedByJob(ApiObject):
    """the job that the session belongs to; absent: none"""
    job_id: str
    """the id of a job: `job_…`"""
    name: str | None = None
    """absent: the job was deleted"""
    by_hand: bool | None = None
    """whether a person started the run; absent: it is not known any more"""
    due_at: int | None = None
    """when it was due, or was started by hand, in ms since the epoch; absent: it is not known any more"""


class ApprovalExpanded(ApiObject):
    """what `expand` names; null: it is not there for you"""
    operation: Operation | None = None


class Approval(ApiObject):
    approval_id: str
    """the id of an approval: `apr_…`"""
    operation_id: str
    """the id of an operation: `op_…`"""
    tool_id: str
    agent_id: str
    """the id of an agent: `agt_…`"""
    action_digest: str
    autonomy_mode: AutonomyMode
    of: ApprovalOf
    state: Annotated[Literal["pending", "approved", "denied", "expired", "cancelled", "superseded"], OPEN]
    binding: ApprovalBinding
    preview: ApprovalPreview
    votes: ApprovalVotes
    voted: list[ApprovalVotedItem]
    """the votes, oldest first"""
    reasons: list[Reason]
    args: Any
    """the arguments that would run, for the approver"""
    created_at: int
    """milliseconds since the epoch"""
    expires_at: int
    """milliseconds since the epoch"""
    decided_at: int | None
    decided_by: str | None
    comment: str | None
    unreadable: Literal[True] | None = None
    """what is stored of the call can not be read, so its arguments or its effect are null: it can be denied, and not approved"""
    session_token_id: str | None = None
    groups: list[ApproverDemandCount] | None = None
    """the groups that the policy reserves it for; absent: anybody of that role may decide"""
    escalated_to: list[str] | None = None
    """groups that it was offered to later, beside those; absent: none"""
    escalates_at: int | None = None
    """when it is offered to further groups; absent: never"""
    you: ApprovalYou | None = None
    started_by: ApprovalStartedBy | None = None
    expanded: ApprovalExpanded | None = None


class OperationErased(ApiObject):
    """where its content was erased: when, and by which record"""
    at: int
    """milliseconds since the epoch"""
    erasure_id: str
    """the id of an erasure: `ers_…`"""
    record_id: str
    """its record"""


class OperationExpanded(ApiObject):
    """what `expand` names; null: nothing is there, or not yet, or not for you"""
    result: ToolResult | None = None
    approval: Approval | None = None
    receipt: Receipt | None = None


class Operation(ApiObject):
    operation_id: str
    """the id of an operation: `op_…`"""
    state: CallState
    tool_id: str
    agent_id: str
    """the id of an agent: `agt_…`"""
    capability_token_id: str
    workspace_id: str | None
    session_id: str | None
    task_class: str
    autonomy_mode: AutonomyMode
    risk_score: float
    risk_basis: list[str]
    reasons: list[Reason]
    provenance: Provenance
    attempt: int
    replayed: bool
    """this answer is the original outcome of an idempotency key used again"""
    approval_id: str | None
    decision_record_id: str
    """the id of a record: `rec_…`"""
    outcome_record_id: str | None
    resolution: Resolution | None
    created_at: int
    """milliseconds since the epoch"""
    updated_at: int
    """milliseconds since the epoch"""
    result: ToolResult | None
    scheduling_class: SchedulingClass | None = None
    """when it is served among the waiting calls of its tenant"""
    votes: OperationVotes | None = None
    erased: OperationErased | None = None
    awaits: Literal["caller"] | None = None
    """its proposer is to run it: ask for its permit. Absent: somebody else runs it, or it has ended"""
    redactions: list[Redaction] | None = None
    """what rules of the policy redact of its result; absent: nothing"""
    expanded: OperationExpanded | None = None


class RunError(ApiObject):
    """why the model or the run failed"""
    fault: str
    message: str


class RunExpanded(ApiObject):
    """what `expand` names; null: it is not there for you"""
    session: Session | None = None


class Run(ApiObject):
    run_id: str
    """the id of a run: `run_…`"""
    session_id: str
    """the id of a session: `ses_…`"""
    model: str
    state: RunState
    stopped: RunStopped | None
    waits_for: list[str]
    """operations that a person has to decide"""
    cancel_asked: bool
    error: RunError | None
    events: int
    """how many events are stored, which is the last one's `seq`"""
    rounds: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: int | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key on whose behalf it makes its calls"""
    started_at: int | None
    ended_at: int | None
    expanded: RunExpanded | None = None


class TokenSessionApproval(ApiObject):
    approval_id: str
    """the id of an approval: `apr_…`"""
    operation_id: str
    """the id of an operation: `op_…`"""
    session_id: str
    """the only session it serves"""
    policy_hash: str
    args: TokenSessionApprovalArgs
    risk_max: float
    risk_basis: list[str]
    """a call that is risky for another reason is another call"""
    reasons: list[str]
    """codes of all that a person was shown: a call that is held for another reason is another call"""


class TokenJob(ApiObject):
    job_id: str
    """the id of a job: `job_…`"""
    tools: list[str]
    """tools by their whole names: a family would list what nobody has seen"""


class TokenExpanded(ApiObject):
    """what `expand` names; null: it is not there for you; `children` is the first page of the children of one token"""
    agent: Agent | None = None
    children: TokenList | None = None


class Token(ApiObject):
    v: Literal[1]
    capability_token_id: str
    """the id of a token: `cap_…`"""
    tenant_id: str
    """the id of a tenant: `ten_…`"""
    agent_id: str
    """the id of an agent: `agt_…`"""
    parent_id: str | None
    workspace_id: str | None
    """the only workspace it reaches; null: any of the tenant"""
    grant: Grant
    issuer: str
    """the API key that issued it"""
    created_at: int
    """milliseconds since the epoch, UTC"""
    revoked_at: int | None
    used: Budgets
    reserved: Budgets
    left: Budgets
    chain: list[str]
    """the way to it, root first, itself last"""
    revoked: bool
    """it, or one above it"""
    session_approval: TokenSessionApproval | None = None
    spawned_by: str | None = None
    """the committed call of `agent.spawn` that the kernel made it for"""
    job: TokenJob | None = None
    expanded: TokenExpanded | None = None


class TokenList(ApiObject):
    items: list[Token]
    next_cursor: str | None


class CallNotice(ApiObject):
    operation_id: str
    """the id of an operation: `op_…`"""
    approval_id: str | None
    agent_id: str
    """the id of an agent: `agt_…`"""
    tool_id: str
    workspace_id: str | None
    session_id: str | None
    action_digest: str | None
    autonomy_mode: AutonomyMode
    expires_at: int | None
    resolution: ResolutionOutcome | None


class McpServerNoticeTool(ApiObject):
    tool_id: str
    digest: str | None


class McpServerNotice(ApiObject):
    resource_id: str
    """the id of a resource: `res_…`"""
    server: str
    """its registered name"""
    problem: str | None
    count: int
    """how many tools it is about"""
    tools: list[McpServerNoticeTool]
    """the first of them, with the digests of the listed definitions"""


class RunFinished(ApiObject):
    run_id: str
    """the id of a run: `run_…`"""
    session_id: str
    """the id of a session: `ses_…`"""
    agent_id: str
    """the id of an agent: `agt_…`"""
    workspace_id: str
    spawned_by: SpawnedBy | None
    model: str
    state: RunState
    stopped: RunStopped | None
    fault: str | None
    rounds: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: int | None


class WebhookPing(ApiObject):
    webhook_id: str
    """the id of a webhook: `whk_…`"""


class Agent(ApiObject):
    agent_id: str
    """the id of an agent: `agt_…`"""
    name: str
    created_at: int
    """milliseconds since the epoch"""


class AgentList(ApiObject):
    items: list[Agent]
    next_cursor: str | None


class ApiKey(ApiObject):
    api_key_id: str
    """the id of an API key: `key_…`"""
    name: str
    role: KeyRole
    agent_id: str | None
    principal: str | None
    member_id: str | None
    tools: list[str] | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it, or `platform`"""
    revoked_at: int | None
    scopes: list[str] | None
    expires_at: int | None
    last_used_at: int | None
    rotated_at: int | None
    former_until: int | None


class ApiKeyList(ApiObject):
    items: list[ApiKey]
    next_cursor: str | None


class ApprovalBrief(ApiObject):
    approval_id: str
    """the id of an approval: `apr_…`"""
    operation_id: str
    """the id of an operation: `op_…`"""
    tool_id: str
    agent_id: str
    """the id of an agent: `agt_…`"""
    session_id: str | None
    workspace_id: str | None
    person_id: str | None
    autonomy_mode: AutonomyMode
    of: ApprovalOf
    state: Annotated[Literal["pending", "approved", "denied", "expired", "cancelled", "superseded"], OPEN]
    risk_score: float
    reason_codes: list[str]
    """codes of the reasons why it is held, such as ids of rules, the deciding one first; the approval has the texts"""
    preview: ApprovalPreviewState
    votes: ApprovalVotes
    alike: str
    """the calls of one tool, agent and autonomy mode that were held for the same reasons have the same"""
    created_at: int
    """milliseconds since the epoch"""
    expires_at: int
    """milliseconds since the epoch"""
    decided_at: int | None
    groups: list[ApproverDemandCount] | None = None
    """the groups that the policy reserves it for; absent: none"""
    escalated_to: list[str] | None = None
    """groups that it was offered to later, beside those; absent: none"""
    escalates_at: int | None = None
    """when it is offered to further groups; absent: never"""


class ApprovalBriefList(ApiObject):
    items: list[ApprovalBrief]
    next_cursor: str | None


class ApprovalGroup(ApiObject):
    alike: str
    """the calls of one tool, agent and autonomy mode that were held for the same reasons have the same"""
    tool_id: str
    agent_id: str
    """the id of an agent: `agt_…`"""
    autonomy_mode: AutonomyMode
    reason_codes: list[str]
    """codes of the reasons why they are held, the deciding one first"""
    count: int
    """how many wait"""
    created_at: int
    """when the oldest one was held, in milliseconds since the epoch"""
    expires_at: int
    """when the first one expires, in milliseconds since the epoch"""
    risk_score: float
    """the highest one"""


class ApprovalGroups(ApiObject):
    items: list[ApprovalGroup]
    waiting: int
    """calls that were counted, in all groups"""
    groups: int
    """their groups, of which the first 200 are shown"""
    complete: bool
    """false: more calls wait, and the 20000 that wait the longest were counted"""


class PastDecision(ApiObject):
    """how an approval of an earlier call of the same tool and agent ended"""
    approval_id: str
    """the id of an approval: `apr_…`"""
    operation_id: str
    """the id of an operation: `op_…`"""
    outcome: PastDecisionOutcome
    autonomy_mode: AutonomyMode
    decided_at: int
    """milliseconds since the epoch"""
    decided_by: str | None
    """the API key that decided it, or `kernel` for one that expired"""
    voters: list[str]
    """the persons whose votes decided it so, oldest first; empty where no vote did"""
    comment: str | None
    """what the person wrote who decided it; null: nothing, or it was erased"""
    held_for: list[str]
    """the codes of the reasons why it was held"""
    risk_score: float
    """of the call, from 0 to 1"""
    risk_basis: list[str]
    """ids of the risk rules that applied to the call"""


class PastDecisions(ApiObject):
    items: list[PastDecision]
    """of the calls that were proposed last, the newest call first"""


class ApprovalList(ApiObject):
    items: list[Approval]
    next_cursor: str | None


class Backtest(ApiObject):
    page: BacktestPage
    envelope: Envelope


class BacktestPageExample(ApiObject):
    operation_id: str
    """the id of an operation: `op_…`"""
    tool_id: str
    from_: AutonomyMode = Field(alias="from")
    to: AutonomyMode
    rule_ids: list[str]


class BacktestPageRedactions(ApiObject):
    changed: int
    examples: list[BacktestPageRedactionsExample]


class BacktestPageRedactionsExample(ApiObject):
    operation_id: str
    """the id of an operation: `op_…`"""
    tool_id: str
    from_: list[Redaction] = Field(alias="from")
    to: list[Redaction]


class BacktestPageEffects(ApiObject):
    judged: int
    """committed calls with changes about whose effects both sets were asked"""
    skipped: int
    """those about whose effects they were not"""
    skipped_for: list[BacktestPageEffectsSkippedForItem]
    without_series: int
    """effects judged alone, since the calls before them could not all be read"""
    changed: int
    changes: list[VerdictChangeOfEffect]
    """`autopilot`: the effect commits without anybody more than the call had"""
    examples: list[BacktestPageEffectsExample]


class BacktestPageEffectsSkippedForItem(ApiObject):
    why: BacktestPageEffectsSkippedForItemWhy
    count: int


class BacktestPageEffectsExample(ApiObject):
    operation_id: str
    """the id of an operation: `op_…`"""
    tool_id: str
    from_: AutonomyMode = Field(alias="from")
    to: AutonomyMode
    rule_ids: list[str]
    """what the candidate decides by"""
    findings: list[str]
    """rules on effects by which the candidate finds something"""
    findings_then: list[str]
    """the same of the set that was in force"""
    headline: str
    """what the effect does, as the stricter of both says it first"""


class BacktestPage(ApiObject):
    v: Literal[1]
    tenant_id: str
    """the id of a tenant: `ten_…`"""
    kernel_key_id: str
    candidate: PolicyOfVerdict
    since: int
    cursor: str | None
    next_cursor: str | None
    made_at: int
    examined: int
    skipped: int
    """operations that no policy was asked about, or whose arguments or set are gone"""
    changed: int
    changes: list[VerdictChange]
    examples: list[BacktestPageExample]
    redactions: BacktestPageRedactions | None = None
    effects: BacktestPageEffects | None = None


class Change(ApiObject):
    path: str
    """relative to the workspace, `/` between segments"""
    before: FileState | None
    after: FileState | None


class Delta(ApiObject):
    v: Literal[1]
    base: str
    changes: list[Change]


class EgressRequest(ApiObject):
    at_ms: int
    method: str
    target: str
    purpose: str
    outcome: Annotated[Literal["answered", "refused", "failed", "unreported"], OPEN]
    reason: str | None
    address: str | None
    status: int | None
    sent_bytes: int
    received_bytes: int


class EgressRequestPage(ApiObject):
    items: list[EgressRequest]
    next_cursor: str | None
    total: int
    hash: str | None


class EnvelopeSignature(ApiObject):
    keyid: str
    sig: str


class Envelope(ApiObject):
    payload_type: str = Field(alias="payloadType")
    payload: str
    signatures: list[EnvelopeSignature]


class ExecutionProfile(ApiObject):
    shells: list[Shell]
    """what may read a command"""
    workspace_id: str | None
    """the only workspace that it is for; null: any"""
    environment: dict[str, str]
    """variables that commands find; no secrets"""
    net: list[NetGrant]
    """hosts that a command may reach at most, where its token reaches them too"""
    limits: SandboxLimits
    user: str | SystemUserIds | None = None
    """the user that commands run as, never root; the user `sandbox` (10001) unless set"""
    image: str | None = None
    """the tenant's image that commands run in; that of the tool unless set"""


class FileState(ApiObject):
    kind: Annotated[Literal["file", "dir", "symlink"], OPEN]
    mode: Annotated[Literal["644", "755"], OPEN] | None
    """files only, else null"""
    sha256: str | None
    size: int


class Grant(ApiObject):
    tools: list[str]
    fs: list[PathGrant]
    net: list[NetGrant]
    secrets: list[str]
    budgets: Budgets
    not_before: int
    """milliseconds since the epoch, UTC"""
    expires_at: int
    """milliseconds since the epoch, UTC"""
    profiles: list[str] | None = None
    """execution profiles that raw commands may run under; absent: none"""
    resources: list[str] | None = None
    """registered resources of the kinds that a token must list; absent: none"""
    effects: list[GrantEffect] | None = None
    """rules on effects whose findings need no person under this token; absent: none"""


class Health(ApiObject):
    status: Literal["ok"]


class Inclusion(ApiObject):
    leaf_index: int
    tree_size: int
    hashes: list[str]
    checkpoint: str
    """C2SP signed note"""


class NewApiKey(ApiObject):
    api_key_id: str
    """the id of an API key: `key_…`"""
    name: str
    role: KeyRole
    agent_id: str | None
    principal: str | None
    member_id: str | None
    tools: list[str] | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it, or `platform`"""
    revoked_at: int | None
    scopes: list[str] | None
    expires_at: int | None
    last_used_at: int | None
    rotated_at: int | None
    former_until: int | None
    api_key: str
    """the key itself: shown once and not stored"""


class NewTenant(ApiObject):
    tenant_id: str
    """the id of a tenant: `ten_…`"""
    name: str
    api_key_id: str
    """the id of an API key: `key_…`"""
    api_key: str
    """the key of the first administrator: shown once and not stored"""


class Tenant(ApiObject):
    tenant_id: str
    """the id of a tenant: `ten_…`"""
    name: str
    state: TenantState
    created_at: int
    """milliseconds since the epoch"""
    closed_at: int | None
    closed_by: str | None
    close_reason: str | None


class TenantList(ApiObject):
    items: list[Tenant]
    next_cursor: str | None


class OperationExplanation(ApiObject):
    operation_id: str
    """the id of an operation: `op_…`"""
    policy_hash: str
    asked: bool
    """whether policy was evaluated at all"""
    why_not: str | None
    then: PolicyExplanation | None
    now: PolicyExplanation | None
    alike: bool | None


class OperationList(ApiObject):
    items: list[Operation]
    next_cursor: str | None


class PolicyActivation(ApiObject):
    policy_hash: str
    name: str
    version: int | None
    enforcement: Enforcement
    seq: int
    """counts the tenant's activations; 0: none yet, so the default set is in force"""
    activated_by: str | None
    at: int | None
    note: str | None


class PolicyActivationList(ApiObject):
    items: list[PolicyActivation]
    next_cursor: str | None


class PolicyDiffRule(ApiObject):
    id: str
    change: RuleChange
    before: str | None
    after: str | None


class PolicyDiffHistoryItem(ApiObject):
    id: str
    change: RuleChange
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class PolicyDiffSetting(ApiObject):
    pointer: str
    before: str | float | None
    after: str | float | None


class PolicyDiff(ApiObject):
    from_: PolicySet = Field(alias="from")
    to: PolicySet
    rules: list[PolicyDiffRule]
    """of the text, as Cedar"""
    history: list[PolicyDiffHistoryItem]
    settings: list[PolicyDiffSetting]
    """thresholds, quorums, times to live, enforcement, name"""


class PolicyExplanationBetterWithItem(ApiObject):
    with_: str = Field(alias="with")
    mode: AutonomyMode


class PolicyExplanationRule(ApiObject):
    id: str
    effect: PolicyExplanationRuleEffect
    text: str


class PolicyExplanation(ApiObject):
    policy: PolicyOfVerdict
    mode: AutonomyMode
    decided: AutonomyMode
    rule_ids: list[str]
    reasons: list[Reason]
    would_pass: list[str]
    """what would have let it pass with less supervision"""
    better_with: list[PolicyExplanationBetterWithItem]
    """single changes of the call, each decided anew"""
    rules: list[PolicyExplanationRule]
    errors: list[str]


class PolicyPage(ApiObject):
    active: PolicyActivation
    shipped: list[PolicySet]
    items: list[PolicySet]
    """stored by the tenant, newest first"""
    next_cursor: str | None


class PolicyProblem(ApiObject):
    pointer: str
    """JSON pointer of the place in the document; `/cedar` for what is wrong in the rules"""
    line: int | None
    column: int | None
    message: str
    help: str
    """what to do about it; empty where the message says it all"""


class PolicyPut(ApiObject):
    valid: bool
    problems: list[PolicyProblem]
    """everything that is wrong"""
    warnings: list[PolicyProblem]
    """what is allowed but odd"""
    policy: PolicySet | None


class PolicySchema(ApiObject):
    version: int
    """goes into every policy hash"""
    cedar: str
    """the Cedar schema that rules are checked against"""
    document: dict[str, Any]
    """JSON Schema of the document"""


class PolicySet(ApiObject):
    policy_hash: str
    name: str
    version: int | None
    description: str
    enforcement: Enforcement
    active: bool
    """whether it is in force now"""
    shipped: bool
    """whether every tenant has it"""
    created_by: str | None
    created_at: int | None


class PolicySetWhole(ApiObject):
    policy_hash: str
    name: str
    version: int | None
    description: str
    enforcement: Enforcement
    active: bool
    """whether it is in force now"""
    shipped: bool
    """whether every tenant has it"""
    created_by: str | None
    created_at: int | None
    document: dict[str, Any]


class PolicyTemplateListItem(ApiObject):
    id: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the parameters"""


class PolicyTemplateList(ApiObject):
    items: list[PolicyTemplateListItem]


class PreconditionRef(ApiObject):
    kind: Annotated[Literal["snapshot", "path", "external_version", "staged"], OPEN]
    ref: str
    version: str


class Problem(ApiObject):
    type: str
    """`https://writ.dev/errors/<code>`; the page is `docs/errors/<code>.md`"""
    title: str
    """the short name of this kind of fault; the same in every occurrence"""
    status: int
    detail: str
    """what failed, where, and what to do"""
    code: str
    """the fault code"""
    retry: Annotated[Literal["never", "later", "same-key"], OPEN]
    """never: the same request fails again; later: nothing happened, try again; same-key: it may have happened, ask again with the same idempotency key"""
    instance: str
    """this occurrence: `urn:writ:request:<request id>`"""
    pointer: str | None = None
    """JSON pointer (RFC 6901) to the place in the body"""
    problems: list[PolicyProblem] | None = None
    """for an invalid policy set: all of its errors"""


class CallSettings(ApiObject):
    allowed_paths: list[str]
    """what calls of the tenant may reach, whatever their tokens grant"""
    denied_paths: list[str]
    """what no call of the tenant reaches, whatever is allowed or granted"""
    output_bytes: int
    """most bytes of the output of a command in its result; 200000 unless set"""
    command_ms: int | None
    tool_command_ms: dict[str, int]
    """the same for single tools, in place of `command_ms`"""
    changed_at: int | None


class Provenance(ApiObject):
    source: str | None = None
    run_id: str | None = None
    model: str | None = None
    dialect: str | None = None
    session_id: str | None = None
    turn: str | None = None
    parent_operation_id: str | None = None
    client: str | None = None
    """the name of the program that calls, in its own words"""
    claimed_model: str | None = None
    """the model that the caller says it drives"""


class PublicKeysRecordKey(ApiObject):
    keyid: str
    jwk: dict[str, Any]
    not_before: int | None = None
    """when it was published; default: no lower bound, in milliseconds since the epoch"""
    not_after: int | None = None
    """the latest time of a record that it signed; default: no upper bound, in milliseconds since the epoch"""
    revoked_from: int | None = None
    """from when its signatures are not trusted; only for a revoked key, in milliseconds since the epoch"""


class PublicKeys(ApiObject):
    record_keys: list[PublicKeysRecordKey]
    log_keys: list[str]
    revoked_log_keys: list[str] | None = None


class Readiness(ApiObject):
    ready: bool
    checks: dict[str, str]


class Reason(ApiObject):
    code: str
    """a fault code or a rule id"""
    message: str


class Receipt(ApiObject):
    media_type: Literal["application/vnd.writ.receipt.v1+json"]
    envelope: Envelope
    inclusion: Inclusion


class ReceiptState(ApiObject):
    state: Annotated[Literal["logged", "pending"], OPEN]
    record_id: str
    """the id of a record: `rec_…`"""
    href: str
    """path of the receipt under the API"""
    leaf_index: int | None
    tree_size: int | None


class RecordEntry(ApiObject):
    leaf_index: int
    tree_size: int
    """records of the log, by the checkpoint of its receipt"""
    statement: dict[str, Any]
    """the in-toto Statement v1 that was signed; its `predicate` is the record"""
    receipt: str
    """where its receipt is"""


class RecordPageItem(ApiObject):
    leaf_index: int
    """its place in the tenant's log"""
    recorded_at: int
    """milliseconds since the epoch"""
    record_id: str
    type: str
    """the record's `kind`"""
    phase: str | None
    operation_id: str | None
    agent_id: str | None
    tool_id: str | None
    session_id: str | None
    verdict: str | None
    outcome: str | None
    fault_code: str | None
    risk_score: float | None
    is_drawn: bool
    """false for a record of a version that this ledger does not know: what it says is not in the index"""


class RecordPage(ApiObject):
    items: list[RecordPageItem]
    next_cursor: str | None
    indexed_to: int
    """records of the log that the index holds: the first so many"""
    tree_size: int
    """records of the log, by its newest checkpoint"""


class Resolution(ApiObject):
    outcome: ResolutionOutcome
    note: str
    """how they know"""
    resolved_at: int
    """milliseconds since the epoch"""
    resolved_by: str
    """the API key of that person"""
    record_id: str
    """the id of a record: `rec_…`"""


class NewResourceAudioDevice(ApiObject):
    kind: Literal["audio_device"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: AudioDeviceSettings


class NewResourceCalendar(ApiObject):
    kind: Literal["calendar"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: CalendarSettings


class NewResourceContainer(ApiObject):
    kind: Literal["container"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: ContainerSettings


class NewResourceInfoStore(ApiObject):
    kind: Literal["info_store"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: InfoStoreSettings


class NewResourceMailbox(ApiObject):
    kind: Literal["mailbox"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: MailboxSettings


class NewResourceMcpServer(ApiObject):
    kind: Literal["mcp_server"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: McpServerByUrl | McpServerByProgram


class NewResourceModel(ApiObject):
    kind: Literal["model"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: ModelSettings


class NewResourceSearchEngine(ApiObject):
    kind: Literal["search_engine"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: SearchEngineSettings


class NewResourceWebsite(ApiObject):
    kind: Literal["website"]
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    settings: WebsiteSettings


class Resource(ApiObject):
    resource_id: str
    """the id of a resource: `res_…`"""
    kind: ResourceKind
    name: str
    """unique within its kind; for an agent its id"""
    owner_agent_id: str | None
    settings: dict[str, Any] | None
    digest: str | None
    version: int
    """counts changes of the settings"""
    created_by: str | None
    created_at: int
    updated_at: int


class ResourceList(ApiObject):
    items: list[Resource]
    next_cursor: str | None


class ResourceGrant(ApiObject):
    resource_grant_id: str
    """the id of a resource grant: `rgr_…`"""
    kind: ResourceKind
    resource_id: str | None
    """null: every resource of the kind; the only value for `create`"""
    right: ResourceRight
    agent_id: str | None
    """null: every agent of the tenant"""
    clearance: Clearance
    name: str | None
    created_by: str
    """the API key that set it last; `kernel` for those of a new tenant"""
    created_at: int


class ResourceGrantList(ApiObject):
    items: list[ResourceGrant]
    next_cursor: str | None


class ModelProviderOpenai(ApiObject):
    kind: Literal["openai"]
    url: str
    """`https://host[:port]/path`"""
    model: str
    """the provider's name of the model"""
    secret: str | None = None
    """the name of a tenant's secret"""


class AudioDeviceGap(ApiObject):
    from_: int = Field(alias="from")
    """the start, in milliseconds since the epoch"""
    to: int
    """the end, in milliseconds since the epoch"""


class AudioDevice(ApiObject):
    resource_id: str
    """the id of a resource: `res_…`"""
    name: str
    retention_seconds: int
    buffer_bytes: int
    next_seq: int
    """the number of the frame that the device sends next"""
    frames: int
    """frames that are kept"""
    bytes: int
    """bytes of the samples that are kept"""
    from_: int | None = Field(alias="from")
    to: int | None
    gaps: list[AudioDeviceGap]
    """times between the newest frames that the device did not send, the newest first"""


class FramesReceived(ApiObject):
    resource_id: str
    """the id of a resource: `res_…`"""
    stored: int
    """frames of this upload that are stored"""
    repeated: int
    """frames that were sent before, and were ignored"""
    next_seq: int
    """the number of the frame that the device sends next"""
    recorded_until: int | None


class AudioDeviceSettings(ApiObject):
    retention_seconds: int
    """how long uploaded audio is kept"""
    buffer_bytes: int
    """the size of its ring buffer"""
    uploader: str | None = None
    """the agent whose API keys upload for the device; absent: operators and administrators alone do"""


class CalendarSettingsIcs(ApiObject):
    kind: Literal["ics"]
    url: str
    """`https://host[:port]/path`"""
    secret: str | None = None
    """the name of a tenant's secret"""


class CalendarSettingsCaldav(ApiObject):
    kind: Literal["caldav"]
    url: str
    """`https://host[:port]/path`"""
    username: str
    """of the account"""
    secret: str
    """the name of a tenant's secret"""


class ContainerSettings(ApiObject):
    workspace_id: str | None
    """the workspace that its shell works in; null: that of the call"""


class InfoStoreSettingsBackendLocal(ApiObject):
    kind: Literal["local"]


class InfoStoreSettingsBackendChroma(ApiObject):
    kind: Literal["chroma"]
    url: str
    """`https://host[:port]/path`"""
    collection: str
    """the name of the collection"""
    secret: str | None = None
    """the name of a tenant's secret"""


class InfoStoreSettingsEmbeddingOpenai(ApiObject):
    kind: Literal["openai"]
    url: str
    """`https://host[:port]/path`"""
    model: str
    """the provider's name of the model"""
    dimensions: int
    """the length of the model's vectors"""
    secret: str | None = None
    """the name of a tenant's secret"""


class InfoStoreSettings(ApiObject):
    backend: InfoStoreSettingsBackendLocal | InfoStoreSettingsBackendChroma
    label: InfoStoreSettingsLabel
    embedding: LocalModel | InfoStoreSettingsEmbeddingOpenai | None = None
    """absent: full-text search only"""
    text_config: str | None = None
    """the Postgres text search configuration; `simple` by default"""


class MailboxSettings(ApiObject):
    host: str
    """the IMAP server"""
    port: int
    tls: MailboxSettingsTls
    username: str
    """of the account"""
    secret: str
    """the name of a tenant's secret"""
    address: str
    """the address that drafts are from"""
    drafts: str | None = None
    """the folder of drafts; absent: the one that the server marks `\\Drafts`"""


class ModelSettings(ApiObject):
    task: ModelSettingsTask
    provider: ModelProvider


class SearchEngineSettings(ApiObject):
    kind: Literal["searxng"]
    """any server that answers `GET <url>/search?q=…&format=json` like SearXNG"""
    url: str
    """`https://host[:port]/path`"""


class WebsiteSettings(ApiObject):
    url: str
    """`https://host[:port]/path`"""


class ExternalVersion(ApiObject):
    external_version_id: str
    """the id of an external version: `xvr_…`"""
    ref: str
    """a name, such as `deployment:shop/production`"""
    version: str
    """printable ASCII; what it means is between whoever sets and whoever names it"""
    created_at: int
    """milliseconds since the epoch"""
    updated_at: int
    """milliseconds since the epoch"""
    updated_by: str
    """the API key that set this version"""


class ExternalVersionList(ApiObject):
    items: list[ExternalVersion]
    next_cursor: str | None


class ResultError(ApiObject):
    code: str
    message: str
    hint: str | None


class Container(ApiObject):
    container_id: str
    kind: ContainerKind
    tenant_id: str
    """the id of a tenant: `ten_…`"""
    agent_id: str
    """the id of an agent: `agt_…`"""
    workspace_id: str | None
    session_id: str | None
    resource_id: str | None
    operation_id: str | None
    tool_id: str
    executor_id: str
    image_digest: str | None
    created_at: int
    """when the call was proposed, or the shell opened"""


class ContainerList(ApiObject):
    items: list[Container]
    next_cursor: str | None


class ContainerLogs(ApiObject):
    container_id: str
    output: str
    """the end of the output; bytes that are no UTF-8 show as U+FFFD"""
    output_bytes: int
    """size of the output so far"""
    withheld: bool
    """a call with secrets shows no output while it runs"""


class Image(ApiObject):
    image_id: str
    """the id of an image: `img_…`"""
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    source: ImageSource
    digest: str
    """hex SHA-256 of the source, RFC 8785"""
    tools: list[str]
    """tools whose calls run in it; profiles and programs name their image themselves"""
    state: ImageState
    image_digest: str | None
    """what calls run in, as in their permits and records; null until it is ready"""
    problem: str | None
    """why it failed"""
    created_by: str
    """the API key"""
    created_at: int
    updated_at: int


class McpServerAbout(ApiObject):
    """the server's own words, from the last listing that succeeded"""
    protocol: str
    """the revision of MCP that was spoken"""
    name: str
    version: str


class McpServerProblem(ApiObject):
    """why the last attempt failed; null: it did not"""
    code: FaultCode
    message: str
    """without anything that the server sent, or shown as its words"""


class McpServerOauth(ApiObject):
    """each call has the rights of its person"""
    client_id: str
    scopes: list[str]
    issuer: str | None
    listed_by: str | None
    redirect_uri: str | None = None
    """of the client: register it at the authorization server"""


class McpServerSkippedItem(ApiObject):
    name: str
    problem: str


class McpServerTools(ApiObject):
    """how many there are in each state"""
    new: int
    accepted: int
    changed: int
    gone: int
    refused: int


class McpServer(ApiObject):
    resource_id: str
    """the id of a resource: `res_…`"""
    name: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    transport: McpServerTransport
    url: str | None
    command: list[str] | None
    about: McpServerAbout | None
    checked_at: int | None
    due_at: int
    """when they are listed again"""
    problem: McpServerProblem | None
    skipped: list[McpServerSkippedItem]
    """tools that the server listed and that can not be used"""
    tools: McpServerTools
    oauth: McpServerOauth | None = None


class McpServerList(ApiObject):
    items: list[McpServer]
    next_cursor: str | None


class McpServerToolSeen(ApiObject):
    """as the server lists it; null: it lists it no more"""
    digest: str
    definition: McpToolDefinition


class McpServerToolAccepted(ApiObject):
    """as an administrator accepted it last; null: never"""
    digest: str
    definition: McpToolDefinition


class McpServerTool(ApiObject):
    server: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    remote_name: str
    tool_id: str
    state: McpToolState
    seen: McpServerToolSeen | None
    accepted: McpServerToolAccepted | None
    problems: list[ToolProblem]
    """why the definition that was seen can not be accepted"""
    suggested: ToolCategory
    """the category that its hints speak for"""
    category: ToolCategory | None
    category_then: ToolCategory
    """the category that it has once it is accepted without one: never a less strict one"""
    seen_at: int
    decided_by: str | None
    decided_at: int | None


class McpServerToolList(ApiObject):
    items: list[McpServerTool]
    next_cursor: str | None


class McpToolDecisionTool(ApiObject):
    remote_name: str
    tool_id: str
    state: McpToolState


class McpToolDecision(ApiObject):
    tools: list[McpToolDecisionTool]


class ImageList(ApiObject):
    items: list[Image]
    next_cursor: str | None


class ImageLog(ApiObject):
    state: ImageState
    log: str
    """the end of what the builder and the package managers wrote"""


class ImageSourceWithReference(ApiObject):
    """an image of a registry"""
    reference: str
    """`registry/repository@sha256:…`"""


class ImageSourceWithDigest(ApiObject):
    """an image that the engines of the executors have"""
    digest: str
    """`sha256:…` of an image"""


class ImageSourceWithRecipe(ApiObject):
    """packages that are added to a base"""
    recipe: ImageSourceWithRecipeRecipe


class ImageSourceWithRecipeRecipe(ApiObject):
    base: str | None = None
    """the image that the packages are added to; null: the sandbox image of the deployment"""
    debian: list[ImageSourceWithRecipeRecipeDebianItem] | None = None
    """of Debian"""
    npm: list[ImageSourceWithRecipeRecipeNpmItem] | None = None
    """of the npm registry, installed globally"""
    pip: list[ImageSourceWithRecipeRecipePipItem] | None = None
    """of a Python index"""


class ImageSourceWithRecipeRecipeDebianItem(ApiObject):
    name: str
    """the name of one package"""
    version: str
    """one exact version"""


class ImageSourceWithRecipeRecipeNpmItem(ApiObject):
    name: str
    """the name of one package"""
    version: str
    """one exact version"""


class ImageSourceWithRecipeRecipePipItem(ApiObject):
    name: str
    """the name of one package"""
    version: str
    """one exact version"""


class Profile(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    definition: ExecutionProfile
    digest: str
    created_by: str
    """the API key"""
    created_at: int


class ProfileList(ApiObject):
    items: list[Profile]
    next_cursor: str | None


class ProfilePut(ApiObject):
    valid: bool
    problems: list[DocumentProblem]
    profile: Profile | None


class RegistrarKey(ApiObject):
    keyid: str
    public_key: PublicKey
    note: str | None
    state: RegistrarKeyState
    created_by: str
    created_at: int
    ended_by: str | None
    ended_at: int | None


class RegistrarKeyList(ApiObject):
    items: list[RegistrarKey]
    next_cursor: str | None


class Sandbox(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    workspace_id: str
    definition_digest: str
    keyid: str | None
    signed_at: int | None
    updated_by: str
    """the API key"""
    created_at: int
    updated_at: int


class SandboxList(ApiObject):
    items: list[Sandbox]
    next_cursor: str | None


class SandboxPut(ApiObject):
    valid: bool
    problems: list[DocumentProblem]
    sandbox: Sandbox | None


class SandboxWhole(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    workspace_id: str
    definition_digest: str
    keyid: str | None
    signed_at: int | None
    updated_by: str
    """the API key"""
    created_at: int
    updated_at: int
    tenant_id: str
    """a signature names it"""
    definition: dict[str, Any]
    """workspace_id, rules, enabled_templates, fragments"""
    environment: dict[str, str] | None
    digest: str | None
    problem: str | None


class Secret(ApiObject):
    name: str
    version: int
    """one more each time that a value is set"""
    note: str | None
    created_by: str
    """the API key that set the value"""
    created_at: int


class SecretList(ApiObject):
    items: list[Secret]
    next_cursor: str | None


class SimulationApprovers(ApiObject):
    count: int
    role: ApproverRole
    groups: list[ApproverDemand] | None = None
    """absent: the policy reserves it for none"""


class Simulation(ApiObject):
    simulated: Literal[True]
    would_be: Verdict
    error: ResultError | None
    autonomy_mode: AutonomyMode
    risk_score: float
    risk_basis: list[str]
    reasons: list[Reason]
    approvers: SimulationApprovers | None
    labels: list[str]
    """of its session and workspace"""
    explanation: PolicyExplanation | None
    warnings: list[PolicyProblem] | None = None
    """what is odd about the set, such as rules that can never apply; absent where an older kernel answers"""


class Skill(ApiObject):
    name: str
    """one to 64 small letters and digits, with single `-` between them"""
    description: str
    """what it is for, in a line"""
    digest: str
    """of the version, over all of its files"""
    files: int
    bytes: int
    """of all files of the version"""
    updated_by: str
    """the API key"""
    updated_at: int


class SkillList(ApiObject):
    items: list[Skill]
    next_cursor: str | None


class SkillPut(ApiObject):
    valid: bool
    problems: list[DocumentProblem]
    change: SkillPutChange | None
    skill: Skill | None


class SkillWholeFile(ApiObject):
    path: str
    sha256: str
    size: int


class SkillWholeVersion(ApiObject):
    digest: str
    bytes: int
    created_by: str
    """the API key"""
    created_at: int


class SkillWhole(ApiObject):
    name: str
    """one to 64 small letters and digits, with single `-` between them"""
    description: str
    """what it is for, in a line"""
    digest: str
    """of the version, over all of its files"""
    files: list[SkillWholeFile]
    bytes: int
    """of all files of the version"""
    updated_by: str
    """the API key"""
    updated_at: int
    versions: list[SkillWholeVersion]


class Snapshot(ApiObject):
    seq: int
    """how many states came before it"""
    snapshot_id: str
    parent_snapshot_id: str | None
    delta_id: str | None
    kind: SnapshotKind
    operation_id: str | None
    tool_id: str | None
    made_by: str | None
    created_at: int
    """milliseconds since the epoch"""


class SnapshotList(ApiObject):
    items: list[Snapshot]
    next_cursor: str | None


class ToolFunction(ApiObject):
    """of a function that a process of the tenant runs"""
    mode: ToolFunctionMode
    idempotent: bool
    """whether a lost attempt may be repeated under the same operation id; else it ends as ambiguous"""
    applied_by: str
    applied_at: int


class ToolHttp(ApiObject):
    """of an operation of an HTTP API"""
    method: ToolHttpMethod
    server: str
    """the base address, without a query"""
    path: str
    """with `{name}` for inputs in the path"""
    inputs: list[ToolHttpInput]
    body: ToolHttpBody | None
    idempotency_header: str | None
    credentials: list[ToolHttpCredential]
    """where the values of secrets are sent, with the names of the secrets"""
    applied_by: str
    applied_at: int


class ToolHttpInput(ApiObject):
    argument: str
    name: str
    in_: ToolHttpInputIn = Field(alias="in")
    style: ToolHttpInputStyle
    explode: bool


class ToolHttpBody(ApiObject):
    argument: str
    media: ToolHttpBodyMedia


class ToolHttpCredential(ApiObject):
    in_: ToolHttpCredentialIn = Field(alias="in")
    name: str
    secret: str


class ToolMcp(ApiObject):
    """of a tool of an MCP server"""
    server: str
    server_digest: str
    remote_name: str
    remote_digest: str
    annotations: dict[str, Any]
    """the server's own hints on what the tool does: nothing relies on them"""
    applied_by: str
    applied_at: int


class ToolCli(ApiObject):
    cmd: str
    args: list[str]
    optional_args: list[ToolCliOptionalArg]
    env: list[ToolCliEnvItem]
    """the variables that it declares, by name, with the secrets in them"""
    applied_by: str
    applied_at: int


class ToolCliOptionalArg(ApiObject):
    parameter: str
    args: list[str]


class ToolCliEnvItem(ApiObject):
    name: str
    secrets: list[str]


class Tool(ApiObject):
    tool_id: str
    version: int
    description: str
    category: Annotated[Literal["read", "write", "admin"], OPEN]
    class_: ToolClass = Field(alias="class")
    mutating: bool
    parameters: dict[str, Any]
    """JSON Schema of the arguments"""
    result: dict[str, Any]
    """JSON Schema of the result"""
    limits: dict[str, int]
    definition_digest: str
    """SHA-256 of the definition, as in records"""
    function: ToolFunction | None = None
    http: ToolHttp | None = None
    mcp: ToolMcp | None = None
    cli: ToolCli | None = None


class ToolCallProvenance(ApiObject):
    dialect: str | None = None
    session_id: str | None = None
    turn: str | None = None
    parent_operation_id: str | None = None
    client: str | None = None
    """the name of the program that calls, in its own words"""
    claimed_model: str | None = None
    """the model that the caller says it drives"""


class ToolCall(ApiObject):
    tool_id: str
    args: dict[str, Any]
    """arguments that match the tool's `parameters`"""
    agent_id: str | None = None
    """the id of an agent: `agt_…`"""
    capability_token_id: str | None = None
    """default: the only usable one of the agent"""
    workspace_id: str | None = None
    """default: the token's; for a token of no workspace, the only one of the tenant"""
    idempotency_key: str | None = None
    precondition_refs: list[PreconditionRef] | None = None
    provenance: ToolCallProvenance | None = None
    task_class: str | None = None
    """what the call is for, for policies. If its first word is `interactive`, `background` or `maintenance`, it is also the scheduling class; otherwise a scheduled session is background and others are interactive"""
    deadline: int | None = None
    """milliseconds since the epoch"""
    dry_run: bool | None = None
    session_id: str | None = None
    data_subject: str | None = None
    """an id of your own for the person whose data the call holds, so that it can be erased by it; its agent by default"""
    retention: Literal["hashes"] | None = None
    """erases the call's content within minutes of its end; the tenant's own retention by default"""
    session_mode: SessionMode | None = None
    max_autonomy: AutonomyMode | None = None


class ToolList(ApiObject):
    items: list[Tool]


class ToolResultResultRef(ApiObject):
    sha256: str
    size: int


class ToolResultWholeOutput(ApiObject):
    """of a command whose output the result cuts; absent for all others"""
    href: str
    """path under the API; `?stream=stderr` gives the other stream"""
    stdout: StoredOutput
    stderr: StoredOutput
    expires_at: int | None


class ToolResult(ApiObject):
    v: Literal[1]
    operation_id: str
    """the id of an operation: `op_…`"""
    tool_id: str
    agent_id: str
    """the id of an agent: `agt_…`"""
    workspace_id: str | None
    status: Annotated[Literal["ok", "error"], OPEN]
    state_snapshot_id: str | None
    new_snapshot_id: str | None
    result: Any
    """the tool's result; with an error too, such as a failed command's output"""
    result_ref: ToolResultResultRef | None
    result_hash: str | None
    error: ResultError | None
    reasons: list[Reason]
    provenance: Provenance
    task_class: str
    autonomy_mode: AutonomyMode
    risk_score: float
    tx_outcome: TxOutcome
    commit_delta_id: str | None
    receipt: ReceiptState | None
    whole_output: ToolResultWholeOutput | None = None


class Tree(ApiObject):
    workspace_id: str
    """the id of a workspace: `wsp_…`"""
    snapshot_id: str
    path: str
    entries: list[TreeEntry]
    next_cursor: str | None


class TreeEntry(ApiObject):
    path: str
    state: FileState


class ModelPrices(ApiObject):
    """millionths of the currency for a million tokens"""
    input: int
    cached: int
    output: int


class Model(ApiObject):
    name: str
    """its name for sessions"""
    provider: ModelProviderName
    model: str
    """its name at the provider"""
    prices: ModelPrices | None
    currency: str | None
    context_tokens_max: int | None


class ModelList(ApiObject):
    items: list[Model]


class RunEventReplied(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["replied"]
    turn: ModelTurn


class RunEventAnswered(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["answered"]
    round: int
    index: int
    """index of the call in the reply, from 0"""
    answer: RunEventAnsweredAnswer


class RunEventAnsweredAnswer(ApiObject):
    text: str
    standing: RunEventAnsweredAnswerStanding
    is_error: bool
    outcome: RunEventAnsweredAnswerOutcome | None = None
    operation_id: str | None = None
    """the operation of the call; absent if it was refused before it became one"""
    below: RunEventAnsweredAnswerBelow | None = None


class RunEventAnsweredAnswerOutcome(ApiObject):
    result: Any
    error: RunEventAnsweredAnswerOutcomeError | None
    metadata: dict[str, Any] | None = None


class RunEventAnsweredAnswerOutcomeError(ApiObject):
    code: str
    message: str
    hint: str | None = None


class RunEventAnsweredAnswerBelow(ApiObject):
    """of a sub-agent: its run, and the usage of that and those below it"""
    run_id: str
    tokens: int
    cost: int


class RunEventHeld(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["held"]
    round: int
    index: int
    """index of the call in the reply, from 0"""
    held: RunEventHeldHeld


class RunEventHeldHeld(ApiObject):
    operation_id: str
    waits_for: Annotated[Literal["approval", "value", "run"], OPEN]
    text: str
    """the text about it for the model and for people"""
    run_id: str | None = None
    """the sub-agent's run, which has to end first"""


class RunEventExplained(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["explained"]
    round: int
    turn: ModelTurn


class RunEventResumed(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["resumed"]


class RunEventCompacted(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["compacted"]
    until: int
    summary: str
    usage: ModelUsage | None = None


class RunEventModelFailed(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["model_failed"]
    fault: RunEventModelFailedFault
    message: str


class RunEventCancelled(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["cancelled"]
    by: str


class RunEventEnded(ApiObject):
    seq: int
    at: int
    """milliseconds since the epoch"""
    kind: Literal["ended"]
    stopped: RunStopped


class RunList(ApiObject):
    items: list[Run]
    next_cursor: str | None


class RunReplayPartsAt(ApiObject):
    """the first call of this page with another verdict; from there on the run would have diverged"""
    run_id: str
    """the id of a run: `run_…`"""
    round: int
    """0: the run's own read before its first round"""
    index: int


class RunReplayCounts(ApiObject):
    """counts of this page"""
    examined: int
    skipped: int
    """calls that could not be evaluated; `why_not` has the reason"""
    changed: int
    """calls with another autonomy mode"""
    would_be: RunReplayCountsWouldBe


class RunReplayCountsWouldBe(ApiObject):
    admitted: int
    held: int
    refused: int


class RunReplayItem(ApiObject):
    run_id: str
    """the id of a run: `run_…`"""
    round: int
    """0: the run's own read before its first round"""
    index: int
    tool_id: str
    operation_id: str | None
    was: Replayed | None
    would_be: Replayed | None
    why_not: str | None


class RunReplay(ApiObject):
    run_id: str
    """the id of a run: `run_…`"""
    candidate: PolicyOfVerdict
    next_cursor: str | None
    parts_at: RunReplayPartsAt | None
    counts: RunReplayCounts
    items: list[RunReplayItem]


class SessionForkedFrom(ApiObject):
    run_id: str
    """the id of a run: `run_…`"""
    after: int


class Session(ApiObject):
    session_id: str
    """the id of a session: `ses_…`"""
    name: str | None
    agent_id: str
    """the id of an agent: `agt_…`"""
    workspace_id: str
    capability_token_id: str
    dialect: str
    """how the model writes calls: `native`, the provider's format, or a text dialect"""
    model: str
    forked_from: SessionForkedFrom | None
    spawned_by: SpawnedBy | None
    job_id: str | None
    session_mode: SessionMode
    """of its calls: only in an interactive session can a person be asked"""
    scheduling_class: SchedulingClass | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it"""


class SessionList(ApiObject):
    items: list[Session]
    next_cursor: str | None


class TranscriptRun(ApiObject):
    run: Run
    input: str
    events: list[RunEvent]


class Transcript(ApiObject):
    v: Literal[1]
    session: Session
    runs: list[TranscriptRun]


class UsageItem(ApiObject):
    of: str | None
    model: str
    runs: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: int
    """millionths of the currency"""
    currency: str | None


class Usage(ApiObject):
    from_: int = Field(alias="from")
    """milliseconds since the epoch"""
    to: int
    """milliseconds since the epoch"""
    by: UsageBy
    items: list[UsageItem]


class Channel(ApiObject):
    channel_id: str
    """the id of a channel: `chn_…`"""
    name: str
    kind: ChannelKind
    state: WebhookState
    last_error: str | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it"""
    updated_at: int
    """milliseconds since the epoch"""
    slack: SlackConversation | None = None
    webhook: WebhookDestinationView | None = None
    teams: TeamsDestinationView | None = None
    email: EmailDestinationView | None = None


class ChannelList(ApiObject):
    items: list[Channel]
    next_cursor: str | None


class Delivery(ApiObject):
    delivery_id: str
    """the id of a delivery: `dlv_…`"""
    webhook_id: str
    """the id of a webhook: `whk_…`"""
    message_id: str
    """`webhook-id` of the message: the same in each attempt"""
    kind: str
    state: DeliveryState
    attempts: int
    next_at: int | None
    last_status: int | None
    last_error: str | None
    created_at: int
    """milliseconds since the epoch"""
    delivered_at: int | None


class DeliveryList(ApiObject):
    items: list[Delivery]
    next_cursor: str | None


class NewWebhook(ApiObject):
    webhook_id: str
    """the id of a webhook: `whk_…`"""
    name: str
    url: str
    events: list[str]
    state: WebhookState
    disabled_reason: WebhookDisabledReason | None
    failing_since: int | None
    old_until: int | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it"""
    updated_at: int
    """milliseconds since the epoch"""
    secret: str
    """the secret that signs messages, `whsec_…`: shown once"""


class Webhook(ApiObject):
    webhook_id: str
    """the id of a webhook: `whk_…`"""
    name: str
    url: str
    events: list[str]
    state: WebhookState
    disabled_reason: WebhookDisabledReason | None
    failing_since: int | None
    old_until: int | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it"""
    updated_at: int
    """milliseconds since the epoch"""


class WebhookList(ApiObject):
    items: list[Webhook]
    next_cursor: str | None


class Whoami(ApiObject):
    kind: WhoamiKind
    tenant_id: str | None
    api_key_id: str | None
    name: str | None
    role: KeyRole | None
    agent_id: str | None
    tools: list[str] | None
    scopes: list[str] | None
    capability_token_id: str | None
    principal: str | None
    member_id: str | None
    person_id: str | None
    expires_at: int | None


class Workspace(ApiObject):
    workspace_id: str
    """the id of a workspace: `wsp_…`"""
    name: str
    head_snapshot_id: str
    created_at: int
    """milliseconds since the epoch"""
    updated_at: int
    """milliseconds since the epoch"""


class WorkspaceList(ApiObject):
    items: list[Workspace]
    next_cursor: str | None


class WorkspaceLimits(ApiObject):
    workspace_id: str
    """the id of a workspace: `wsp_…`"""
    files_max: int | None
    bytes_max: int | None
    files: int | None
    bytes: int | None


class TenantLimits(ApiObject):
    tenant_id: str
    """the id of a tenant: `ten_…`"""
    requests_per_second: int | None
    request_burst: int | None
    weight: int
    """its share of the capacity while several tenants are active; 1 is the default"""
    running_max: int
    """calls that are with executors at once, over all replicas"""
    waiting_max: int
    """calls that wait for an executor, over all replicas; one more is `queue.full`"""
    changed_at: int | None
    files_max: int | None
    bytes_max: int | None
    outputs_bytes_max: int | None
    files: int | None
    bytes: int | None
    outputs_bytes: int
    """of whole outputs that are kept now"""
    person_requests_per_second: int | None = None
    person_request_burst: int | None = None


class Retention(ApiObject):
    payload_days: int | None
    output_days: int | None
    changed_at: int | None
    payload_mode: PayloadMode | None = None
    """full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is"""
    requests_mode: RequestsMode | None = None
    """full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is"""


class SignIn(ApiObject):
    sign_in_id: str
    """the id of a sign in: `sgn_…`"""
    kind: SignInKind
    client: str | None
    person_id: str
    """the pseudonym of the person"""
    provider: str
    """the name of the identity provider"""
    created_at: int
    """milliseconds since the epoch"""
    signed_in_at: int
    """when the person was at the identity provider"""
    seen_at: int
    """the last request, to the minute"""
    expires_at: int
    """when it ends in any case"""
    ended_at: int | None
    ended_by: str | None


class SignInList(ApiObject):
    items: list[SignIn]
    next_cursor: str | None


class OauthErrorView(ApiObject):
    error: OauthErrorViewError
    error_description: str | None = None
    """what failed, where, and what to do"""


class TokenAnswer(ApiObject):
    access_token: str
    """goes where an API key goes: `Authorization: Bearer <token>`"""
    token_type: Literal["Bearer"]
    expires_in: int
    """seconds"""
    refresh_token: str | None = None
    """for the grant `refresh_token`; a secret, too"""
    scope: str | None = None
    issued_token_type: str | None = None
    capability_token_id: str | None = None
    """of an exchange: calls name this capability token"""


class RevokedApiKeyRemains(ApiObject):
    """what the key created and what remains until it is removed"""
    capability_tokens: list[RevokedApiKeyRemainsCapabilityToken]
    """valid tokens that it issued, newest first"""
    jobs: list[RevokedApiKeyRemainsJob]
    """jobs that it created, newest first; those that ran on its behalf start no run until an administrator changes them"""
    more: bool
    """whether there are more than are listed"""


class RevokedApiKeyRemainsCapabilityToken(ApiObject):
    capability_token_id: str
    """the id of a token: `cap_…`"""
    agent_id: str
    """the id of an agent: `agt_…`"""
    expires_at: int
    """milliseconds since the epoch"""


class RevokedApiKeyRemainsJob(ApiObject):
    job_id: str
    """the id of a job: `job_…`"""
    name: str
    state: JobState


class RevokedApiKey(ApiObject):
    api_key_id: str
    """the id of an API key: `key_…`"""
    name: str
    role: KeyRole
    agent_id: str | None
    principal: str | None
    member_id: str | None
    tools: list[str] | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it, or `platform`"""
    revoked_at: int | None
    scopes: list[str] | None
    expires_at: int | None
    last_used_at: int | None
    rotated_at: int | None
    former_until: int | None
    remains: RevokedApiKeyRemains


class IdentityProviderWorkload(ApiObject):
    subject: str
    """the `sub` of its tokens: `system:serviceaccount:NAMESPACE:NAME`"""
    role: WorkloadRole
    agent_id: str | None
    tools: list[str] | None
    capability_token_id: str | None
    since: int
    """when it was registered as it is"""


class IdentityProvider(ApiObject):
    provider_id: str
    """the id of an identity provider: `idp_…`"""
    name: str
    issuer: str
    """the URL of the issuer, exactly as in `iss`"""
    audience: str
    """what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp`"""
    tenant_claim: str | None
    tenant_value: str | None
    scopes: list[ScopeRole]
    """which scope gives which role; empty: of a cluster"""
    groups_claim: str | None
    groups: list[GroupRole]
    """which group gives which role"""
    person_claim: str | None
    agent_id: str | None
    agent_claim: str | None
    sign_in: SignInClient | None
    profile: IssuerProfile
    workloads: list[IdentityProviderWorkload]
    pinned_keys: list[str] | None
    redirect_uri: str | None
    session_redirect_uri: str | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that registered it; `platform`: the platform key"""
    updated_at: int
    """milliseconds since the epoch"""
    removed_at: int | None


class IdentityProviderList(ApiObject):
    items: list[IdentityProvider]


class EndedCredentials(ApiObject):
    name: str
    revoked: list[str]
    """credentials that this request revoked"""
    more: bool
    """whether credentials are left to revoke: send the request again"""


class Person(ApiObject):
    person_id: str
    """the id of a person: `per_…`"""
    created_at: int
    """milliseconds since the epoch"""


class PersonForgotten(ApiObject):
    person_id: str
    """the id of a person: `per_…`"""
    forgotten: bool
    """whether nobody can tell any more whose it was; false while `more`"""
    revoked: list[str]
    """credentials that this request revoked"""
    more: bool
    """whether credentials are left to revoke: send the request again"""


class ProtectedResource(ApiObject):
    resource: str
    """what a token's `aud` must contain: RFC 8707"""
    scopes_supported: list[str]
    """scopes that give a role, unless the registration of the issuer names others"""
    bearer_methods_supported: list[Literal["header"]]
    resource_name: str
    authorization_servers: list[str] | None = None
    """issuers that the operator names; absent: ask your administrator"""


class DelegationScope(ApiObject):
    tools: list[str] | None
    agent_id: str | None
    autonomy_mode: HeldMode
    """the highest supervision that it applies to"""


class Delegation(ApiObject):
    delegation_id: str
    """the id of a delegation: `dlg_…`"""
    from_: str = Field(alias="from")
    """whose right it is: a vote by it counts as theirs"""
    role: ApproverRole
    """the right"""
    to: str
    """who may use it"""
    scope: DelegationScope
    note: str
    state: DelegationState
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that made it"""
    expires_at: int
    """milliseconds since the epoch"""
    revoked_at: int | None
    revoked_by: str | None


class DelegationList(ApiObject):
    items: list[Delegation]
    next_cursor: str | None


class ApprovalDiff(ApiObject):
    effect_digest: str
    """what an approval binds to"""
    base_snapshot_id: str
    files: list[DiffFile]
    files_total: int


class TextDiff(ApiObject):
    from_: str = Field(alias="from")
    """a snapshot"""
    to: str
    """a snapshot"""
    files: list[DiffFile]
    files_total: int
    """more than `files` where they are too many for one answer"""


class Freeze(ApiObject):
    freeze_id: str
    """the id of a freeze: `frz_…`"""
    scope: FreezeScope
    id: str | None
    state: StandingState
    reason: str
    placed_by: str
    """an API key, an agent, or `platform`"""
    created_at: int
    """milliseconds since the epoch"""
    expires_at: int | None
    lifted_at: int | None
    lifted_by: str | None


class FreezeList(ApiObject):
    items: list[Freeze]
    next_cursor: str | None


class Erasure(ApiObject):
    erasure_id: str
    """the id of an erasure: `ers_…`"""
    selector: ErasureSelector
    """conversation: the texts of a deleted session, without its calls; ended: calls of which only hashes stay"""
    operation_id: str | None
    session_id: str | None
    subject: str | None
    before: int | None
    reason_code: str
    state: ErasureState
    """running: the rest goes batch by batch, whatever dies meanwhile"""
    operations: int
    """calls whose content it has erased so far"""
    unfinished: int
    """calls that it passed over, because they had not ended"""
    records: int
    """its records: one per batch"""
    record_id: str | None
    requested_by: str
    """an API key, or `kernel` for what a retention period ended"""
    created_at: int
    """milliseconds since the epoch"""
    finished_at: int | None
    sessions: int | None = None
    """sessions that are gone with all that was said in them"""
    runs: int | None = None
    """runs that are gone of sessions which are there still"""


class ErasureList(ApiObject):
    items: list[Erasure]
    next_cursor: str | None


class Job(ApiObject):
    job_id: str
    """the id of a job: `job_…`"""
    name: str
    state: JobState
    cron: str
    time_zone: str
    due_at: int | None
    agent_id: str
    """the id of an agent: `agt_…`"""
    workspace_id: str
    capability_token_id: str
    run_token_id: str
    """the token of its runs, which grants the listed tools"""
    tools: list[str]
    input: str
    system: str | None
    model: str
    dialect: str
    conversation: JobConversation
    overlap: JobOverlap
    missed: JobMissed
    scheduling_class: SchedulingClass
    rounds_max: int | None
    tokens_max: int | None
    cost_max: int | None
    created_at: int
    """milliseconds since the epoch"""
    created_by: str
    """the API key that created it"""
    changed_at: int
    """milliseconds since the epoch"""
    changed_by: str
    """the API key on whose behalf its runs make their calls"""


class JobList(ApiObject):
    items: list[Job]
    next_cursor: str | None


class JobStart(ApiObject):
    start_id: str
    """the id of a job start: `jst_…`"""
    job_id: str
    """the id of a job: `job_…`"""
    due_at: int
    """milliseconds since the epoch"""
    by_hand: bool
    """whether it was requested, not due"""
    state: JobStartState
    """`queued`: waits for a run of the job; `skipped`: excluded by the overlap rule; `missed`: due while no orchestrator was running"""
    reason: str | None
    session_id: str | None
    run_id: str | None
    created_at: int
    """milliseconds since the epoch"""
    started_at: int | None


class JobStartList(ApiObject):
    items: list[JobStart]
    next_cursor: str | None


class McpConnectionProblem(ApiObject):
    """why it failed or ended, or why its token was not renewed"""
    code: FaultCode
    message: str
    """without anything that the server sent, or shown as its words"""


class McpConnection(ApiObject):
    connection_id: str
    """the id of a connection: `con_…`"""
    server: str
    """unique within its kind: up to 64 letters, digits, `_`, `-` and `.`"""
    state: McpConnectionState
    own: bool
    """whether it is the caller's own"""
    person: str | None
    lists: bool
    """whether the server's tools are listed with its rights"""
    scopes: list[str]
    """what was granted, as far as it is known; else what is asked for"""
    issuer: str | None
    problem: McpConnectionProblem | None
    created_at: int
    """milliseconds since the epoch"""
    expires_at: int | None
    connected_at: int | None
    used_at: int | None
    ended_at: int | None


class McpConnectionLink(ApiObject):
    connection_id: str
    """the id of a connection: `con_…`"""
    url: str
    """the page that the person opens in a browser"""
    expires_at: int
    """until when it is good, in milliseconds since the epoch"""


class McpConnectionList(ApiObject):
    items: list[McpConnection]
    next_cursor: str | None


class ToolsAppliedTool(ApiObject):
    tool_id: str
    version: int
    definition_digest: str
    change: ToolsAppliedToolChange


class ToolsApplied(ApiObject):
    valid: bool
    problems: list[ToolProblem]
    tools: list[ToolsAppliedTool]


class ApiImportedOperation(ApiObject):
    method: str
    path: str
    operation: str | None
    pointer: str
    tool_id: str | None
    """null: it was left out"""
    outcome: ApiImportedOperationOutcome


class ApiImported(ApiObject):
    title: str
    server: str | None
    operations: list[ApiImportedOperation]
    problems: list[ImportProblem]
    """why operations were left out"""
    notes: list[ImportProblem]
    """what of imported operations is not offered"""
    applied: ToolsApplied | None
    """the result for each tool; null: nothing was registered"""


class TakenPermit(ApiObject):
    permit: Envelope | None


class RedeemedPermit(ApiObject):
    operation_id: str
    """the id of an operation: `op_…`"""
    attempt: int
    tool_id: str
    tool_definition_digest: str
    args: dict[str, Any]
    idempotent: bool
    """whether another attempt with the same `operation_id` may follow if this one is lost"""
    timeout_ms: int
    lease_until: int
    """milliseconds since the epoch"""
    lease_ms: int
    """renew within a third of it"""


class RenewedLease(ApiObject):
    lease_until: int
    """milliseconds since the epoch"""
    stop: bool


class FunctionReported(ApiObject):
    state: str
    tx_outcome: str | None


class TurnProblem(ApiObject):
    level: TurnProblemLevel
    message: str
    call_id: str | None
    name: str | None
    at: int
    """position in the output, in UTF-16 units"""


class TurnCall(ApiObject):
    call_id: str
    """the model's own id, or one made from its position"""
    name: str
    """the name as the model wrote it"""
    tool_id: str
    args: dict[str, Any]
    """the tool's arguments"""
    mode: TurnCallMode
    standing: TurnCallStanding
    error: ResultError | None
    operation_id: str | None
    state: CallState | None
    approval_id: str | None
    replayed: bool
    """whether it was proposed before"""
    receipt: ReceiptState | None


class Turn(ApiObject):
    turn_id: str
    session_id: str
    dialect: Dialect
    state: TurnState
    text: str
    """the text for people"""
    stop: TurnStop | None
    problems: list[TurnProblem]
    calls: list[TurnCall]
    """in the order of the output"""
    messages: list[dict[str, Any]]
    """messages for the model, in the format of its provider"""


class Prompt(ApiObject):
    dialect: Dialect
    system: str
    """text for the system prompt"""
    tools: list[dict[str, Any]] | None


class SignaturesSignature(ApiObject):
    keyid: str
    """RFC 7638 thumbprint of the record key"""
    sig: str
    """base64"""


class Signatures(ApiObject):
    signatures: list[SignaturesSignature]


class Consistency(ApiObject):
    from_: int = Field(alias="from")
    to: int
    hashes: list[str]


class CloseTenantRequest(ApiObject):
    reason: str


class SetTenantLimitsRequest(ApiObject):
    requests_per_second: int | None = None
    request_burst: int | None = None
    person_requests_per_second: int | None = None
    person_request_burst: int | None = None
    weight: int | None = None
    """its share of the capacity while several tenants are active; 1 is the default"""
    running_max: int | None = None
    """calls that are with executors at once, over all replicas"""
    waiting_max: int | None = None
    """calls that wait for an executor, over all replicas; one more is `queue.full`"""
    files_max: int | None = None
    bytes_max: int | None = None
    outputs_bytes_max: int | None = None


class CreateApiKeyRequest(ApiObject):
    name: str
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    role: KeyRole
    agent_id: str | None = None
    """the id of an agent: `agt_…`"""
    principal: str | None = None
    """who answers for the key: a name or an address; all keys with it are one person"""
    member_id: str | None = None
    """the service account whose key it is"""
    tools: list[str] | None = None
    """for a key of the role `worker`: the tools whose calls it may take"""
    scopes: list[str] | None = None
    """the only groups of routes that the key may use, such as `operations:read`"""
    expires_at: int | None = None
    """milliseconds since the epoch: the key is refused from then on"""


class RotateApiKeyRequest(ApiObject):
    overlap_ms: int
    """milliseconds for which the present secret stays good; 0: it ends at once"""
    expires_at: int | None = None


class RotateOwnApiKeyRequest(ApiObject):
    overlap_ms: int
    """milliseconds for which the present secret stays good; 0: it ends at once"""


class PutIdentityProviderRequest(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    issuer: str
    """the URL of the issuer, exactly as in `iss`"""
    audience: str | None = None
    """what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp`"""
    tenant_claim: str | None = None
    tenant_value: str | None = None
    scopes: list[ScopeRole] | None = None
    """which scope gives which role"""
    groups_claim: str | None = None
    groups: list[GroupRole] | None = None
    """which group gives which role"""
    person_claim: str | None = None
    agent_id: str | None = None
    agent_claim: str | None = None
    sign_in: SignInClient | None = None
    profile: IssuerProfile | None = None
    """how tokens are verified: `oauth`, access tokens; `kubernetes`, projected tokens of a cluster"""
    workloads: list[WorkloadSettings] | None = None
    """which service account is what"""
    jwks: PinnedKeySet | None = None
    access_token: str | None = None
    """an access token of the issuer for the audience, whose scope gives `admin`; needed for a new registration, and for other scopes or groups; never stored"""


class PutTenantIdentityProviderRequest(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    issuer: str
    """the URL of the issuer, exactly as in `iss`"""
    audience: str | None = None
    """what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp`"""
    tenant_claim: str | None = None
    tenant_value: str | None = None
    scopes: list[ScopeRole] | None = None
    """which scope gives which role"""
    groups_claim: str | None = None
    groups: list[GroupRole] | None = None
    """which group gives which role"""
    person_claim: str | None = None
    agent_id: str | None = None
    agent_claim: str | None = None
    sign_in: SignInClient | None = None
    profile: IssuerProfile | None = None
    """how tokens are verified: `oauth`, access tokens; `kubernetes`, projected tokens of a cluster"""
    workloads: list[WorkloadSettings] | None = None
    """which service account is what"""
    jwks: PinnedKeySet | None = None


class DenyTokensRequest(ApiObject):
    subject: str | None = None
    """a `sub`, with all its tokens"""
    jti: str | None = None
    """one token, by its `jti`"""


class ChangeMemberRequest(ApiObject):
    role: PersonRole | None = None
    state: ChangeMemberRequestState | None = None


class LinkIdentityRequest(ApiObject):
    provider: str
    """the name of the identity provider"""
    subject: str
    """the `sub` of the person there"""


class OffboardMemberRequest(ApiObject):
    reason: str
    """why; the record has its digest"""


class OffboardMemberAnswer(ApiObject):
    member: Member
    revoked: list[str]
    """keys and credentials that this request revoked"""
    paused_jobs: list[str]
    """jobs that it paused, since they ran on their behalf"""
    delegations: int
    """rights to approve that it ended, lent or borrowed"""
    more: bool
    """whether something is left, which ends within a minute"""


class CreateInvitationRequest(ApiObject):
    """whom it is for: either `email`, or `subject` and `provider`"""
    role: PersonRole
    """becomes the role of the member who accepts it"""
    email: str | None = None
    """an address of ASCII characters"""
    subject: str | None = None
    """the `sub` of the person at the provider"""
    provider: str | None = None
    """the name of an identity provider"""
    expires_at: int | None = None
    """milliseconds since the epoch: a week from now at most, and by default"""


class CreateDeviceAuthorizationRequest(ApiObject):
    client_id: str
    """how the program calls itself; the person sees it"""
    tenant: str
    """the tenant whose people may approve it"""


class CreateDeviceAuthorizationAnswer(ApiObject):
    device_code: str
    """for the token endpoint; a secret of the program"""
    user_code: str
    """what the person compares, such as `BCDF-GHJK`"""
    verification_uri: str
    """where the person signs in and approves"""
    verification_uri_complete: str
    """the same with the code"""
    expires_in: int
    """seconds"""
    interval: int
    """how many seconds to wait between two requests for the token"""


class ReadSignInAnswer(ApiObject):
    sign_in: ReadSignInAnswerSignIn | None
    key_session: ReadSignInAnswerKeySession | None


class ReadSignInAnswerSignIn(ApiObject):
    """null: the request presents a key, an access token, or the session of a key"""
    sign_in_id: str
    """the id of a sign in: `sgn_…`"""
    kind: SignInKind
    client: str | None
    person_id: str
    """the pseudonym of the person"""
    provider: str
    """the name of the identity provider"""
    created_at: int
    """milliseconds since the epoch"""
    signed_in_at: int
    """when the person was at the identity provider"""
    seen_at: int
    """the last request, to the minute"""
    expires_at: int
    """when it ends in any case"""
    ended_at: int | None
    ended_by: str | None
    roles: list[PersonRole]
    """the roles that it gives now"""
    csrf_token: str | None


class ReadSignInAnswerKeySession(ApiObject):
    """a browser that signed in with an API key; null: the request presents another one"""
    csrf_token: str
    """for the header `Writ-CSRF` of requests that change something"""
    expires_at: int
    """when it ends in any case"""


class SignOutAnswer(ApiObject):
    ended: SignIn | None


class IssueAccessTokenRequest(ApiObject):
    grant_type: str
    """which grant; the other parameters depend on it"""
    client_id: str | None = None
    device_code: str | None = None
    subject_token: str | None = None
    """of an exchange (RFC 8693)"""
    subject_token_type: str | None = None
    requested_token_type: str | None = None
    audience: str | None = None
    resource: str | None = None
    scope: str | None = None
    """of an exchange: the tools, with spaces between"""
    authorization_details: str | None = None
    """of an exchange: which capability token, and which part of it (RFC 9396)"""
    refresh_token: str | None = None


class SetCallSettingsRequest(ApiObject):
    allowed_paths: list[str] | None = None
    """what calls of the tenant may reach, whatever their tokens grant"""
    denied_paths: list[str] | None = None
    """what no call of the tenant reaches, whatever is allowed or granted"""
    output_bytes: int | None = None
    """most bytes of the output of a command in its result; 200000 unless set"""
    command_ms: int | None = None
    tool_command_ms: dict[str, int] | None = None
    """the same for single tools, in place of `command_ms`"""


class TakeOwnPermitRequest(ApiObject):
    operation_id: str


class ReportFunctionRequest(ApiObject):
    permit: Envelope
    nonce: str
    """random, made once per permit; the same one may redeem again, since a reply can be lost"""
    outcome: ReportFunctionRequestOutcomeSucceeded | ReportFunctionRequestOutcomeWithMessage


class ReportFunctionRequestOutcomeSucceeded(ApiObject):
    outcome: Literal["succeeded"]
    result: Any


class ReportFunctionRequestOutcomeWithMessage(ApiObject):
    outcome: ReportFunctionRequestOutcomeWithMessageOutcome
    message: str


class RunTurnRequest(ApiObject):
    dialect: Dialect
    output: str
    """the unchanged output of the model"""
    session_id: str
    turn_id: str
    """unique in a session for each output; the same turn sent again runs nothing twice, and continues where it stopped"""
    capability_token_id: str
    workspace_id: str
    agent_id: str | None = None
    """the id of an agent: `agt_…`"""
    session_mode: SessionMode | None = None
    task_class: str | None = None
    max_autonomy: AutonomyMode | None = None
    deadline: int | None = None
    """of each call, in milliseconds since the epoch"""
    data_subject: str | None = None
    """an id of your own for the person whose data the call holds, so that it can be erased by it; its agent by default"""
    model: str | None = None
    """the name of the model as you say it; the record holds it as `claimed_model`"""
    sub_agent_model: str | None = None
    """one of `/v1/models`, for sub-agents that its calls start; default: `model` if it is one of them, else the only one"""
    told: list[str] | None = None
    """ids of calls whose results the model has already; they are omitted from `messages`"""


class ResolveOperationRequest(ApiObject):
    outcome: ResolutionOutcome
    note: str
    """how they know"""


class DelegateApprovalRequest(ApiObject):
    to: str
    """a person: a name, or the id of a key without one"""
    note: str
    """why"""
    expires_at: int
    """milliseconds since the epoch; within 30 days"""
    tools: list[str] | None = None
    agent_id: str | None = None
    autonomy_mode: HeldMode | None = None
    """the highest autonomy mode of calls that it may approve; default: `soft_gate`"""


class ApproveRequest(ApiObject):
    comment: str | None = None
    scope: ApproveRequestScope | None = None
    uses: int | None = None
    """for scope session: how many further calls; default: 32"""
    ttl_ms: int | None = None
    """for scope session: for how many milliseconds; default: the policy's `ttl.session_grant_ms`"""
    delegation_id: str | None = None
    """the delegation that you use; the vote then counts as the delegating person's"""
    effect_digest: str | None = None
    """for an effect: the `binding.effect_digest` that was shown. Without it only the action is approved; if an effect, or another effect, waits for approval, the request fails"""


class EditApprovalRequest(ApiObject):
    args: dict[str, Any]
    """arguments that match the tool's `parameters`"""
    comment: str | None = None


class GiveValueRequest(ApiObject):
    value: str
    """the value in clear text"""
    scope: GiveValueRequestScope | None = None
    note: str | None = None
    """for a stored value: its description; default: the one that the call suggests"""
    comment: str | None = None


class DenyRequest(ApiObject):
    comment: str | None = None
    delegation_id: str | None = None
    """the delegation that you use; the vote then counts as the delegating person's"""


class PutApproverGroupRequest(ApiObject):
    name: str
    """what policies call the group"""
    members: list[str]
    """the persons: names as on their API keys, or the ids of keys without one; empty: nobody"""
    description: str | None = None
    """what the group is for"""


class SimulatePolicyRequest(ApiObject):
    call: SimulatePolicyRequestCall
    policy: str | None = None
    """a policy set: its hash, a name, or `name@version`"""
    document: dict[str, Any] | None = None
    """a set that isn't stored, instead of `policy`"""


class SimulatePolicyRequestCall(ApiObject):
    agent_id: str
    capability_token_id: str
    workspace_id: str
    tool_id: str
    args: dict[str, Any]
    session_id: str | None = None
    session_mode: Annotated[Literal["interactive", "gateway", "scheduled"], OPEN] | None = None
    max_autonomy: AutonomyMode | None = None
    task_class: str | None = None


class BacktestPolicyRequest(ApiObject):
    policy: str | None = None
    """a policy set: its hash, a name, or `name@version`"""
    document: dict[str, Any] | None = None
    """a set that isn't stored, instead of `policy`"""
    effects: bool | None = None
    """also evaluates committed effects: a page then has `effects`, and may end before its `limit`"""
    since: int | None = None
    """milliseconds since the epoch; default: from the beginning"""
    cursor: str | None = None
    """`next_cursor` of the page before"""
    limit: int | None = None
    """operations of a page; default: 100"""


class PutPolicyRequest(ApiObject):
    document: dict[str, Any]
    """the set, in the format of `GET /v1/policies/schema`"""


class ActivatePolicyRequest(ApiObject):
    policy: str
    """a policy set: its hash, a name, or `name@version`"""
    if_active: str | None = None
    """a policy set: its hash, a name, or `name@version`"""
    note: str | None = None
    """the reason, for later readers"""
    allow_impossible: bool | None = None
    """`true`: accepts a set with rules that can never apply, which is otherwise refused"""


class RollBackPolicyRequest(ApiObject):
    if_active: str | None = None
    """a policy set: its hash, a name, or `name@version`"""
    note: str | None = None
    """the reason, for later readers"""


class IssueTokenRequest(ApiObject):
    agent_id: str
    """the id of an agent: `agt_…`"""
    grant: Grant
    workspace_id: str | None = None


class AttenuateTokenRequest(ApiObject):
    grant: Grant
    agent_id: str | None = None
    """the id of an agent: `agt_…`"""
    workspace_id: str | None = None
    """the id of a workspace: `wsp_…`"""


class SetWorkspaceLimitsRequest(ApiObject):
    files_max: int | None = None
    bytes_max: int | None = None


class RestoreWorkspaceRequest(ApiObject):
    at: str
    """a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time"""
    path: str | None = None
    """the path to restore, with everything below it; default: the whole workspace"""
    if_head: str | None = None
    """only if this is still the head"""


class UploadFilesRequest(ApiObject):
    files: list[UploadFilesRequestFile]


class UploadFilesRequestFile(ApiObject):
    path: str
    content: str
    encoding: ContentEncoding | None = None
    """of `content`; default: utf8"""
    mode: FileMode | None = None


class PlaceFreezeRequest(ApiObject):
    scope: FreezeScope
    reason: str
    """why; callers that are refused read it"""
    id: str | None = None
    """the agent or the tool; for a tenant, your own id or none"""
    expires_at: int | None = None
    """milliseconds since the epoch; default: in effect until it is lifted"""


class EraseRequest(ApiObject):
    """exactly one of `operation_id`, `session_id`, `subject` and `before`"""
    reason_code: str
    """why, as a code of your own, such as `gdpr-art-17`; `retention` where a period was over"""
    operation_id: str | None = None
    session_id: str | None = None
    subject: str | None = None
    """calls and sessions with this `data_subject`; for an agent's id: those of the agent without a data subject"""
    before: str | None = None
    """everything created before this time, such as `2026-01-31T09:30:00Z`; unfinished calls are skipped"""
    dry_run: bool | None = None
    """`true`: reports what would be erased, and erases nothing"""


class EraseAnswerWithDryRun(ApiObject):
    dry_run: Literal[True]
    operations: int
    """calls whose content would be erased"""
    unfinished: int
    """calls that have not ended: they prevent the erasure of a call or a session; an erasure by time skips them"""
    more: bool
    """there are more than were counted"""
    sessions: int | None = None
    """sessions that would go with all that was said in them"""


class SetRetentionRequest(ApiObject):
    payload_days: int | None
    output_days: int | None
    payload_mode: PayloadMode | None = None
    """full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is"""
    requests_mode: RequestsMode | None = None
    """full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is"""


class ForkRunRequest(ApiObject):
    after: int
    """the last event to include; 0: the conversation before the run"""
    name: str | None = None
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    model: str | None = None
    """one of `/v1/models`"""


class ReplayRunRequest(ApiObject):
    policy: str | None = None
    """a stored set; default: the one in force"""
    document: dict[str, Any] | None = None
    """a set that isn't stored, instead of `policy`"""
    cursor: str | None = None
    """`next_cursor` of the page before"""
    limit: int | None = None
    """calls of a page; default: 100"""


class CreateSessionRequest(ApiObject):
    workspace_id: str
    capability_token_id: str
    model: str
    """one of `/v1/models`"""
    agent_id: str | None = None
    """the id of an agent: `agt_…`"""
    name: str | None = None
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    dialect: SessionDialect | None = None
    """how the model writes its calls; default: `native`, the provider's format"""
    system: str | None = None
    """text at the end of the system prompt"""
    data_subject: str | None = None
    """your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it"""
    session_mode: CreateSessionRequestSessionMode | None = None


class StartRunRequest(ApiObject):
    input: str
    rounds_max: int | None = None
    """most replies of the model; default: 20, in `yips` 6"""
    tokens_max: int | None = None
    """most tokens, input and output together"""
    cost_max: int | None = None
    """most that it may cost, in millionths of the model's currency"""
    idempotency_key: str | None = None


class RunJobRequest(ApiObject):
    idempotency_key: str | None = None


class UpdateResourceRequest(ApiObject):
    settings: AudioDeviceSettings | CalendarSettings | ContainerSettings | InfoStoreSettings | MailboxSettings | McpServerByUrl | McpServerByProgram | ModelSettings | SearchEngineSettings | WebsiteSettings
    expected_version: int
    """the version that the new settings replace: another one is a `conflict`"""


class SetResourceGrantRequest(ApiObject):
    kind: ResourceKind
    resource_id: str | None
    """null: every resource of the kind; the only value for `create`"""
    right: ResourceRight
    agent_id: str | None
    """null: every agent of the tenant"""
    clearance: Clearance


class SetExternalVersionRequest(ApiObject):
    ref: str
    """a name, such as `deployment:shop/production`"""
    version: str
    """printable ASCII; what it means is between whoever sets and whoever names it"""
    expected_version: str | None
    """the current version; null where there is none yet"""


class SetSecretRequest(ApiObject):
    name: str
    value: str
    """the value in clear text"""
    note: str | None = None
    """for people"""


class PutSandboxRequest(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    workspace_id: str
    """the workspace that its scripts run in"""
    rules: dict[str, Any] | None = None
    """what it adds to the shipped rules: `mk8-rules.v1.json`, every member optional"""
    enabled_templates: list[str] | None = None
    """the only templates that ProcRun may use; null: all"""
    fragments: dict[str, list[Any]] | None = None
    """operations by the name that Include uses"""


class SignSandboxRequest(ApiObject):
    envelope: Envelope


class AddRegistrarKeyRequest(ApiObject):
    public_key: PublicKey
    note: str | None = None
    """for people"""


class CreateImageRequest(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    source: ImageSource
    tools: list[str] | None = None
    """tools whose calls run in it; profiles and programs name their image themselves"""


class CreateExecutionProfileRequest(ApiObject):
    name: str
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    shells: list[Shell]
    """what may read a command"""
    limits: SandboxLimits
    workspace_id: str | None = None
    """the only workspace that it is for; null: any"""
    environment: dict[str, str] | None = None
    """variables that commands find; no secrets"""
    net: list[NetGrant] | None = None
    """hosts that a command may reach at most, where its token reaches them too"""
    user: str | SystemUserIds | None = None
    """the user that commands run as, never root; the user `sandbox` (10001) unless set"""
    image: str | None = None
    """the tenant's image that commands run in; that of the tool unless set"""


class PutSkillRequest(ApiObject):
    files: list[PutSkillRequestFile]


class PutSkillRequestFile(ApiObject):
    path: str
    """relative to the folder"""
    content: str
    encoding: ContentEncoding | None = None
    """of `content`; default: utf8"""


class ApplyToolsRequest(ApiObject):
    tools: list[ApplyToolsRequestTool] | None = None
    functions: list[ApplyToolsRequestFunction] | None = None
    variables: dict[str, str] | None = None
    """what `${NAME}` stands for in the environments of these tools"""
    dry_run: bool | None = None
    """only report what would change"""


class ApplyToolsRequestTool(ApiObject):
    name: str
    description: str
    category: ToolCategory
    cmd: str
    """a program on the path of the image, or its absolute path"""
    args: list[str] | None = None
    parameters: dict[str, ApplyToolsRequestToolParametersValue] | None = None
    optional_args: dict[str, list[str]] | None = None
    env: dict[str, str] | None = None
    timeout_ms: int | None = None
    """120000 by default"""
    image: str | None = None
    """one to 64 small letters, digits, `.`, `_`, `-`"""
    output_bytes: int | None = None
    """200000 by default"""


class ApplyToolsRequestToolParametersValue(ApiObject):
    type: ApplyToolsRequestToolParametersValueType
    description: str | None = None
    optional: bool | None = None
    """false by default"""
    enum: list[str | float] | None = None
    pattern: str | None = None
    """RE2; the whole value must match"""
    min_length: int | None = Field(default=None, alias="minLength")
    max_length: int | None = Field(default=None, alias="maxLength")
    """4096 by default"""
    minimum: float | None = None
    maximum: float | None = None
    leading_dash: bool | None = None
    """whether a value may begin with `-`: false by default, since a program could take it for an option"""


class ApplyToolsRequestFunction(ApiObject):
    name: str
    description: str
    category: ToolCategory
    mode: ApplyToolsRequestFunctionMode
    parameters: dict[str, Any]
    title: str | None = None
    result: dict[str, Any] | None = None
    idempotent: bool | None = None
    """default: whether it only reads; see the same member of the stored tool"""
    timeout_ms: int | None = None
    """120000 by default"""


class ImportOpenApiRequest(ApiObject):
    document: str
    """OpenAPI 3.0 or 3.1, JSON or YAML"""
    options: ImportOpenApiRequestOptions
    strict: bool | None = None
    """an operation that has a problem keeps all from being registered"""
    dry_run: bool | None = None
    """only report what would change"""


class ImportOpenApiRequestOptions(ApiObject):
    name: str
    """the part of the names of the tools after `api.`: lower case, digits and `_`"""
    server: str | None = None
    """the address of the API over TLS; absent: that of the document"""
    server_variables: dict[str, str] | None = None
    secrets: dict[str, str] | None = None
    categories: dict[str, ToolCategory] | None = None
    idempotency_headers: dict[str, str] | None = None
    include: list[str] | None = None
    """operations, each may end in `*`; absent: all"""
    exclude: list[str] | None = None
    deprecated: bool | None = None
    """whether deprecated operations are imported, too"""
    timeout_ms: int | None = None
    """of each call; 30000 by default"""


class AcceptMcpServerToolsRequest(ApiObject):
    tools: list[AcceptMcpServerToolsRequestTool]


class AcceptMcpServerToolsRequestTool(ApiObject):
    name: str
    """the tool's name at the server"""
    digest: str
    """of the definition that was looked at"""
    category: ToolCategory | None = None


class RefuseMcpServerToolsRequest(ApiObject):
    tools: list[RefuseMcpServerToolsRequestTool]


class RefuseMcpServerToolsRequestTool(ApiObject):
    name: str
    """the tool's name at the server"""
    digest: str
    """of the definition that was looked at"""


class CreateChannelRequest(ApiObject):
    """it has the settings of its `kind`, and of no other"""
    name: str
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    kind: ChannelKind
    slack: SlackSettings | None = None
    webhook: WebhookDestination | None = None
    teams: TeamsDestination | None = None
    email: EmailDestination | None = None
    """`username` and `password` go together"""


class ChangeChannelRequest(ApiObject):
    name: str | None = None
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    state: WebhookState | None = None
    slack: SlackChange | None = None
    """another `api_url` takes the `bot_token`, too"""
    webhook: WebhookDestination | None = None
    teams: TeamsDestination | None = None
    email: EmailDestinationChange | None = None
    """another `host`, `port`, `tls` or `username` takes the `password`, too"""


class CreateWebhookRequest(ApiObject):
    name: str
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    url: str
    """`https://`, at a public address"""
    events: list[WebhookEvent]
    """the kinds of messages that it receives"""


class RotateWebhookSecretRequest(ApiObject):
    overlap_ms: int | None = None
    """default: a day"""


class ChangeWebhookRequest(ApiObject):
    name: str
    """one to 64 letters, digits, blanks, `.`, `_`, `-`"""
    url: str
    """`https://`, at a public address"""
    events: list[WebhookEvent]
    """the kinds of messages that it receives"""
    state: WebhookState


class ReadSystemAnswer(ApiObject):
    orchestrator: ReadSystemAnswerOrchestrator
    kernel: ReadSystemAnswerKernel
    database: ReadSystemAnswerDatabase
    outbox: ReadSystemAnswerOutbox
    executors: list[ReadSystemAnswerExecutor]
    """executors that this replica heard of within seconds"""
    migrations: list[ReadSystemAnswerMigration]
    """of the kernel's schema, oldest first"""


class ReadSystemAnswerOrchestrator(ApiObject):
    version: str
    """of the replica of the orchestrator that answered"""
    now: int
    """of that replica's clock, in milliseconds since the epoch"""


class ReadSystemAnswerKernel(ApiObject):
    version: str
    """of the replica of the kernel that answered"""
    now: int
    """of that replica's clock, in milliseconds since the epoch"""
    pools: dict[str, ReadSystemAnswerKernelPoolsValue]


class ReadSystemAnswerKernelPoolsValue(ApiObject):
    connections_max: int
    connections: int
    """that are open"""
    idle: int
    """of those, the ones that nobody uses"""
    waiting: int
    """requests that wait for one"""


class ReadSystemAnswerDatabase(ApiObject):
    version: str
    now: int
    """of the database's clock, when the report was made"""
    connections_max: int
    settings: dict[str, str]
    """the settings that a COMMIT needs to survive a power cut"""
    durable: bool
    """whether these settings let every COMMIT survive a power cut"""


class ReadSystemAnswerOutbox(ApiObject):
    rows: int
    """records that wait for the ledger; counted to 10,001"""
    oldest_at: int | None


class ReadSystemAnswerExecutor(ApiObject):
    executor_id: str
    """the id of an executor: `exe_…`"""
    slots: dict[str, int]
    """the most calls that it has had room for, by lane"""
    free: dict[str, int]
    """calls that it has room for now, by lane"""
    seen_ms_ago: int


class ReadSystemAnswerMigration(ApiObject):
    schema_: str = Field(alias="schema")
    name: str
    applied_at: int
    """milliseconds since the epoch"""


class ApprovalPendingMessage(ApiObject):
    type: Literal["approval.pending"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalVotedMessage(ApiObject):
    type: Literal["approval.voted"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalEscalatedMessage(ApiObject):
    type: Literal["approval.escalated"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalReminderMessage(ApiObject):
    type: Literal["approval.reminder"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalApprovedMessage(ApiObject):
    type: Literal["approval.approved"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalDeniedMessage(ApiObject):
    type: Literal["approval.denied"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalExpiredMessage(ApiObject):
    type: Literal["approval.expired"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalCancelledMessage(ApiObject):
    type: Literal["approval.cancelled"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class ApprovalSupersededMessage(ApiObject):
    type: Literal["approval.superseded"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class OperationAmbiguousMessage(ApiObject):
    type: Literal["operation.ambiguous"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class OperationResolvedMessage(ApiObject):
    type: Literal["operation.resolved"]
    timestamp: str
    """when it happened"""
    data: CallNotice


class McpServerToolsNewMessage(ApiObject):
    type: Literal["mcp_server.tools_new"]
    timestamp: str
    """when it happened"""
    data: McpServerNotice


class McpServerToolsChangedMessage(ApiObject):
    type: Literal["mcp_server.tools_changed"]
    timestamp: str
    """when it happened"""
    data: McpServerNotice


class McpServerToolsGoneMessage(ApiObject):
    type: Literal["mcp_server.tools_gone"]
    timestamp: str
    """when it happened"""
    data: McpServerNotice


class McpServerFailingMessage(ApiObject):
    type: Literal["mcp_server.failing"]
    timestamp: str
    """when it happened"""
    data: McpServerNotice


class McpServerRecoveredMessage(ApiObject):
    type: Literal["mcp_server.recovered"]
    timestamp: str
    """when it happened"""
    data: McpServerNotice


class RunFinishedMessage(ApiObject):
    type: Literal["run.finished"]
    timestamp: str
    """when it happened"""
    data: RunFinished


class WebhookPingMessage(ApiObject):
    type: Literal["webhook.ping"]
    timestamp: str
    """when it happened"""
    data: WebhookPing


class AuditRecordProvenance(ApiObject):
    source: str | None = None
    run_id: str | None = None
    model: str | None = None
    dialect: str | None = None
    session_id: str | None = None
    turn: str | None = None
    parent_operation_id: str | None = None
    client: str | None = None
    """the name of the program that calls, in its own words"""
    claimed_model: str | None = None
    """the model that the caller says it drives"""


class AuditRecordBudgetDelta(ApiObject):
    calls: int | None = None
    cpu_ms: int | None = None
    wall_ms: int | None = None
    disk_write_bytes: int | None = None
    egress_bytes: int | None = None
    llm_tokens: int | None = None


class AuditRecordChange(ApiObject):
    verb: str
    subject: str
    digest: str | None


class AuditRecordExecution(ApiObject):
    contained: Literal[False]
    result: Literal["claimed"]
    executor: str | None


class AuditRecordRedactionsItem(ApiObject):
    rule: str
    pointers: list[str]
    """JSON pointers into the result; `*` is every member and every item"""


class AuditRecord(ApiObject):
    v: Literal[1]
    record_id: str
    """the id of a record: `rec_…`"""
    kind: Annotated[Literal["tool_call", "approval", "token", "policy", "resolution", "erasure", "key", "workspace", "change"], OPEN]
    log_id: str
    """the id of a log: `log_…`"""
    tenant_id: str
    """the id of a tenant: `ten_…`"""
    kernel_key_id: str
    recorded_at: int
    """milliseconds since the epoch by the database's clock"""
    operation_id: str | None
    attempt: int | None
    phase: Annotated[Literal["decision", "outcome"], OPEN] | None
    verdict: Annotated[Literal["admitted", "refused", "held"], OPEN] | None
    rule_ids: list[str]
    fault_code: str | None
    approval_refs: list[str]
    agent_id: str | None
    capability_token_id: str | None
    tool_id: str | None
    tool_definition_digest: str | None
    args_hash: str | None
    result_hash: str | None
    policy_hash: str | None
    state_snapshot_id: str | None
    new_snapshot_id: str | None
    commit_delta_id: str | None
    workspace_id: str | None
    provenance: AuditRecordProvenance
    task_class: str | None
    autonomy_mode: Annotated[Literal["autopilot", "soft_gate", "escalated", "no_go"], OPEN] | None
    risk_score: float | None
    risk_basis: list[str]
    tx_outcome: Annotated[Literal["committed", "rolled_back", "no_op", "ambiguous"], OPEN] | None
    budget_delta: AuditRecordBudgetDelta | None
    decision_record_id: str | None
    decision_hash: str | None
    effect_digest: str | None
    egress_count: int
    egress_hash: str | None
    image_digest: str | None
    actor: str | None
    change: AuditRecordChange | None
    trace_id: str | None
    span_id: str | None
    usage_counted_by: Annotated[Literal["host", "agent"], OPEN] | None = None
    """host: the container engine or the kernel of its host, outside of the sandbox; agent: a process inside of the sandbox, so that a job can make it say less"""
    person: str | None = None
    """the id of a person: `per_…`"""
    execution: AuditRecordExecution | None = None
    redactions: list[AuditRecordRedactionsItem] | None = None


NewResource: TypeAlias = Union[NewResourceAudioDevice, NewResourceCalendar, NewResourceContainer, NewResourceInfoStore, NewResourceMailbox, NewResourceMcpServer, NewResourceModel, NewResourceSearchEngine, NewResourceWebsite]
ModelProvider: TypeAlias = Union[LocalModel, ModelProviderOpenai]
CalendarSettings: TypeAlias = Union[CalendarSettingsIcs, CalendarSettingsCaldav]
ImageSource: TypeAlias = Union[ImageSourceWithReference, ImageSourceWithDigest, ImageSourceWithRecipe]
RunEvent: TypeAlias = Union[RunEventReplied, RunEventAnswered, RunEventHeld, RunEventExplained, RunEventResumed, RunEventCompacted, RunEventModelFailed, RunEventCancelled, RunEventEnded]
ProposeToolCallAnswer: TypeAlias = Union[ToolResult, Operation]
EraseAnswer: TypeAlias = Union[Erasure, EraseAnswerWithDryRun]
ReadDocumentAnswer: TypeAlias = dict[str, Any]
