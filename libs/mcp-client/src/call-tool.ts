// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (pinned): a tool is called only where its definition has the digest that the call was decided on.
import type { JsonSchemaText, McpRemoteTool } from '@writ/contract';
import { sha256Hex, type JsonValue } from '@writ/digest';
import { isServerRequest, mcpResultFaults, remoteBytes } from '@writ/mcp-tool';
import { contentPart } from './content-part.ts';
import { keptJson } from './kept-json.ts';
import { listingOf } from './list-tools.ts';
import { McpError, shownPlace, type Redact } from './mcp-error.ts';
import { askingAnswer } from './server-question.ts';
import { callServer } from './server-request.ts';
import { inSession, type Session } from './session.ts';
import type { CallDone, CallWork, ListedTool, Listing, RemoteAnswer, SessionDone } from './session-work.ts';

/** Parts of a result. */
const PARTS_MAX = 256;

/**
 * Calls a tool, once. Its definition is compared with the pinned one before. A tool with the name of a request of
 * servers is that request.
 * @param redact removes secret values from what the server says
 */
export const callRemoteTool = (work: CallWork, redact: Redact): Promise<SessionDone<CallDone>> =>
  inSession(work, redact, async (session) => {
    if (isServerRequest(work.name)) return await callServer(session, work.name, work);
    const { listed, tool } = await pinnedTool(session, work);
    const { input = null } = work;
    const result = await session.call(work.name, work.args, tool.inputSchema, input);
    const asking = askingAnswer(result, input, redact);
    return { answer: asking ?? answerOf(result as Result, work.output, redact), listed };
  });

/** @throws McpError `changed` or `gone` */
async function pinnedTool(
  session: Session,
  { name, digest, known }: CallWork,
): Promise<{ readonly listed: ListedTool | null; readonly tool: McpRemoteTool }> {
  const tool = known !== null && sha256Hex(known) === digest ? toolOf(known) : null;
  if (tool?.name === name) {
    await session.connect();
    return { listed: null, tool };
  }
  return await listedTool(session, name, digest);
}

const toolOf = (definition: Uint8Array): McpRemoteTool =>
  JSON.parse(Buffer.from(definition).toString('utf8')) as McpRemoteTool;

/** @throws McpError `changed` or `gone` */
async function listedTool(
  session: Session,
  name: string,
  digest: string,
): Promise<{ readonly listed: ListedTool; readonly tool: McpRemoteTool }> {
  const listing = await listingOf(session);
  const tool = listing.tools.find((each) => each.name === name);
  if (tool === undefined) throw new McpError('gone', goneMessage(listing, name));
  // Its own buffer: a message to the event loop copies the whole buffer of which it shows a part.
  const definition = Uint8Array.from(remoteBytes(tool));
  if (sha256Hex(definition) !== digest)
    throw new McpError('changed', 'the server defines the tool otherwise than an administrator accepted it');
  return { listed: { definition, ttlMs: listing.ttlMs, isLegacy: listing.isLegacy }, tool };
}

function goneMessage({ skipped }: Listing, name: string): string {
  const problem = skipped.find((each) => each.name === name)?.problem;
  return problem === undefined ? 'the server has no such tool any more' : `the tool can't be used any more: ${problem}`;
}

/** A result as the SDK validated it. */
interface Result {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

function answerOf(result: Result, schema: JsonSchemaText | null, redact: Redact): RemoteAnswer {
  const { content = [], structuredContent, isError = false } = result;
  if (content.length > PARTS_MAX) throw new McpError('too_large', `the result has more than ${PARTS_MAX} parts`);
  return {
    content: content.map((part, n) => contentPart(part, `/content/${n}`)),
    structured:
      structuredContent === undefined
        ? absent(schema, isError)
        : structuredOf(keptJson(structuredContent, redact), isError ? null : schema, redact),
    is_error: isError,
  };
}

function absent(schema: unknown, isError: boolean): null {
  if (schema === null || isError) return null;
  throw new McpError('result_invalid', 'the result lacks the structured part that the tool promises');
}

/** @param schema null where nothing is promised: a tool that says that it failed promises nothing of its result */
function structuredOf(value: JsonValue, schema: JsonSchemaText | null, redact: Redact): JsonValue {
  const [first] = schema === null ? [] : mcpResultFaults(schema, value);
  if (first === undefined) return value;
  const place = shownPlace(first.pointer, redact);
  throw new McpError('result_invalid', `the result is not as the tool promises: \`${place}\` ${first.message}`);
}
