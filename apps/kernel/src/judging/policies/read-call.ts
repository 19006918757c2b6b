// SPDX-License-Identifier: Apache-2.0
//
// The parts of a call that are read for its risk, as data that can be sent to a thread: a tool's functions run before.
// INVARIANT (judged is run): a command that names secrets is read as it will run, with variables in place of the
// secrets; a command that can't be rewritten so is refused.
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
  readonly tool: Pick<ToolDefinition, 'tool_id' | 'category' | 'supervised' | 'session' | 'own_service' | 'outlets'>;
  readonly texts: Readonly<Partial<Record<(typeof TEXTS)[number], string>>>;
  /** the results of the tool's own functions for the arguments; absent where it has none */
  readonly commandLine?: string;
  readonly category?: ToolCategory;
  readonly requests?: readonly RequestResource[];
  readonly addressees?: ReturnType<NonNullable<ToolDefinition['addressees']>>;
  readonly resources: readonly FsResource[];
  /** whether secrets that the command names become variables */
  readonly placesSecrets: boolean;
  readonly history: RiskHistory;
}

/** The risk table's assessment of the call, or why its command can't be rewritten to what runs. */
export type CallRead =
  | { readonly ok: true; readonly risk: Risk }
  | { readonly ok: false; readonly message: string; readonly hint: string; readonly unread: boolean };

/** Extracts the parts of the action that are read. */
export function readCallOf({ tool, args, resources, labels, past }: JudgedAction): ReadCall {
  const { tool_id, category, supervised, session, own_service, outlets } = tool;
  const { commandLine, categoryOf, requests, addressees } = tool;
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
      ...(own_service === undefined ? {} : { own_service }),
      ...(outlets === undefined ? {} : { outlets }),
    },
    texts,
    ...(commandLine === undefined ? {} : { commandLine: commandLine(args) }),
    ...(categoryOf === undefined ? {} : { category: categoryOf(args) }),
    ...(requests === undefined ? {} : { requests: requests(args) }),
    ...(addressees === undefined ? {} : { addressees: addressees(args) }),
    // A call that has a command is read by that alone.
    resources: hasText ? [] : resources,
    placesSecrets: tool.accepts_secrets.includes('command'),
    history: { labels, ...past },
  };
}

/** About how much there is to read: the bytes of its texts, and for each path its cost in bytes. */
export function sizeOf({ texts, commandLine = '', resources }: ReadCall): number {
  const bytes = [...Object.values(texts), commandLine].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes + resources.length * PATH_BYTES;
}
/** The cost of reading one path, in bytes of a command that costs as much. */
const PATH_BYTES = 8;

/** Reads the whole call: `budget` bounds each of the two readings of its command. */
export function readCall(call: ReadCall, grammar: ShellGrammar, budget: ShellBudget): CallRead {
  const placed = placedIn(call, grammar, budget);
  if (!placed.ok) return placed;
  const { commandLine, category, requests, addressees, resources } = call;
  const tool: RiskInput['tool'] = {
    ...call.tool,
    ...(commandLine === undefined ? {} : { commandLine: () => commandLine }),
    ...(category === undefined ? {} : { categoryOf: () => category }),
    ...(requests === undefined ? {} : { requests: () => requests }),
    ...(addressees === undefined ? {} : { addressees: () => addressees }),
  };
  const args = { ...call.texts, ...placed.command };
  return { ok: true, risk: assessRisk({ tool, args, resources }, grammar, call.history, budget) };
}

/** The same within a small budget; null where the budget didn't suffice. */
export function readCallWithin(call: ReadCall, grammar: ShellGrammar, budget: ShellBudget): CallRead | null {
  const read = readCall(call, grammar, budget);
  return (read.ok ? read.risk.unread : read.unread) ? null : read;
}

/** The command as it will run; empty for a call that has none, or names no secret in it. */
type CommandPlaced =
  { readonly ok: true; readonly command: { readonly command?: string } } | Extract<CallRead, { ok: false }>;

function placedIn({ texts, placesSecrets }: ReadCall, grammar: ShellGrammar, budget: ShellBudget): CommandPlaced {
  const { command } = texts;
  if (command === undefined || !placesSecrets) return { ok: true, command: {} };
  const placed = placeSecrets(command, grammar, budget);
  if (!placed.ok) return { ok: false, message: placed.message, hint: placed.hint, unread: placed.unread };
  return { ok: true, command: { command: placed.command } };
}
