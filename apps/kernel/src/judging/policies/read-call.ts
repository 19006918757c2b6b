// SPDX-License-Identifier: Apache-2.0
//
// What of a call is read for its risk, as data that can be sent to a thread: a tool's functions are asked before.
// INVARIANT (judged is run): a command that names secrets is read as it will run, with variables in their places; one
// that can't be made so is refused.
import type { FsResource, RequestResource, ToolCategory, ToolDefinition } from '@writ/contract';
import {
  assessRisk,
  placeSecrets,
  type Risk,
  type RiskHistory,
  type RiskInput,
  type ShellBudget,
  type ShellGrammar,
} from '@writ/risk';
import type { JudgedAction } from './policy-sets.ts';

/** Arguments whose texts are read. */
const TEXTS = ['command', 'cwd', 'stdin', 'input', 'shell'] as const;

/** A call as it is read for its risk. */
export interface ReadCall {
  readonly tool: Pick<ToolDefinition, 'tool_id' | 'category' | 'supervised' | 'session'>;
  readonly texts: Readonly<Partial<Record<(typeof TEXTS)[number], string>>>;
  /** what the tool's own functions answer about the arguments; absent where it has none */
  readonly commandLine?: string;
  readonly category?: ToolCategory;
  readonly requests?: readonly RequestResource[];
  readonly resources: readonly FsResource[];
  /** whether secrets that the command names become variables */
  readonly placesSecrets: boolean;
  readonly history: RiskHistory;
}

/** What the risk table says of the call, or why its command can't be made what runs. */
export type CallRead =
  | { readonly ok: true; readonly risk: Risk }
  | { readonly ok: false; readonly message: string; readonly hint: string; readonly unread: boolean };

/** What of the action is read. */
export function readCallOf({ tool, args, resources, labels, past }: JudgedAction): ReadCall {
  const { tool_id, category, supervised, session, commandLine, categoryOf, requests } = tool;
  const texts: ReadCall['texts'] = Object.fromEntries(
    TEXTS.flatMap((name) => {
      const text = args[name];
      return typeof text === 'string' ? [[name, text]] : [];
    }),
  );
  const hasText = commandLine !== undefined || texts['command'] !== undefined || texts['input'] !== undefined;
  return {
    tool: {
      tool_id,
      category,
      ...(supervised === undefined ? {} : { supervised }),
      ...(session === undefined ? {} : { session }),
    },
    texts,
    ...(commandLine === undefined ? {} : { commandLine: commandLine(args) }),
    ...(categoryOf === undefined ? {} : { category: categoryOf(args) }),
    ...(requests === undefined ? {} : { requests: requests(args) }),
    // A call that has a command is read by that alone.
    resources: hasText ? [] : resources,
    placesSecrets: tool.accepts_secrets.includes('command'),
    history: { labels, ...past },
  };
}

/** About how much there is to read: bytes of text, and a path as many as it has. */
export function sizeOf({ texts, commandLine = '', resources }: ReadCall): number {
  const bytes = [...Object.values(texts), commandLine].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes + resources.length * PATH_BYTES;
}
/** What reading one path costs, in bytes of a command that cost as much. */
const PATH_BYTES = 8;

/** Reads the whole call: `budget` bounds each of the two readings of its command. */
export function readCall(call: ReadCall, grammar: ShellGrammar, budget: ShellBudget): CallRead {
  const placed = placedIn(call, grammar, budget);
  if (!placed.ok) return placed;
  const { commandLine, category, requests, resources } = call;
  const tool: RiskInput['tool'] = {
    ...call.tool,
    ...(commandLine === undefined ? {} : { commandLine: () => commandLine }),
    ...(category === undefined ? {} : { categoryOf: () => category }),
    ...(requests === undefined ? {} : { requests: () => requests }),
  };
  const args = { ...call.texts, ...placed.command };
  return { ok: true, risk: assessRisk({ tool, args, resources }, grammar, call.history, budget) };
}

/** The same within a small budget; null where that didn't suffice. */
export function readCallWithin(call: ReadCall, grammar: ShellGrammar, budget: ShellBudget): CallRead | null {
  const read = readCall(call, grammar, budget);
  return (read.ok ? read.risk.unread : read.unread) ? null : read;
}

/** The command as it will run; nothing for a call that has none, or names no secret in it. */
type CommandPlaced =
  { readonly ok: true; readonly command: { readonly command?: string } } | Extract<CallRead, { ok: false }>;

function placedIn({ texts, placesSecrets }: ReadCall, grammar: ShellGrammar, budget: ShellBudget): CommandPlaced {
  const { command } = texts;
  if (command === undefined || !placesSecrets) return { ok: true, command: {} };
  const placed = placeSecrets(command, grammar, budget);
  if (!placed.ok) return { ok: false, message: placed.message, hint: placed.hint, unread: placed.unread };
  return { ok: true, command: { command: placed.command } };
}
