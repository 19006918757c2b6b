// SPDX-License-Identifier: Apache-2.0
import type { FsResource, Reason, ToolCategory, ToolDefinition } from '@writ/contract';
import type { Act } from './act.ts';
import { NO_HISTORY, type RiskHistory } from './history.ts';
import { readCommand } from './read-command.ts';
import { RISK_RULES } from './rules/risk-rules.ts';
import { CEILINGS, type Ceiling, type Dimension, type RiskRule } from './rules/rule.ts';
import { messageOf, matchingAct } from './rules/matching-act.ts';
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

/** The members of a tool's definition that describe it by requests, or by the command that it runs. */
type NamesRequests = Pick<
  ToolDefinition,
  'requests' | 'own_service' | 'addressees' | 'commandLine' | 'categoryOf' | 'supervised' | 'session' | 'outlets'
>;

export interface Risk {
  /** 0 to 1, three decimals */
  readonly risk_score: number;
  /** ids of the rules that apply, each once, in the order of the table */
  readonly risk_basis: readonly string[];
  /** the points that each of those rules adds, by dimension; the score is 1 − Π(1 − points/1000) over them */
  readonly contributions: readonly Contribution[];
  /** the score of each dimension by itself */
  readonly dimensions: Readonly<Record<Dimension, number>>;
  /** the least supervision that the rules permit; for `none` it is autopilot */
  readonly ceiling: Ceiling;
  /**
   * The category of the call. `admin`: a rule requires supervision for an effect beyond the workspace, or for an
   * unknown one. `read`: a command all of whose programs are known to change nothing. Any other tool: its own category.
   */
  readonly category: ToolCategory;
  /** as texts, for all rules but those on the tool's category */
  readonly reasons: readonly Reason[];
  /** the budget ended before the whole command was read; the call then needs an approval, whatever else was found */
  readonly unread: boolean;
}

/** Of a URL, or of a list of addresses, in a message. */
const SUBJECT_CHARS_MAX = 120;
/** A message to more people is a mailing. */
const ADDRESSEES_FEW = 10;

/** The capacity of a record's `risk_basis`. */
const BASIS_MAX = 32;

/**
 * Assesses a call by its arguments and by the caller's facts about the session. Deterministic: the same call with the
 * same history always gets the same assessment and texts. Never throws for arguments that fit the tool: a text that
 * can't be parsed is a risk, not an error. `budget` bounds the cost of reading a command, and so its time.
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
    const act = matchingAct(rule, acts ?? [], { category, history });
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
    category: atLeast(leastOf(input), categoryOf(category, rules, acts)),
    reasons: spoken.filter(({ rule }) => rule.when.kinds ?? rule.when.history).map(({ reason }) => reason),
    unread,
  };
}

/** Acts that leave files unchanged. */
const LOOKS: ReadonlySet<Act['kind']> = new Set(['network', 'own_service', 'credential_read']);

/** What a program does beside its requests isn't in its arguments, so that a call is never less than its tool. */
const leastOf = ({ tool, args }: RiskInput): ToolCategory =>
  (tool.outlets ?? []).length > 0 ? tool.category : (tool.categoryOf?.(args) ?? 'read');

const BY_HARM: readonly ToolCategory[] = ['read', 'write', 'admin'];
const atLeast = (least: ToolCategory, found: ToolCategory): ToolCategory =>
  BY_HARM.indexOf(found) < BY_HARM.indexOf(least) ? least : found;

function categoryOf(own: ToolCategory, rules: readonly RiskRule[], acts: readonly Act[] | undefined): ToolCategory {
  if (rules.some(({ ceiling, reach }) => ceiling !== 'none' && reach === 'beyond')) return 'admin';
  if (acts === undefined || own === 'admin') return own;
  return acts.every(({ kind, zone }) => LOOKS.has(kind) || zone === 'sink') ? 'read' : 'write';
}

/**
 * The effects of a call by its arguments. `acts` is undefined where the arguments have none, as for a tool that only
 * reads.
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
  if (typeof args['input'] === 'string') return typed(args['input'], read(withoutAnswers(args['input'])));
  return { acts: actsOf(input), unread: false };
}

/** The effects of a tool that communicates or writes to paths. */
function actsOf({ tool, args, resources }: RiskInput): readonly Act[] | undefined {
  if (tool.addressees !== undefined) return [mailAct(tool.tool_id, tool.addressees(args))];
  const requests = tool.requests?.(args) ?? [];
  if (requests.length > 0)
    return requests.map(({ method, url }) => ({
      kind: tool.own_service === true ? ('own_service' as const) : ('network' as const),
      form: `${tool.tool_id} ${method}`,
      subject: printable(url),
    }));
  // No argument says which of its hosts a program will reach.
  const { outlets = [] } = tool;
  if (outlets.length > 0)
    return outlets.map(({ domain }) => ({ kind: 'network', form: tool.tool_id, subject: printable(domain) }));
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

const printable = (text: string): string => text.slice(0, SUBJECT_CHARS_MAX).replaceAll(/[^\x21-\x7e]/g, '?');

function mailAct(form: string, { count, outside }: ReturnType<NonNullable<NamesRequests['addressees']>>): Act {
  return {
    kind: outside.length > 0 ? 'mail_outside' : 'mail',
    form,
    subject: outside.length > 0 ? printable(outside.join(',')) : `${count}`,
    many: count > ADDRESSEES_FEW,
  };
}

/**
 * A tool whose every call needs an approval has an act for that alone: whatever its command is, the program that reads
 * it is unknown.
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
 * Typed input goes to an unknown running program. That may change any file, and if it is a shell it runs the input. A
 * shell can't run input that is no bash, so such input alone is no finding.
 */
function typed(input: string, { acts = [], unread }: ActReading): ActReading {
  const change: Act = { kind: 'change', form: 'input', subject: input.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 80) };
  return { acts: [change, ...acts.filter(({ kind }) => kind !== 'unparsed')], unread };
}

/** A line that is one reference to a secret. */
const ANSWER = /^[ \t]*\$\{secret:[A-Z][A-Z0-9_]{0,63}\}[ \t]*$/gm;

/**
 * Typed input with a word in place of each line that is a secret alone: the answer to a prompt, which a person gave and
 * not the model. As a command it would be one whose program is unknown. Anywhere else in a line a secret is read as a
 * variable.
 */
const withoutAnswers = (input: string): string => input.replaceAll(ANSWER, 'y');

const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
