// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (pinned): a tool is called only where its definition has the digest that the call was decided on.
import type { JsonSchemaText, McpRemoteTool } from '@writ/contract';
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';
import { mcpResultFaults, remoteDigest } from '@writ/mcp-tool';
import { McpError } from './mcp-error.ts';
import { listOf } from './list-tools.ts';
import { inSession, type Session } from './session.ts';
import type { CallDone, CallWork, Listing, RemoteAnswer, RemoteContent, SessionDone } from './session-work.ts';

/** Parts of a result. */
const PARTS_MAX = 256;
/** The levels that a result may have. */
const DEPTH_MAX = 32;

/** Calls a tool, once. Its definition is compared with the pinned one before. */
export const callRemoteTool = (work: CallWork): Promise<SessionDone<CallDone>> =>
  inSession(work, async (session) => {
    const { listing, tool } = await pinnedTool(session, work);
    const result = await session.call(work.name, work.args, tool.inputSchema);
    return { answer: answerOf(result as Result, work.output), listing };
  });

/** @throws McpError `changed` or `gone` */
async function pinnedTool(
  session: Session,
  { name, digest, known }: CallWork,
): Promise<{ readonly listing: Listing | null; readonly tool: McpRemoteTool }> {
  if (known !== null && known.name === name && remoteDigest(known) === digest) {
    await session.connect();
    return { listing: null, tool: known };
  }
  const listing = await listOf(session);
  const tool = listing.tools.find((each) => each.name === name);
  if (tool === undefined) throw new McpError('gone', goneMessage(listing, name));
  if (remoteDigest(tool) !== digest)
    throw new McpError('changed', 'the server defines the tool otherwise than an administrator accepted it');
  return { listing, tool };
}

function goneMessage({ skipped }: Listing, name: string): string {
  const problem = skipped.find((each) => each.name === name)?.problem;
  return problem === undefined ? 'the server has no such tool any more' : `the tool can't be used any more: ${problem}`;
}

/** A result as the SDK validated it. */
interface Result {
  readonly content?: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

function answerOf(result: Result, schema: JsonSchemaText | null): RemoteAnswer {
  const { content = [], structuredContent, isError = false } = result;
  if (content.length > PARTS_MAX) throw new McpError('too_large', `the result has more than ${PARTS_MAX} parts`);
  return {
    content: content.map(partOf),
    structured:
      structuredContent === undefined ? absent(schema, isError) : structuredOf(structuredContent, schema, isError),
    is_error: isError,
  };
}

function absent(schema: unknown, isError: boolean): null {
  if (schema === null || isError) return null;
  throw new McpError('result_invalid', 'the result lacks the structured part that the tool promises');
}

function structuredOf(value: unknown, schema: JsonSchemaText | null, isError: boolean): JsonValue {
  const read = jsonOf(value);
  // A tool that says that it failed promises nothing of its result.
  if (schema === null || isError) return read;
  const [first] = mcpResultFaults(schema, read);
  if (first === undefined) return read;
  throw new McpError('result_invalid', `the result is not as the tool promises: \`${first.pointer}\` ${first.message}`);
}

/** A result is stored and hashed, which takes I-JSON. */
function jsonOf(value: unknown): JsonValue {
  try {
    return parseIJson(JSON.stringify(value), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new McpError('result_invalid', `the result can not be kept: ${error.message}`);
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const optional = <K extends string>(name: K, value: unknown): Partial<Record<K, string>> =>
  typeof value === 'string' ? ({ [name]: value } as Record<K, string>) : {};

/** Only what is known is kept of a part: what else a server adds has no meaning here. */
function partOf(part: Readonly<Record<string, unknown>>): RemoteContent {
  const { type, mimeType } = part;
  if (type === 'image' || type === 'audio') return { type, mimeType: text(mimeType), data: text(part['data']) };
  if (type === 'resource') return { type, resource: resourceOf(part['resource'] as Readonly<Record<string, unknown>>) };
  if (type === 'resource_link')
    return {
      type,
      uri: text(part['uri']),
      name: text(part['name']),
      ...optional('title', part['title']),
      ...optional('description', part['description']),
      ...optional('mimeType', mimeType),
    };
  return { type: 'text', text: text(part['text']) };
}

const resourceOf = (resource: Readonly<Record<string, unknown>>) => ({
  uri: text(resource['uri']),
  ...optional('mimeType', resource['mimeType']),
  ...optional('text', resource['text']),
  ...optional('blob', resource['blob']),
});
