// SPDX-License-Identifier: Apache-2.0
import type { McpAbout, McpListing } from '@writ/contract';
import type { CallDone, CallWork, ListWork, SessionDone, SkippedTool } from '@writ/mcp-client';
import { callRemoteTool, listRemoteTools } from '@writ/mcp-client/thread';
import { SecretValues, type NamedValue } from '../redaction/redactor.ts';
import { shownAnswer, type ShownAnswer } from './mcp-answer.ts';

export interface McpListWork extends ListWork {
  readonly named: readonly NamedValue[];
}

export interface McpCallWork extends CallWork {
  readonly named: readonly NamedValue[];
  /** of the JSON of the result */
  readonly bytesMax: number;
}

export interface McpCallDone extends Omit<CallDone, 'answer'> {
  readonly answer: ShownAnswer;
}

/** What a server lists, to be stored. */
export interface McpListDone {
  /** the JSON of an McpListing */
  readonly listing: Uint8Array;
  readonly about: McpAbout;
}

/**
 * Sessions at MCP servers, whose cost the server decides, for worker threads that wait for servers. Whatever reads what
 * a server sends is in here: the protocol, its JSON, the definitions and the results.
 */
export const MCP_SESSION_TASKS = {
  'mcp.list': async ({ named, ...work }: McpListWork): Promise<SessionDone<McpListDone>> => {
    const done = await listRemoteTools(work);
    const values = new SecretValues(named);
    if ('failed' in done) return { failed: { ...done.failed, message: values.redactText(done.failed.message) } };
    const { tools, skipped, about } = done.value;
    const listing = Buffer.from(
      JSON.stringify({ v: 1, tools: [...tools], skipped: shortened(skipped) } satisfies McpListing),
    );
    // Models and people read definitions, and one without its value would not be what the server lists.
    return values.nameIn(Buffer.concat([listing, Buffer.from(JSON.stringify(about))])) === null
      ? { value: { listing, about } }
      : { failed: { reason: 'malformed', message: 'the server repeats its credential in what it says of its tools' } };
  },
  'mcp.call': async ({ named, bytesMax, ...work }: McpCallWork): Promise<SessionDone<McpCallDone>> => {
    const done = await callRemoteTool(work);
    if ('failed' in done) return done;
    const { answer, listing } = done.value;
    // A listing that is valid for no time is no use to anybody else.
    const kept = listing === null || listing.ttlMs > 0 ? listing : { ...listing, tools: [], skipped: [], bytes: 0 };
    return { value: { answer: shownAnswer(answer, named, bytesMax), listing: kept } };
  },
} as const;

export type McpSessionTasks = typeof MCP_SESSION_TASKS;

/** As much as a listing has room for. */
const NAME_CHARS_MAX = 128;
const PROBLEM_CHARS_MAX = 256;

const shortened = (skipped: readonly SkippedTool[]) =>
  skipped.map(({ name, problem }) => ({
    name: name.slice(0, NAME_CHARS_MAX).toWellFormed().replaceAll('\0', '\uFFFD'),
    problem: problem.slice(0, PROBLEM_CHARS_MAX).toWellFormed(),
  }));
