// SPDX-License-Identifier: Apache-2.0
import { ProtocolError, ProtocolErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { MCP_LIMITS, type McpRemoteTool } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { isServerRequest, remoteBytes, remoteToolOf, RESERVED_NAME, serverRequests } from '@writ/mcp-tool';
import { shownProblem } from './kept-json.ts';
import { McpError, type Redact } from './mcp-error.ts';
import { isObject } from './read-reply.ts';
import { inSession, type Session } from './session.ts';
import type { Listing, ListWork, SessionDone, SkippedTool } from './session-work.ts';

/** A call may send 64 requests, and a session has some others. */
const PAGES_MAX = 48;
const CURSOR_CHARS_MAX = 4_096;
const NAME_CHARS_MAX = 128;
/** The levels of a definition: schemas of more can't be accepted. */
const DEPTH_MAX = 64;
/** A listing says of itself how long it is valid, and a day is the most that the SDK believes. */
const TTL_MS_MAX = 86_400_000;

type Json = Readonly<Record<string, unknown>>;

/** Lists the tools of a server. @param redact removes secret values from what the server says */
export const listRemoteTools = (work: ListWork, redact: Redact): Promise<SessionDone<Listing>> =>
  inSession(work, redact, listingOf);

/**
 * Connects, and lists the tools. A server that has forgotten the session since is connected to anew, once.
 * @throws McpError, and errors of the SDK
 */
export async function listingOf(session: Session): Promise<Listing> {
  await session.connect();
  try {
    return await walk(session);
  } catch (error) {
    if (!session.isLost(error)) throw error;
    await session.connect();
    return await walk(session);
  }
}

async function walk(session: Session): Promise<Listing> {
  const found = new Found(session.redact);
  const requests = serverRequests(session.capabilities);
  const ttlMs = await addPages(found, session).catch((error: unknown) => {
    if (requests.length > 0 && hasNoTools(session, error)) return 0;
    throw error;
  });
  found.addRequests(requests);
  return { ...found.all(), ttlMs, about: session.about, isLegacy: session.isLegacy };
}

/** A server may have resources or prompts alone. One that declares no tools and lists them is taken at its list. */
const hasNoTools = (session: Session, error: unknown): boolean =>
  session.capabilities['tools'] === undefined && !session.isLost(error) && isUnknownMethod(error);

/** In the revision 2026-07-28 such an error has the status 404, and then the SDK reads no more of it. */
const isUnknownMethod = (error: unknown): boolean =>
  (error instanceof ProtocolError && error.code === Number(ProtocolErrorCode.MethodNotFound)) ||
  (error instanceof SdkHttpError && error.status === 404);

/** Adds all pages of tools. Resolves with how long they are valid, in milliseconds. */
async function addPages(found: Found, session: Session): Promise<number> {
  let cursor: string | null = null;
  let ttlMs = TTL_MS_MAX;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page: Json = objectOf(await session.request('tools/list', cursor === null ? {} : { cursor }));
    const { tools, nextCursor } = page;
    if (!Array.isArray(tools)) throw new McpError('malformed', 'the server lists its tools, and sends no list');
    for (const tool of tools) found.add(tool);
    ttlMs = Math.min(ttlMs, ttlOf(page));
    if (nextCursor === undefined || nextCursor === null) return ttlMs;
    if (typeof nextCursor !== 'string' || nextCursor === cursor || nextCursor.length > CURSOR_CHARS_MAX)
      throw new McpError('malformed', 'the pages of the list of tools do not follow each other');
    cursor = nextCursor;
  }
  throw new McpError('too_large', `the server lists its tools on more than ${PAGES_MAX} pages`);
}

function objectOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new McpError('malformed', "the server's list of tools is none of MCP");
  return value as Json;
}

const ttlOf = ({ ttlMs }: Json): number =>
  typeof ttlMs === 'number' && Number.isFinite(ttlMs) ? Math.min(Math.max(0, ttlMs), TTL_MS_MAX) : 0;

/** The tools so far. A tool that can't be used is left out, and said. */
class Found {
  readonly #tools = new Map<string, McpRemoteTool>();
  readonly #skipped = new Map<string, SkippedTool>();
  readonly #redact: Redact;
  #count = 0;
  #bytes = 0;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  add(tool: unknown): void {
    this.#count += 1;
    if (this.#count > MCP_LIMITS.tools)
      throw new McpError('too_large', `the server lists more than ${MCP_LIMITS.tools} tools`);
    const { name } = objectOf(tool);
    if (typeof name !== 'string' || name === '')
      throw new McpError('malformed', 'the server lists a tool without name');
    if (isServerRequest(name)) return this.#skip(name, RESERVED_NAME);
    const read = definitionOf(tool as Json, this.#redact);
    if ('problem' in read) this.#skip(name, read.problem);
    else if (this.#tools.has(name) || this.#skipped.has(name)) this.#skip(name, 'the server lists it twice');
    else this.#keep(read);
  }

  /** They come last: a server whose tools fill the listing has no room for them. */
  addRequests(requests: readonly McpRemoteTool[]): void {
    for (const request of requests) {
      const bytes = Buffer.byteLength(JSON.stringify(request));
      if (this.#tools.size < MCP_LIMITS.tools && this.#bytes + bytes <= MCP_LIMITS.listingBytes) this.#keep(request);
      else this.#skip(request.name, 'the tools of the server leave no room for it in the listing');
    }
  }

  all(): Pick<Listing, 'tools' | 'skipped' | 'bytes'> {
    return { tools: [...this.#tools.values()], skipped: [...this.#skipped.values()], bytes: this.#bytes };
  }

  /** INVARIANT (one meaning): of two tools with one name neither is used, since nobody knows which a call means. */
  #skip(name: string, problem: string): void {
    this.#tools.delete(name);
    this.#skipped.set(name, { name, problem });
  }

  #keep(tool: McpRemoteTool): void {
    this.#bytes += Buffer.byteLength(JSON.stringify(tool));
    if (this.#bytes > MCP_LIMITS.listingBytes)
      throw new McpError('too_large', `the server's tools take more than ${MCP_LIMITS.listingBytes} bytes`);
    this.#tools.set(tool.name, tool);
  }
}

function definitionOf(tool: Json, redact: Redact): McpRemoteTool | { readonly problem: string } {
  const definition = remoteToolOf(tool as McpRemoteTool);
  const problem = formProblem(definition) ?? taskProblem(tool['execution']) ?? canonicalProblem(definition, redact);
  return problem === null ? definition : { problem };
}

function formProblem({ name, title, description, ...rest }: McpRemoteTool): string | null {
  if (name.length > NAME_CHARS_MAX) return `its name has more than ${NAME_CHARS_MAX} characters`;
  if ([title, description].some((each) => each !== undefined && typeof each !== 'string'))
    return 'its title or its description is no text';
  const { inputSchema, outputSchema, annotations } = rest;
  if (!isObject(inputSchema)) return 'it has no schema of its arguments';
  const parts = [inputSchema, outputSchema, annotations].filter((each) => each !== undefined);
  if (!parts.every(isObject)) return 'the schema of its result, or its annotations, are no object';
  return parts.some((each) => Buffer.byteLength(JSON.stringify(each)) > MCP_LIMITS.schemaBytes)
    ? `one of its schemas takes more than ${MCP_LIMITS.schemaBytes} bytes`
    : null;
}

/** The revision 2025-11-25 lets a tool insist on being called as a task. */
const taskProblem = (execution: unknown): string | null =>
  isObject(execution) && execution['taskSupport'] === 'required'
    ? 'it runs as a task only, which is not supported'
    : null;

/** What has no canonical form has no digest, and what is longer than a message can't be shown. */
function canonicalProblem(definition: McpRemoteTool, redact: Redact): string | null {
  try {
    const bytes = remoteBytes(definition);
    if (bytes.length > MCP_LIMITS.definitionBytes)
      return `its definition takes more than ${MCP_LIMITS.definitionBytes} bytes`;
    parseIJson(bytes, { depthMax: DEPTH_MAX });
    return null;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return `its definition has no canonical form: ${shownProblem(error, redact)}`;
  }
}
