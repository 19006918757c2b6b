// SPDX-License-Identifier: Apache-2.0
//
// Questions of a mounted server to its client (`input_required` of the revision 2026-07-28). A question is the answer
// of an operation, and the client's answers are arguments of another one. INVARIANT (decided as arguments): what a
// client answers reaches the server in no other way. INVARIANT (kept in the record): the server's own state is read
// from the first operation, and never from what the client sends.
import type { InputRequiredResult, InputRequests, ServerContext } from '@modelcontextprotocol/server';
import { inputRequired } from '@modelcontextprotocol/server';
import {
  Fault,
  MCP_ASKS,
  MCP_INPUT,
  McpQuestion,
  type McpAsk,
  type McpInput,
  type OperationView,
} from '@writ/contract';
import { Compile } from 'typebox/compile';
import { clientCapabilities } from '../client-capabilities.ts';

const QUESTION = Compile(McpQuestion);

/**
 * The arguments of a call that may be answered with a question. Answers that a client gives before it is asked go to
 * the server as well: they are arguments, too.
 */
export function withInput(
  args: Record<string, unknown>,
  { mcpReq: { inputResponses = {} } }: ServerContext,
  asks: readonly McpAsk[] | null,
): Record<string, unknown> {
  if (asks === null || asks.length === 0) return args;
  const responses = Object.keys(inputResponses).length === 0 ? {} : { responses: inputResponses };
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

/** The question that an operation ended with; null for any other end, and where it can't be read. */
export function questionIn({ state, result, redactions = [] }: OperationView): McpQuestion | null {
  // An operation of a tool that reads ends as `no_op`.
  if ((state !== 'committed' && state !== 'no_op') || result === null || result.error !== null) return null;
  // What rules took away can't be asked, and half of a question means nothing.
  if (redactions.some(({ pointers }) => pointers.some((pointer) => /^$|^\/(?:asks|\*)(?:\/|$)/.test(pointer))))
    return null;
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

/** The question as the client gets it. @param requestState names the operation; the server's own state stays here */
export const askedOf = ({ requests }: McpQuestion, requestState: string): InputRequiredResult =>
  inputRequired({
    ...(Object.keys(requests).length === 0 ? {} : { inputRequests: requests as unknown as InputRequests }),
    requestState,
  });

/**
 * The client's side of the question, as an argument; null where it left something unanswered. Answers to what was not
 * asked are left out.
 */
export function inputFor(
  { requests, state }: McpQuestion,
  { mcpReq: { inputResponses = {} } }: ServerContext,
  asks: readonly McpAsk[] | null,
): McpInput | null {
  const keys = Object.keys(requests);
  if (keys.some((key) => !Object.hasOwn(inputResponses, key))) return null;
  const responses = Object.fromEntries(
    keys.map((key) => [key, inputResponses[key] as Readonly<Record<string, unknown>>]),
  );
  return {
    capabilities: [...(asks ?? [])],
    ...(keys.length === 0 ? {} : { responses }),
    ...(state === null ? {} : { state }),
  };
}

/** The key of the operation that answers a question: it is answered once, and the same answers are the same call. */
export const answerKey = (questionId: string): string => `mcp-answer:${questionId}`;

/** The fault for a question that is not there any more. */
export const questionGone = (operationId: string): Fault =>
  new Fault(
    'conflict',
    `the question of operation ${operationId} can not be read any more, or was no question: call the tool anew`,
  );
