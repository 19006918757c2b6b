// SPDX-License-Identifier: Apache-2.0
//
// Requests of a mount for resources, prompts and completions. Each is a call of the tool that stands for it.
// INVARIANT (whose words): an answer is the server's, whole and in the form of its method. Anything else is an error.
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type CompleteResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { mayAsk, type McpServerRequest } from '@writ/mcp-tool';
import type { StructuredResult } from '../call-result.ts';
import type { CallContext } from '../call-context.ts';
import type { CallTool } from '../call-tool.ts';
import type { Asked } from '../held-state.ts';
import { saidInMeta } from '../proposed-body.ts';
import { OWN_RESULTS } from '../results.ts';
import { isObject, isRemoteResult, metaOf } from './mount-results.ts';
import type { MountedFeatures } from './mounted-features.ts';
import type { RemoteTools } from './remote-tools.ts';
import { askableAt } from './server-questions.ts';

type Params = Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> | undefined };
/** The executor rebuilds an answer in the form of its method, and passes on no other. */
type Reply =
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult;

/** The parameters that are arguments of the call. */
const ARGUMENTS: Readonly<Record<McpServerRequest, readonly string[]>> = {
  'resources/list': ['cursor'],
  'resources/templates/list': ['cursor'],
  'resources/read': ['uri'],
  'prompts/list': ['cursor'],
  'prompts/get': ['name', 'arguments'],
  'completion/complete': ['ref', 'argument', 'context'],
};
/** Characters of an error's words. A longer message would be replaced on its way out (short-errors.ts). */
const WORDS_MAX = 800;
const TOO_LONG = 'the call succeeded, and its answer is too long to be passed on';
const ASKS =
  'the server asks its client for more, and this answer can not pass that on: send the request again, with a client that declares what the server asks for';
const REDACTED = 'the call succeeded, and the policy keeps parts of its answer from you';

/**
 * Makes the call of a request, and answers with what the server answered.
 * @param contextOf makes the context of a call
 * @throws ProtocolError that names the operation, for what is no success
 */
export async function mountedRequest(
  { calls, remote }: { readonly calls: Pick<CallTool, 'run'>; readonly remote: Pick<RemoteTools, 'asking'> },
  { method, tool }: NonNullable<MountedFeatures['request']>,
  contextOf: (asked: Asked) => CallContext,
  params: Params = {},
): Promise<Reply | InputRequiredResult> {
  const { _meta: meta } = params;
  const args = Object.fromEntries(
    ARGUMENTS[method].filter((name) => params[name] !== undefined).map((name) => [name, params[name]]),
  );
  const context = contextOf({ id: tool.tool_id, args, ...saidInMeta(meta) });
  // In the revision no other request has an answer that asks, whoever asks.
  if (!mayAsk(method)) refuseAnswers(method, context);
  const asking = mayAsk(method)
    ? await askableAt(remote, context, tool.tool_id)
    : { asks: null, canElicit: false, canOpenPages: false };
  const answer = await calls.run(
    { ...context, ...asking, canTakeTasks: false, results: OWN_RESULTS },
    { name: tool.tool_id, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
  );
  if (isInputRequiredResult(answer)) return answer;
  return replyOf(answer.structuredContent as unknown as StructuredResult, method === 'resources/read' ? args : {});
}

/** @throws ProtocolError for answers to a question that the method never has */
function refuseAnswers(method: McpServerRequest, { request: { mcpReq } }: CallContext): void {
  if (mcpReq.requestState() === undefined && mcpReq.inputResponses === undefined) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `\`${method}\` asks its client nothing, so it takes neither \`requestState\` nor \`inputResponses\``,
  );
}

/** @param asked what an error repeats: that of a read has the address, as the revision asks for */
function replyOf(operation: StructuredResult, asked: Readonly<Record<string, unknown>>): Reply {
  const { error, result } = operation;
  if (error === null && isRemoteResult(result) && !result.is_error && isObject(result.structured))
    return { ...(result.structured as unknown as Reply), _meta: metaOf(operation) };
  const { operation_id, state, approval_id, receipt, next } = operation;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, wordsOf(operation), {
    ...asked,
    operation_id,
    state,
    code: error?.code ?? null,
    approval_id,
    receipt,
    next,
  });
}

function wordsOf({ error, next, result, state, ...more }: StructuredResult): string {
  if (error !== null) {
    const words = `${error.code}: ${error.message}${error.hint === null ? '' : ` (${error.hint})`}`;
    return words.length <= WORDS_MAX ? words : `${words.slice(0, WORDS_MAX).toWellFormed()}…`;
  }
  if (more.redacted_result !== undefined) return REDACTED;
  if (isObject(result) && result['asks'] !== undefined) return ASKS;
  if (isRemoteResult(result) && result.truncated) return TOO_LONG;
  return next ?? `the call ended as \`${state}\`, and there is no answer of the server`;
}
