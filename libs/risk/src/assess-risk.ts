// SPDX-License-Identifier: Apache-2.0
import type { FsResource, Reason, ToolCategory } from '@writ/contract';
import type { Act } from './act.ts';
import { COMMAND_RULES } from './rules/command-rules.ts';
import { FILE_RULES } from './rules/file-rules.ts';
import { messageOf, speaksOf, type Ceiling, type RiskRule } from './rules/rule.ts';
import { field } from './shell/field.ts';
import type { ShellGrammar } from './shell/grammar.ts';
import { readCommand } from './read-command.ts';
import { WORKSPACE } from './shell/scope.ts';
import { zonesOf } from './zones.ts';

/** The whole rule table, in the order in which bases are named. */
export const RISK_RULES: readonly RiskRule[] = [...FILE_RULES, ...COMMAND_RULES];

export interface RiskInput {
  readonly tool: { readonly tool_id: string; readonly category: ToolCategory };
  readonly args: Readonly<Record<string, unknown>>;
  /** what the arguments touch, with paths relative to the workspace */
  readonly resources: readonly FsResource[];
}

export interface Risk {
  /** 0 to 1, three decimals */
  readonly risk_score: number;
  /** ids of the rules that spoke, each once, in the order of the table; `category.…` for what the tool itself brings */
  readonly risk_basis: readonly string[];
  /** the least supervision that the rules leave possible is autopilot for `none` */
  readonly ceiling: Ceiling;
  /** the tool's category, raised to admin for what isn't to run unseen */
  readonly category: ToolCategory;
  readonly reasons: readonly Reason[];
}

/** Thousandths that a tool's category brings before anything is known of the arguments. */
const CATEGORY_POINTS: Readonly<Record<ToolCategory, number>> = { read: 0, write: 50, admin: 400 };
const CEILINGS: readonly Ceiling[] = ['none', 'soft_gate', 'no_go'];
/** What a record's `risk_basis` has room for. */
const BASIS_MAX = 32;

/**
 * Assesses a call by what its arguments say, deterministically: the same call always gets the same answer with the same words.
 * Never throws for any arguments that fit the tool; what can't be understood is a risk, not an error.
 */
export function assessRisk(input: RiskInput, grammar: ShellGrammar): Risk {
  const acts = [...actsOf(input, grammar)];
  const spoken = RISK_RULES.flatMap((rule) => {
    const act = acts.find((one) => speaksOf(rule, one));
    return act ? [{ rule, reason: { code: rule.id, message: messageOf(rule, act) } }] : [];
  }).slice(0, BASIS_MAX);
  const ceiling = CEILINGS.findLast((level) => spoken.some(({ rule }) => rule.ceiling === level)) ?? 'none';
  const { category } = input.tool;
  const categoryPoints = CATEGORY_POINTS[category];
  return {
    risk_score: scoreOf([categoryPoints, ...spoken.map(({ rule }) => rule.points)]),
    risk_basis: [...(categoryPoints > 0 ? [`category.${category}`] : []), ...spoken.map(({ rule }) => rule.id)],
    ceiling,
    category: ceiling === 'none' ? category : 'admin',
    reasons: spoken.map(({ reason }) => reason),
  };
}

/** 1 − Π(1 − p): each rule takes its part of what safety is left, so the sum never passes 1 and no order matters much. */
function scoreOf(points: readonly number[]): number {
  const safe = points.reduce((left, each) => left * (1 - each / 1000), 1);
  return Math.round((1 - safe) * 1000) / 1000;
}

function actsOf({ tool, args, resources }: RiskInput, grammar: ShellGrammar): readonly Act[] {
  if (typeof args['command'] === 'string') {
    return readCommand({ command: args['command'], cwd: textOr(args['cwd']), stdin: textOr(args['stdin']) }, grammar);
  }
  return resources.filter(({ access }) => access === 'write').flatMap(({ path }) =>
    zonesOf(field(path), [WORKSPACE]).map((zone) => ({ kind: 'overwrite' as const, form: tool.tool_id, subject: path, zone })));
}

const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
