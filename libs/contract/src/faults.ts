// SPDX-License-Identifier: Apache-2.0

/**
 * The closed table of fault codes. `status` is the API's status when the fault ends a request there; `retry` is the
 * whole instruction to a caller: `never` (the same call fails again), `later` (nothing happened; try again), `same-key`
 * (it may have happened; retry with the same idempotency key or operation id). INVARIANT (never twice): clients repeat
 * any request after `later`, so no fault has it that may be answered after an effect. A code for the refusal of a
 * decided call is part of a ToolResult with HTTP 200; its status applies to routes that aren't calls.
 */
export const FAULTS = {
  // the API: never became an operation
  'request.malformed': { status: 400, retry: 'never', message: 'the request is not valid' },
  'query.invalid': { status: 400, retry: 'never', message: 'a parameter of the query is not valid' },
  'route.unknown': { status: 404, retry: 'never', message: 'the API has no such route' },
  'request.too_large': { status: 413, retry: 'never', message: 'the request is larger than allowed' },
  'request.unsupported_media_type': {
    status: 415,
    retry: 'never',
    message: 'the request must carry `application/json`',
  },
  'request.wrong_host': { status: 403, retry: 'never', message: 'the request names a host that the API does not have' },
  'request.method_not_allowed': { status: 405, retry: 'never', message: 'the path does not take this method' },
  'auth.missing': {
    status: 401,
    retry: 'never',
    message: 'an API key or an access token is needed: `Authorization: Bearer <key>`',
  },
  'auth.invalid': { status: 401, retry: 'never', message: 'the API key or access token is not valid' },
  'auth.role': { status: 403, retry: 'never', message: 'the API key has no role that allows this' },
  'auth.csrf': {
    status: 403,
    retry: 'never',
    message: 'the request does not show that a page of this deployment sent it',
  },
  'auth.insufficient_scope': { status: 403, retry: 'never', message: 'the access token has no scope that allows this' },
  'auth.issuer_unavailable': {
    status: 503,
    retry: 'later',
    message: 'the keys of the issuer of the access token could not be fetched',
  },
  'rate.limited': { status: 429, retry: 'later', message: 'too many requests' },
  'queue.full': { status: 429, retry: 'later', message: 'the tenant has as many waiting calls as allowed' },
  not_found: { status: 404, retry: 'never', message: 'there is no such thing here' },
  conflict: { status: 409, retry: 'never', message: 'the thing is in another state than the request needs' },
  // the request of a call
  'tool.unknown': { status: 404, retry: 'never', message: 'there is no such tool' },
  'tool.not_available': { status: 409, retry: 'never', message: 'the tool is not available here' },
  'tool.changed': {
    status: 409,
    retry: 'never',
    message: 'the tool was changed or removed since the call was decided',
  },
  'args.invalid': { status: 422, retry: 'never', message: 'the arguments do not fit the tool' },
  'args.too_large': { status: 413, retry: 'never', message: 'the arguments are larger than allowed' },
  'path.invalid': { status: 422, retry: 'never', message: 'the path is not valid' },
  'path.escape': { status: 422, retry: 'never', message: 'the path leads outside the workspace' },
  'idempotency.missing': { status: 422, retry: 'never', message: 'a mutating call needs an `idempotency_key`' },
  'idempotency.mismatch': { status: 409, retry: 'never', message: 'the idempotency key was used for another call' },
  'idempotency.expired': { status: 410, retry: 'never', message: 'the call of this idempotency key was erased' },
  deadline: { status: 504, retry: 'same-key', message: 'the deadline passed' },
  // capability
  'token.unknown': { status: 403, retry: 'never', message: 'there is no such capability token' },
  'token.not_yet_valid': { status: 403, retry: 'never', message: 'the capability token is not valid yet' },
  'token.expired': { status: 403, retry: 'never', message: 'the capability token has expired' },
  'token.revoked': { status: 403, retry: 'never', message: 'the capability token was revoked' },
  'token.agent': { status: 403, retry: 'never', message: 'the capability token belongs to another agent' },
  'token.tool': { status: 403, retry: 'never', message: 'the capability token does not grant the tool' },
  'token.scope': { status: 403, retry: 'never', message: 'the capability token does not reach the resource' },
  'path.denied': { status: 403, retry: 'never', message: 'the settings of the tenant keep calls from the path' },
  'token.not_narrower': { status: 422, retry: 'never', message: 'a child token must be a subset of its parent' },
  'token.depth': { status: 422, retry: 'never', message: 'the chain of capability tokens is as long as one may be' },
  'key.revoked': { status: 403, retry: 'never', message: 'the API key that proposed the call was revoked' },
  'budget.exhausted': { status: 403, retry: 'never', message: 'the capability token has no budget left' },
  'budget.period': { status: 403, retry: 'never', message: 'a budget of the day or month is used up' },
  'workspace.unknown': { status: 404, retry: 'never', message: 'there is no such workspace' },
  // policy, approval
  'policy.args_changed': {
    status: 403,
    retry: 'never',
    message: 'rules of the policy do not fit the arguments that the tool takes now, so its calls are refused',
  },
  'policy.unredactable': {
    status: 403,
    retry: 'never',
    message: 'a rule of the policy redacts the result of the call, which is not possible for this tool',
  },
  'policy.args_untyped': {
    status: 403,
    retry: 'never',
    message: 'a rule of the policy reads an argument that it cannot see, so the call is refused',
  },
  'policy.denied': { status: 403, retry: 'never', message: 'the policy forbids the call' },
  'policy.error': { status: 403, retry: 'never', message: 'a rule of the policy failed, so the call is refused' },
  'policy.invalid': { status: 422, retry: 'never', message: 'the policy set is not valid' },
  'policy.unreadable': {
    status: 500,
    retry: 'never',
    message: 'the policy set in force cannot be read by this version, so nothing is decided until another is activated',
  },
  'approval.denied': { status: 403, retry: 'never', message: 'a person denied the call' },
  'approval.expired': { status: 403, retry: 'never', message: 'nobody decided in time' },
  'approval.own_call': { status: 403, retry: 'never', message: 'nobody approves their own call' },
  'approval.stale': { status: 409, retry: 'never', message: 'what was approved is no longer what would happen' },
  'approval.previewed_anew': {
    status: 409,
    retry: 'never',
    message: 'the effect went stale and is previewed once more: look again, then decide',
  },
  'approval.effect_unseen': {
    status: 409,
    retry: 'never',
    message: 'the approval is not for what waits now: look again, then decide',
  },
  'approval.voted': { status: 409, retry: 'never', message: "that person's vote is counted already" },
  'approval.not_delegated': { status: 403, retry: 'never', message: 'the delegation is not good for this call' },
  'approval.not_in_group': { status: 403, retry: 'never', message: 'it is reserved for groups that you are not in' },
  'approval.superseded': {
    status: 409,
    retry: 'never',
    message: 'a person edited the arguments, and the call was proposed anew with them',
  },
  'value.missing': { status: 404, retry: 'never', message: 'the value is not there, and nobody can be asked for it' },
  'secret.unknown': { status: 404, retry: 'never', message: 'the call names a secret that is not there' },
  'resolution.own_call': { status: 403, retry: 'never', message: 'nobody resolves their own call' },
  'sandbox.unknown': { status: 404, retry: 'never', message: 'there is no such sandbox of mk8.shell' },
  'sandbox.unverified': {
    status: 409,
    retry: 'never',
    message: 'the sandbox of mk8.shell is not what a registrar signed, so nothing runs in it',
  },
  'resource.unknown': { status: 404, retry: 'never', message: 'there is no such resource for this caller' },
  'resource.exists': { status: 409, retry: 'never', message: 'a resource of that kind has the name already' },
  'agent.itself': { status: 403, retry: 'never', message: 'an agent does not manage itself' },
  'agent.conflict': { status: 409, retry: 'never', message: 'the agent is not in the state that the call changes' },
  'image.unknown': { status: 404, retry: 'never', message: 'there is no such image of the tenant' },
  'image.not_ready': { status: 409, retry: 'later', message: 'the image of the call is not ready' },
  'image.unavailable': { status: 409, retry: 'never', message: 'the image of the call can not be run here' },
  'image.not_allowed': { status: 403, retry: 'never', message: 'the operator does not allow images from there' },
  'store.mismatch': {
    status: 409,
    retry: 'never',
    message: 'the information store has another language, or vectors of another model',
  },
  'store.unavailable': {
    status: 503,
    retry: 'later',
    message: 'the model of embeddings that the information store needs is not there',
  },
  'profile.unknown': { status: 404, retry: 'never', message: 'there is no such execution profile' },
  'shell.unavailable': { status: 409, retry: 'never', message: 'the shell that the call names is not there' },
  'sandbox.killed': { status: 409, retry: 'never', message: 'a person killed the container that the call ran in' },
  cancelled: { status: 409, retry: 'never', message: 'the call was cancelled' },
  frozen: { status: 423, retry: 'never', message: 'an emergency stop stands' },
  // egress
  'egress.refused': { status: 403, retry: 'never', message: 'the egress gate refused the request' },
  'egress.failed': { status: 502, retry: 'never', message: 'the other side could not be reached or did not answer' },
  'api.refused': { status: 502, retry: 'never', message: 'the API refused the request' },
  'api.failed': { status: 502, retry: 'never', message: 'the API neither did what was asked nor refused it' },
  'mcp.definition_changed': {
    status: 409,
    retry: 'never',
    message: 'the MCP server describes the tool otherwise than an administrator accepted it, so nothing was sent',
  },
  'mcp.definition_gone': {
    status: 409,
    retry: 'never',
    message: 'the MCP server has the tool no more, so nothing was sent',
  },
  'mcp.unreachable': {
    status: 502,
    retry: 'never',
    message: 'the MCP server could not be reached, and the call was not sent',
  },
  'mcp.busy': {
    status: 503,
    retry: 'later',
    message: 'as many calls of the MCP server are under way as it may have, so nothing was sent',
  },
  'mcp.refused': { status: 502, retry: 'never', message: 'the MCP server refused the call and did nothing' },
  'mcp.failed': { status: 502, retry: 'never', message: 'the MCP server neither did what was asked nor refused it' },
  'mcp.protocol': { status: 502, retry: 'never', message: 'the answer of the MCP server is none of MCP' },
  'mcp.result_invalid': {
    status: 502,
    retry: 'never',
    message: 'the result of the MCP server does not fit the schema that its tool declares',
  },
  'mcp.unsupported': {
    status: 502,
    retry: 'never',
    message: 'the MCP server asks for something that is not offered to it',
  },
  'mcp.consent_required': { status: 403, retry: 'never', message: 'the person is not connected to the MCP server' },
  'mcp.consent_not_yours': { status: 403, retry: 'never', message: 'the link to consent is for another person' },
  'mcp.consent_failed': { status: 409, retry: 'never', message: 'the authorization server gave no access' },
  'mcp.token_unavailable': { status: 503, retry: 'later', message: "the person's access token was not renewed" },
  'mcp.authorization_unusable': { status: 502, retry: 'never', message: 'the authorization server can not be used' },
  'calendar.unusable': { status: 409, retry: 'never', message: 'the calendar can not be used as it is registered' },
  'calendar.refused': { status: 403, retry: 'never', message: 'the server of the calendar refused the request' },
  'calendar.unreadable': { status: 502, retry: 'never', message: 'the answer of the calendar can not be read' },
  'mailbox.unusable': { status: 409, retry: 'never', message: 'the mailbox can not be used as it is registered' },
  'mailbox.refused': { status: 403, retry: 'never', message: 'the server of the mailbox refused the request' },
  'mailbox.not_private': {
    status: 502,
    retry: 'never',
    message: 'the connection to the mailbox could not be made private, so no password was sent',
  },
  'mailbox.folder_unknown': { status: 404, retry: 'never', message: 'the mailbox has no such folder' },
  'mailbox.unreadable': { status: 502, retry: 'never', message: 'the answer of the mailbox can not be read' },
  // the tenant as a whole
  'tenant.closed': { status: 423, retry: 'never', message: 'the tenant is closed' },
  // execution and commit
  'precondition.failed': { status: 412, retry: 'never', message: 'a precondition does not hold' },
  'effect.out_of_scope': { status: 403, retry: 'never', message: 'the effect reaches outside the capability token' },
  'workspace.conflict': { status: 409, retry: 'never', message: 'another call changed the same files' },
  'output.not_kept': { status: 404, retry: 'never', message: 'the full output of the call is not stored' },
  'workspace.quota': {
    status: 422,
    retry: 'never',
    message: 'the workspace or the tenant would hold more than its quota',
  },
  'file.not_found': { status: 404, retry: 'never', message: 'there is no such file' },
  'file.kind': { status: 422, retry: 'never', message: 'the path is of another kind than the tool needs' },
  'file.too_large': { status: 413, retry: 'never', message: 'the file is larger than the tool handles' },
  'edit.no_match': { status: 422, retry: 'never', message: 'the text to find is not in the file' },
  'edit.ambiguous': { status: 422, retry: 'never', message: 'the text to find occurs in the file more than once' },
  'skill.unknown': { status: 404, retry: 'never', message: 'there is no such skill, or no such file in it' },
  'task.unknown': { status: 404, retry: 'never', message: 'the session has no such task' },
  'search.pattern': { status: 422, retry: 'never', message: 'the search pattern is not valid' },
  'command.failed': { status: 422, retry: 'never', message: 'the command ended with a non-zero exit status' },
  'command.timeout': { status: 422, retry: 'never', message: 'the command ran longer than allowed' },
  'command.too_long': { status: 403, retry: 'never', message: 'the command asks for more time than it may take' },
  'command.killed': { status: 422, retry: 'never', message: 'the command was killed' },
  'session.lost': { status: 409, retry: 'never', message: 'the shell of the session is gone, with all that it held' },
  'session.diverged': {
    status: 409,
    retry: 'never',
    message: 'the shell of the session ended, since what it did was not committed',
  },
  'session.busy': { status: 409, retry: 'later', message: 'a command is under way in the session' },
  'session.idle': { status: 409, retry: 'never', message: 'no program is under way in the session' },
  'session.conflict': {
    status: 409,
    retry: 'never',
    message: 'another call changed files that the session has changed and not committed',
  },
  'limit.exceeded': { status: 422, retry: 'never', message: 'the call used more than its limits allow' },
  'effect.invalid': { status: 422, retry: 'never', message: 'what came out of the sandbox is not a valid effect' },
  'secret.in_delta': { status: 403, retry: 'never', message: 'what the call left in the workspace holds a secret' },
  'attempts.exhausted': { status: 503, retry: 'never', message: 'no executor finished the call in three attempts' },
  'effect.ambiguous': {
    status: 502,
    retry: 'never',
    message: 'an external effect was started and its outcome is unknown',
  },
  // functions that a tenant's own process runs
  'function.failed': { status: 502, retry: 'never', message: 'the function failed, as its executor reported' },
  'function.result_invalid': {
    status: 502,
    retry: 'never',
    message: "the function's result does not fit the tool's result schema",
  },
  // permits and leases: between processes
  'permit.invalid': { status: 403, retry: 'never', message: 'the permit is not valid' },
  'permit.expired': { status: 409, retry: 'never', message: 'the permit has expired' },
  'permit.spent': { status: 409, retry: 'never', message: 'the permit was redeemed by another' },
  'attempt.fenced': { status: 409, retry: 'never', message: 'the attempt is no longer the current one' },
  // internal
  overloaded: { status: 503, retry: 'later', message: 'too much is under way' },
  'record.backlog': {
    status: 503,
    retry: 'later',
    message: 'records wait too long to be logged, so nothing new is admitted',
  },
  'record.invalid': { status: 422, retry: 'never', message: 'the record is not valid or not signed by a known key' },
  'record.too_large': { status: 500, retry: 'never', message: 'the record is larger than allowed' },
  'receipt.pending': { status: 404, retry: 'later', message: 'the receipt is not there yet' },
  'ledger.diverged': {
    status: 500,
    retry: 'never',
    message: 'the log in the database is older than the signed one, or differs from it',
  },
  'ledger.unavailable': { status: 503, retry: 'later', message: 'the ledger does not answer' },
  // What was asked may be done: a reply can be lost, and a connection at COMMIT.
  'bus.unreachable': { status: 503, retry: 'same-key', message: 'a part of the system does not answer' },
  'database.unavailable': { status: 503, retry: 'same-key', message: 'the database does not answer' },
  'blob.missing': { status: 500, retry: 'never', message: 'a stored content is missing' },
  'blob.corrupt': { status: 500, retry: 'never', message: 'a stored content does not match its hash' },
  'sandbox.unavailable': { status: 503, retry: 'later', message: 'no sandbox can be started' },
  // audio
  'audio.unreadable': { status: 422, retry: 'never', message: 'the bytes are no audio that is read here' },
  'audio.too_long': { status: 413, retry: 'never', message: 'the audio is longer than allowed' },
  'transcription.model_unknown': { status: 422, retry: 'never', message: 'there is no such model of transcription' },
  'transcription.unavailable': { status: 503, retry: 'later', message: 'no engine of transcription can be reached' },
  'transcription.failed': { status: 422, retry: 'never', message: 'the engine of transcription failed on the audio' },
  'version.unsupported': {
    status: 400,
    retry: 'never',
    message: 'the request or message is of a version that is not understood here',
  },
  internal: { status: 500, retry: 'same-key', message: 'something failed here that should not' },
} as const satisfies Record<string, { status: number; retry: 'never' | 'later' | 'same-key'; message: string }>;

export type FaultCode = keyof typeof FAULTS;

/** Answers whether the text is a code of the table. */
export const isFaultCode = (text: unknown): text is FaultCode =>
  typeof text === 'string' && Object.hasOwn(FAULTS, text);

/**
 * A promise that could not be kept, with a code of the closed table. `detail` is safe for the caller: what, where and
 * the remedy, lower case, input in backticks, never a secret. `cause` is for operators and never leaves the process.
 */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly detail: string | undefined;
  readonly pointer: string | undefined;

  constructor(code: FaultCode, detail?: string, options: { cause?: unknown; pointer?: string } = {}) {
    super(detail ?? FAULTS[code].message, { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    [this.detail, this.pointer] = [detail, options.pointer];
  }

  get status(): number {
    return FAULTS[this.code].status;
  }

  get retryable(): boolean {
    return FAULTS[this.code].retry !== 'never';
  }
}
