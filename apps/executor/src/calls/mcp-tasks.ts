// SPDX-License-Identifier: Apache-2.0
import type { McpAbout, McpListing } from '@writ/contract';
import type { CallDone, CallWork, ListWork, Redact, SessionDone, SkippedTool } from '@writ/mcp-client';
import { callRemoteTool, listRemoteTools } from '@writ/mcp-client/thread';
import { nameInJson } from '../redaction/name-in-json.ts';
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
    const values = new SecretValues(named);
    const done = await listRemoteTools(work, redactionOf(values));
    if ('failed' in done) return done;
    const { tools, skipped, about } = done.value;
    // Models and people read definitions, and one without its value would not be what the server lists. INVARIANT
    // (searched before cut): nobody finds a value that was cut in two.
    if (nameInJson(values, { tools, skipped, about }) !== null)
      return {
        failed: { reason: 'malformed', message: 'the server repeats its credential in what it says of its tools' },
      };
    const listing: McpListing = { v: 1, tools: [...tools], skipped: shortened(skipped) };
    return { value: { listing: new TextEncoder().encode(JSON.stringify(listing)), about } };
  },
  'mcp.call': async ({ named, bytesMax, ...work }: McpCallWork): Promise<SessionDone<McpCallDone>> => {
    const values = new SecretValues(named);
    const done = await callRemoteTool(work, redactionOf(values));
    if ('failed' in done) return done;
    const { answer, listed } = done.value;
    // A question without a value that it repeats would not be what the server asks, nor its state what it wants back.
    if (answer.asks !== undefined && nameInJson(values, answer.asks) !== null)
      return { failed: { reason: 'malformed', message: 'the server repeats its credential in what it asks for' } };
    const shown = shownAnswer(answer, named, bytesMax);
    // Half of a question means nothing.
    if (shown.asks !== undefined && Buffer.byteLength(JSON.stringify(shown)) > bytesMax)
      return { failed: { reason: 'too_large', message: `the server asks with more than ${bytesMax} bytes` } };
    return { value: { answer: shown, listed } };
  },
} as const;

export type McpSessionTasks = typeof MCP_SESSION_TASKS;

const redactionOf =
  (values: SecretValues): Redact =>
  (text, isCut) =>
    values.redactText(text, isCut);

/** As much as a listing has room for. */
const NAME_CHARS_MAX = 128;
const PROBLEM_CHARS_MAX = 256;

const shortened = (skipped: readonly SkippedTool[]) =>
  skipped.map(({ name, problem }) => ({
    name: name.slice(0, NAME_CHARS_MAX).toWellFormed().replaceAll('\0', '\uFFFD'),
    problem: problem.slice(0, PROBLEM_CHARS_MAX).toWellFormed(),
  }));
