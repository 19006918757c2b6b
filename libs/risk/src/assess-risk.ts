// SPDX-License-Identifier: Apache-2.0
import type { FsResource, Reason, ToolCategory, ToolDefinition } from '@writ/contract';
import type { Act } from './act.ts';
import { NO_HISTORY, type RiskHistory } from './history.ts';
import { readCommand } from './read-command.ts';
import { RISK_RULES } from './rules/risk-rules.ts';
import { CEILINGS, type Ceiling, type Dimension, type RiskRule } from './rules/rule.ts';
import { messageOf, spokenOf } from './rules/speaks-of.ts';
import { contributionsOf, dimensionScores, scoreOf, type Contribution } from './score.ts';
import { COMMAND_BUDGET, type ShellBudget } from './shell/budget.ts';
import { field } from './shell/field.ts';
import type { ShellGrammar } from './shell/grammar.ts';
import { WORKSPACE } from './shell/scope.ts';
import { zonesOf } from './zones.ts';

export interface RiskInput {
  readonly tool: { readonly tool_id: string; readonly category: ToolCategory } & NamesRequests;
  readonly args: Readonly<Record<string, unknown>>;
  /** what the arguments touch, with paths relative to the workspace */
  readonly resources: readonly FsResource[];
}

/** What a tool of that kind names: requests instead of a command, or the command that it runs. */
type NamesRequests = Pick<ToolDefinition, 'requests' | 'commandLine' | 'categoryOf' | 'supervised' | 'session'>;

export interface Risk {
  /** 0 to 1, three decimals */
  readonly risk_score: number;
  /** ids of the rules that spoke, each once, in the order of the table */
  readonly risk_basis: readonly string[];
  /** what each of those rules adds, by dimension; the score is 1 − Π(1 − points/1000) over them */
  readonly contributions: readonly Contribution[];
  /** the score of each dimension by itself */
  readonly dimensions: Readonly<Record<Dimension, number>>;
  /** the least supervision that the rules leave possible is autopilot for `none` */
  readonly ceiling: Ceiling;
  /**
   * What the call is found to be. `admin`: a rule wants supervision for something beyond the workspace, or for what
   * can't be told. `read`: a command of which every program is known to change nothing. Any other tool: its own
   * category.
   */
  readonly category: ToolCategory;
  /** in words, for all rules but those on the tool's category */
  readonly reasons: readonly Reason[];
  /** the budget ended before the command was read to its end; a person is asked for then, whatever else was found */
  readonly unread: boolean;
}

/** Of a URL in a message. */
const SUBJECT_CHARS_MAX = 120;

/** What a record's `risk_basis` has room for. */
const BASIS_MAX = 32;

/**
 * Assesses a call by what its arguments say and by what the caller knows of the session, deterministically: the same
 * call with the same history always gets the same answer with the same words. Never throws for any arguments that fit
 * the tool; what can't be understood is a risk, not an error. `budget` bounds what the reading of a command may cost,
 * and so the time that it takes.
 */
export function assessRisk(
  input: RiskInput,
  grammar: ShellGrammar,
  history: RiskHistory = NO_HISTORY,
  budget: ShellBudget = COMMAND_BUDGET,
): Risk {
  const { acts, unread } = readingOf(input, grammar, budget);
  const { category } = input.tool;
  const spoken = RISK_RULES.flatMap((rule) => {
    const act = spokenOf(rule, acts ?? [], { category, history });
    return act === undefined ? [] : [{ rule, reason: { code: rule.id, message: messageOf(rule, act) } }];
  }).slice(0, BASIS_MAX);
  const rules = spoken.map(({ rule }) => rule);
  const contributions = rules.flatMap(contributionsOf);
  return {
    risk_score: scoreOf(contributions.map(({ points }) => points)),
    risk_basis: rules.map(({ id }) => id),
    contributions,
    dimensions: dimensionScores(contributions),
    ceiling: CEILINGS.findLast((level) => rules.some(({ ceiling }) => ceiling === level)) ?? 'none',
    category: atLeast(input.tool.categoryOf?.(input.args) ?? 'read', categoryOf(category, rules, acts)),
    reasons: spoken.filter(({ rule }) => rule.when.kinds ?? rule.when.history).map(({ reason }) => reason),
    unread,
  };
}

/** Acts that leave files as they are. */
const LOOKS: ReadonlySet<Act['kind']> = new Set(['network', 'credential_read']);

const BY_HARM: readonly ToolCategory[] = ['read', 'write', 'admin'];
const atLeast = (least: ToolCategory, found: ToolCategory): ToolCategory =>
  BY_HARM.indexOf(found) < BY_HARM.indexOf(least) ? least : found;

function categoryOf(own: ToolCategory, rules: readonly RiskRule[], acts: readonly Act[] | undefined): ToolCategory {
  if (rules.some(({ ceiling, reach }) => ceiling !== 'none' && reach === 'beyond')) return 'admin';
  if (acts === undefined || own === 'admin') return own;
  return acts.every(({ kind, zone }) => LOOKS.has(kind) || zone === 'sink') ? 'read' : 'write';
}

/**
 * What the arguments say that a call does. `acts` is undefined where they say nothing of it, as those of a tool that
 * only reads.
 */
interface ActReading {
  readonly acts: readonly Act[] | undefined;
  readonly unread: boolean;
}

function readingOf(input: RiskInput, grammar: ShellGrammar, budget: ShellBudget): ActReading {
  const { tool, args } = input;
  const read = (command: string): ActReading =>
    readCommand(
      { command, cwd: textOr(args['cwd']), stdin: textOr(args['stdin']), isSession: tool.session === true },
      grammar,
      budget,
    );
  if (tool.commandLine !== undefined) {
    const { acts, unread } = readCommand(
      { command: tool.commandLine(args), cwd: undefined, stdin: undefined },
      grammar,
      budget,
    );
    return { acts: [...rawActs(tool, args), ...acts], unread };
  }
  if (typeof args['command'] === 'string') return read(args['command']);
  if (typeof args['input'] === 'string') return typed(args['input'], read(args['input']));
  return { acts: actsOf(input), unread: false };
}

/** What a tool that speaks to others, or writes to paths, would do. */
function actsOf({ tool, args, resources }: RiskInput): readonly Act[] | undefined {
  const requests = tool.requests?.(args) ?? [];
  if (requests.length > 0)
    return requests.map(({ method, url }) => ({
      kind: 'network' as const,
      form: `${tool.tool_id} ${method}`,
      subject: url.slice(0, SUBJECT_CHARS_MAX).replaceAll(/[^\x21-\x7e]/g, '?'),
    }));
  const writes = resources.filter(({ access }) => access === 'write');
  if (writes.length === 0) return undefined;
  return writes.flatMap(({ path }) =>
    zonesOf(field(path), [WORKSPACE]).map((zone) => ({
      kind: 'overwrite' as const,
      form: tool.tool_id,
      subject: path,
      zone,
    })),
  );
}

/**
 * Of a tool whose every call a person sees, that alone is something: whatever its command says, nobody knows what reads
 * it.
 */
function rawActs({ tool_id, supervised }: RiskInput['tool'], args: RiskInput['args']): readonly Act[] {
  if (supervised !== true) return [];
  return [
    {
      kind: 'raw_shell',
      form: textOr(args['shell']) ?? tool_id,
      subject: (textOr(args['command']) ?? '').replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 80),
    },
  ];
}

/**
 * What is typed goes to a program of which nothing is known but that it runs: it may change files as any program may,
 * and where it is a shell it runs what was typed. Text that is no bash is none to a shell either, so that alone is no
 * finding.
 */
function typed(input: string, { acts = [], unread }: ActReading): ActReading {
  const change: Act = { kind: 'change', form: 'input', subject: input.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 80) };
  return { acts: [change, ...acts.filter(({ kind }) => kind !== 'unparsed')], unread };
}

const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
