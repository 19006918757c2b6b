// SPDX-License-Identifier: Apache-2.0
//
// Calls of what a server gives beside its tools: resources, prompts and completions. Each is one request of MCP, whose
// definition is Writ's own. INVARIANT (one form): the answer is the reply, rebuilt in the form of the definition, or a
// question of the server.
import { mayAsk, serverRequestDigest, serverRequests, type McpServerRequest } from '@writ/mcp-tool';
import { contentPart, resourceContents } from './content-part.ts';
import { keptJson } from './kept-json.ts';
import { McpError } from './mcp-error.ts';
import { amount, annotations, flag, listOf, oneOf, record, text, textUpTo, type Read } from './read-reply.ts';
import { askingAnswer } from './server-question.ts';
import type { Session } from './session.ts';
import type { CallDone, CallWork, RemoteAnswer } from './session-work.ts';

/** Entries of one page. */
const ENTRIES_MAX = 1_000;
/** Contents of a resource, messages of a prompt, and arguments of one. */
const PARTS_MAX = 256;
/** As the protocol has it. */
const VALUES_MAX = 100;
/** As long as the definition lets the next call have one. */
const CURSOR_CHARS_MAX = 4_096;

const page = (member: string, entry: Read<unknown>): Read<unknown> =>
  record({ [member]: listOf(entry, ENTRIES_MAX) }, { nextCursor: textUpTo(CURSOR_CHARS_MAX) });
const TITLES = { title: text, description: text };

const REPLIES: Readonly<Record<McpServerRequest, Read<unknown>>> = {
  'resources/list': page(
    'resources',
    record({ uri: text, name: text }, { ...TITLES, mimeType: text, size: amount, annotations }),
  ),
  'resources/templates/list': page(
    'resourceTemplates',
    record({ uriTemplate: text, name: text }, { ...TITLES, mimeType: text, annotations }),
  ),
  'resources/read': record({ contents: listOf(resourceContents, PARTS_MAX) }),
  'prompts/list': page(
    'prompts',
    record(
      { name: text },
      { ...TITLES, arguments: listOf(record({ name: text }, { ...TITLES, required: flag }), PARTS_MAX) },
    ),
  ),
  'prompts/get': record(
    { messages: listOf(record({ role: oneOf('user', 'assistant'), content: contentPart }), PARTS_MAX) },
    { description: text },
  ),
  'completion/complete': record({
    completion: record({ values: listOf(text, VALUES_MAX) }, { total: amount, hasMore: flag }),
  }),
};

/**
 * Sends the request, once. Nothing is listed before: its definition is Writ's, and whether the server takes it, the
 * server says when the session begins.
 * @throws McpError, and errors of the SDK
 */
export async function callServer(
  session: Session,
  name: McpServerRequest,
  { digest, args, input }: Pick<CallWork, 'digest' | 'args' | 'input'>,
): Promise<CallDone> {
  if (serverRequestDigest(name) !== digest)
    throw new McpError('changed', 'the definition of the request is another one than an administrator accepted');
  await session.connect();
  if (!serverRequests(session.capabilities).some((each) => each.name === name))
    throw new McpError('gone', 'the server does not declare any more that it takes this request');
  const asked = mayAsk(name) ? (input ?? null) : null;
  const reply = await session.request(name, args, asked);
  return {
    answer: askingAnswer(reply, asked, session.redact) ?? answerOf(name, reply, session),
    // It tells the revision. A listing that is valid for no time is no use to another call.
    listed: { definition: new Uint8Array(), ttlMs: 0, isLegacy: session.isLegacy },
  };
}

const answerOf = (name: McpServerRequest, reply: unknown, { redact }: Session): RemoteAnswer => ({
  content: [],
  structured: keptJson(REPLIES[name](reply, ''), redact),
  is_error: false,
});
