// SPDX-License-Identifier: Apache-2.0
//
// Questions of a mounted server to its client (`input_required` of the revision 2026-07-28). A question is the answer
// of an operation, and the client's answers are arguments of another one. INVARIANT (decided as arguments): what a
// client answers reaches the server in no other way. INVARIANT (kept in the record): the server's own state is read
// from the first operation, and never from what the client sends.
import { createHmac, hkdfSync } from 'node:crypto';
import type { InputRequiredResult, InputRequests, ServerContext } from '@modelcontextprotocol/server';
import { inputRequired } from '@modelcontextprotocol/server';
import {
  Fault,
  MCP_ASK_LIMITS,
  MCP_ASKS,
  MCP_INPUT,
  McpQuestion,
  type McpAsk,
  type McpInput,
  type OperationView,
} from '@writ/contract';
import { Compile } from 'typebox/compile';
import { clientCapabilities } from '../client-capabilities.ts';
import type { McpAccess } from '../access.ts';
import type { GivenAnswers, HeldState } from '../held-state.ts';
import type { RemoteTools } from './remote-tools.ts';

const QUESTION = Compile(McpQuestion);

/** Of a call that takes nothing to its server. */
export const NO_ANSWERS: GivenAnswers = { question: null, responses: {} };

/**
 * What a call takes to its server. Answers that a client gives before it is asked go there as well: they are arguments,
 * too. INVARIANT (whose answer): what a client answers to a question of Writ's own never goes to the server. Then the
 * call takes what the refused one took.
 */
export function answersIn(
  state: HeldState | undefined,
  { mcpReq: { inputResponses: responses = {} } }: ServerContext,
): GivenAnswers {
  if (state === undefined) return { question: null, responses };
  if (state.asks === true) return { question: state.operation_id, responses };
  return state.answers ?? NO_ANSWERS;
}

/** What a state says of what its call took to the server; undefined: nothing. Long answers are asked for again. */
export function keptAnswers(answers: GivenAnswers, asks: readonly McpAsk[] | null): GivenAnswers | undefined {
  const { question, responses } = answers;
  if (question === null && (asks === null || asks.length === 0 || Object.keys(responses).length === 0))
    return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(responses));
  return bytes <= MCP_ASK_LIMITS.bytes ? answers : { question, responses: {} };
}

/** The arguments of a call that may be answered with a question. */
export function argsWithInput(
  args: Record<string, unknown>,
  given: GivenAnswers['responses'],
  asks: readonly McpAsk[] | null,
): Record<string, unknown> {
  if (asks === null || asks.length === 0) return args;
  const responses = Object.keys(given).length === 0 ? {} : { responses: given };
  return { ...args, [MCP_INPUT]: { capabilities: [...asks], ...responses } };
}

/** What the client can be asked for, as the envelope of its request says. Form is what a bare `elicitation` means. */
export function declaredAsks(request: ServerContext): readonly McpAsk[] {
  const { elicitation, sampling, roots } = clientCapabilities<{
    elicitation: { readonly form?: unknown; readonly url?: unknown };
    sampling: unknown;
    roots: unknown;
  }>(request);
  const { form, url } = elicitation ?? {};
  const declared: Readonly<Record<McpAsk, boolean>> = {
    elicitation: elicitation !== undefined && (form !== undefined || url === undefined),
    elicitation_url: url !== undefined,
    sampling: sampling !== undefined,
    roots: roots !== undefined,
  };
  return MCP_ASKS.filter((ask) => declared[ask]);
}

/** What a call may be asked, and by whom. */
interface Askable {
  readonly asks: readonly McpAsk[] | null;
  readonly serverDigest: string | null;
}

/**
 * What the server of a mount may ask this client for: what the client declares, and the tool's document allows. Null in
 * a revision without questions. A request with a state learns the server even where its client declares nothing.
 * @param toolId null: no tool of the server is called
 */
export async function askableAt(
  remote: Pick<RemoteTools, 'asking'>,
  { isModern, request, access }: AskingContext,
  toolId: string | null,
): Promise<Askable> {
  if (!isModern) return { asks: null, serverDigest: null };
  const declared = declaredAsks(request);
  const isFirst = request.mcpReq.requestState() === undefined;
  if (toolId === null || (declared.length === 0 && isFirst)) return { asks: [], serverDigest: null };
  const { asks, digest } = await remote.asking(access.caller, toolId);
  return { asks: declared.filter((ask) => asks.includes(ask)), serverDigest: digest };
}

/** What of the context of a call decides what its server may ask. */
interface AskingContext {
  readonly isModern: boolean;
  readonly request: ServerContext;
  readonly access: McpAccess;
}

/** The question that an operation ended with; null for any other end, and where it can't be read. */
export function questionIn({ state, result, redactions = [] }: OperationView): McpQuestion | null {
  // An operation of a tool that reads ends as `no_op`.
  if ((state !== 'committed' && state !== 'no_op') || result === null || result.error !== null) return null;
  // A rule that redacts anything redacts the question whole.
  if (redactions.length > 0) return null;
  const { asks } = (result.result ?? {}) as { readonly asks?: unknown };
  return QUESTION.Check(asks) ? asks : null;
}

/** Whether the client can be asked all of it. @param asks null: nothing is passed on */
export const canBeAsked = ({ requests }: McpQuestion, asks: readonly McpAsk[] | null): boolean =>
  asks !== null && Object.values(requests).every((request) => asks.includes(askOf(request)));

function askOf({ method, params }: McpQuestion['requests'][string]): McpAsk {
  if (method === 'sampling/createMessage') return 'sampling';
  if (method === 'roots/list') return 'roots';
  return params['mode'] === 'url' ? 'elicitation_url' : 'elicitation';
}

/**
 * The question as the client gets it. INVARIANT (whose question): what a person reads begins with the server that asks.
 * So no server asks in the name of Writ, which never begins so, or of another server. Writ asks neither for replies of
 * models nor for folders.
 * @param requestState names the operation; the server's own state stays here
 */
export function askedOf(
  { tool_id }: Pick<OperationView, 'tool_id'>,
  { requests }: McpQuestion,
  requestState: string,
): InputRequiredResult {
  const [, server = ''] = tool_id.split('.');
  const named = Object.entries(requests).map(([key, { method, params }]) => {
    const message = `Question from the MCP server \`${server}\`: ${String(params['message'])}`;
    return [key, { method, params: method === 'elicitation/create' ? { ...params, message } : params }] as const;
  });
  return inputRequired({
    ...(named.length === 0 ? {} : { inputRequests: Object.fromEntries(named) as unknown as InputRequests }),
    requestState,
  });
}

/**
 * The client's side of the question, as an argument; null where it left something unanswered. Answers to what was not
 * asked are left out.
 */
export function inputFor(
  { requests, state }: McpQuestion,
  given: GivenAnswers['responses'],
  asks: readonly McpAsk[],
): McpInput | null {
  const keys = Object.keys(requests);
  if (keys.some((key) => !Object.hasOwn(given, key))) return null;
  const responses = Object.fromEntries(keys.map((key) => [key, given[key] as Readonly<Record<string, unknown>>]));
  return { capabilities: [...asks], ...(keys.length === 0 ? {} : { responses }), ...(state === null ? {} : { state }) };
}

/**
 * Makes the idempotency key of the call that answers a question, from the operation that asked it. It is answered once:
 * the same answers are the same call, and others are a mismatch. Nobody else can make the key, and so claim it before.
 * @param key 32 bytes, from which the key of the MAC is derived
 */
export function answerKeys(key: Buffer): (operationId: string) => string {
  const derived = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'writ/mcp-answer/v1', 32));
  return (operationId) => `mcp-answer:${createHmac('sha256', derived).update(operationId).digest('base64url')}`;
}

/** The fault for a question that can't be answered any more. */
export const questionGone = (operationId: string): Fault =>
  new Fault(
    'conflict',
    `the question of operation ${operationId} can not be read any more, was no question, or its server has changed: send the request anew, without its state`,
  );

/**
 * INVARIANT (who asked): answers go to the server alone that asked, with the settings that it had. The tool stays in
 * force where an administrator changes those, for example its address.
 * @throws Fault for a state with a question or answers of a server with other settings
 */
export function requireSameServer(state: HeldState | undefined, serverDigest: string | null): void {
  if (state === undefined || (state.asks !== true && state.answers === undefined)) return;
  if ((state.server ?? null) !== serverDigest) throw questionGone(state.answers?.question ?? state.operation_id);
}
