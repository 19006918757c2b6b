// SPDX-License-Identifier: Apache-2.0
//
// What a server asks of its client in the place of a result (`input_required` of the revision 2026-07-28).
// Attacker-controlled: it reaches a person, or a model, beside the client. INVARIANT (what was declared): a server that
// asks for anything else gets no answer, and its question is recorded nowhere.
import { isInputRequiredResult } from '@modelcontextprotocol/client';
import {
  hiddenInBody,
  hiddenInSubject,
  MCP_ASK_LIMITS,
  type McpAsk,
  type McpInput,
  type McpQuestion,
} from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { hiddenCharacter, textsIn } from '@writ/mcp-tool';
import { shownProblem } from './kept-json.ts';
import { McpError, type Redact } from './mcp-error.ts';
import { QUESTION_PARAMS } from './question-params.ts';
import { isObject } from './read-reply.ts';
import type { RemoteAnswer } from './session-work.ts';

type Json = Readonly<Record<string, unknown>>;

/** The levels that a question may have. */
const DEPTH_MAX = 32;
const LINES = /[\t\n\r]/u;

/** Members that take a capability of their own, which no client of ours declares. */
const UNDECLARED: Readonly<Record<string, readonly string[]>> = {
  'sampling/createMessage': ['tools', 'toolChoice'],
  'elicitation/create': ['task'],
};

/** The capabilities of a client in the words of the protocol. */
export function capabilitiesOf({ capabilities }: McpInput): Json {
  const form = capabilities.includes('elicitation') ? { form: {} } : {};
  const url = capabilities.includes('elicitation_url') ? { url: {} } : {};
  const elicitation = { ...form, ...url };
  return {
    ...(Object.keys(elicitation).length === 0 ? {} : { elicitation }),
    ...(capabilities.includes('sampling') ? { sampling: {} } : {}),
    ...(capabilities.includes('roots') ? { roots: {} } : {}),
  };
}

/** A reply that asks, as the SDK gives it. */
interface AskingReply {
  readonly inputRequests?: unknown;
  readonly requestState?: unknown;
}

/**
 * The answer of a call whose reply asks; null for any other reply.
 * @param input null: the server may ask for nothing
 * @throws McpError `unsupported` for a question that was not declared, or that is beyond the limits
 */
export function askingAnswer(reply: unknown, input: McpInput | null, redact: Redact): RemoteAnswer | null {
  if (input === null || !isInputRequiredResult(reply)) return null;
  // A question promises nothing of a result.
  return { content: [], structured: null, is_error: false, asks: questionOf(reply, input, redact) };
}

function questionOf({ inputRequests = {}, requestState }: AskingReply, input: McpInput, redact: Redact): McpQuestion {
  const state = requestState ?? null;
  if (state !== null && typeof state !== 'string') throw unsupported('wants a state back that is no text');
  if (state !== null && Buffer.byteLength(state) > MCP_ASK_LIMITS.stateBytes)
    throw unsupported(`wants more than ${MCP_ASK_LIMITS.stateBytes} bytes of state back`);
  if (!isObject(inputRequests)) throw unsupported('asks in a form that MCP does not define');
  const entries = Object.entries(inputRequests);
  if (entries.length > MCP_ASK_LIMITS.requests)
    throw unsupported(`asks for more than ${MCP_ASK_LIMITS.requests} things`);
  const requests = Object.fromEntries(
    entries.map(([key, request], n) => [keyOf(key), requestOf(request, `/inputRequests/${n}`, input)]),
  );
  if (Buffer.byteLength(JSON.stringify(requests)) > MCP_ASK_LIMITS.bytes)
    throw unsupported(`asks with more than ${MCP_ASK_LIMITS.bytes} bytes`);
  // Only what is within the limits of levels and bytes has its texts read.
  Object.values(requests).forEach(requireShown);
  return storable({ requests, state }, redact);
}

const unsupported = (what: string): McpError => new McpError('unsupported', `the server ${what}`);

/** INVARIANT (one key): the answer has the key of its question, as a reader sees it and as every client keeps it. */
function keyOf(key: string): string {
  if (key === '' || key.length > MCP_ASK_LIMITS.keyChars)
    throw unsupported(`names what it asks for with none or more than ${MCP_ASK_LIMITS.keyChars} characters`);
  if (hiddenCharacter(key) !== null || LINES.test(key))
    throw unsupported('names what it asks for with characters that nobody sees');
  if (key === '__proto__') throw unsupported('names what it asks for `__proto__`, under which clients keep no answer');
  return key;
}

function requestOf(request: unknown, place: string, { capabilities }: McpInput): McpQuestion['requests'][string] {
  const { method, params = {} } = isObject(request) ? request : {};
  if (typeof method !== 'string' || !isObject(params)) throw unsupported('asks in a form that MCP does not define');
  const ask = askOf(method, params);
  if (!capabilities.includes(ask)) throw unsupported(`asks for \`${ask}\`, which its client did not declare`);
  const undeclared = UNDECLARED[method]?.find((name) => params[name] !== undefined);
  if (undeclared !== undefined) throw unsupported(`asks with \`${undeclared}\`, which its client did not declare`);
  return { method, params: paramsOf(ask, params, `${place}/params`) };
}

/** What asks in another form is passed on to nobody. */
function paramsOf(ask: McpAsk, params: Json, place: string): Json {
  try {
    return QUESTION_PARAMS[ask](params, place);
  } catch (error) {
    throw error instanceof McpError ? new McpError('unsupported', error.message) : error;
  }
}

function askOf(method: string, { mode }: Json): McpAsk {
  if (method === 'sampling/createMessage') return 'sampling';
  if (method === 'roots/list') return 'roots';
  if (method !== 'elicitation/create') throw unsupported('asks for something that MCP does not define');
  if (mode !== undefined && mode !== 'form' && mode !== 'url') throw unsupported('asks a person in an unknown way');
  return mode === 'url' ? 'elicitation_url' : 'elicitation';
}

/**
 * INVARIANT (seen as stored): no text has characters that nobody sees, names included. A text for a model may be a
 * whole document. There, invisible marks are allowed that carry no text and change no order.
 */
function requireShown({ method, params }: McpQuestion['requests'][string]): void {
  const hiddenIn = method === 'sampling/createMessage' ? hiddenInBody : hiddenInSubject;
  for (const { text } of textsIn(params))
    if (hiddenCharacter(text, hiddenIn) !== null) throw unsupported('asks with characters that nobody sees');
}

/** A question is stored and hashed as it is, which takes I-JSON without NUL. */
function storable(question: McpQuestion, redact: Redact): McpQuestion {
  try {
    const kept = parseIJson(JSON.stringify(question), { depthMax: DEPTH_MAX }) as McpQuestion;
    for (const { text } of textsIn(kept)) if (text.includes('\0')) throw unsupported('asks with the character U+0000');
    return kept;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw unsupported(`asks for what can not be kept: ${shownProblem(error, redact)}`);
  }
}
