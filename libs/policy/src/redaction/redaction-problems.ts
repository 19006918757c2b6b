// SPDX-License-Identifier: Apache-2.0
import { readRedaction, REDACTIONS_BYTES_MAX, stepsOf, type AppliedRedaction } from '@writ/contract';
import type { PolicyProblem } from '../problems.ts';
import type { CheckedRule } from '../rules/checked-rule.ts';
import { problemAt } from '../rules/problem-at.ts';
import type { RuleText } from '../rules/rule-text.ts';
import type { PolicyTool } from '../rules/schema.ts';
import { appliesToTool } from '../rules/slices.ts';
import { reachOf, type Reach } from './reach.ts';
import { takesTooMuch } from './takes-too-much.ts';

/** What is wrong with rules that redact, and what is odd. */
export interface RedactionProblems {
  readonly errors: readonly PolicyProblem[];
  readonly warnings: readonly PolicyProblem[];
}

/** A rule that redacts, with the tools that it can apply to. */
interface Redaction {
  readonly id: string;
  readonly rule: CheckedRule;
  readonly pointers: readonly string[];
  readonly tools: readonly PolicyTool[];
}

/** Named at once, so that a message stays short. */
const NAMED_MAX = 4;

/**
 * Checks the rules that redact against the tools. INVARIANT (no false promise): a rule that can apply to a tool whose
 * result can't be redacted is refused, and so is a pointer that can lead to nothing.
 * @param tools empty for a set that is stored already: tools may have changed since, and its calls are then refused
 */
export function redactionProblems(
  source: string,
  rules: ReadonlyMap<string, CheckedRule>,
  texts: ReadonlyMap<string, RuleText>,
  tools: readonly PolicyTool[],
): RedactionProblems {
  const found = [...rules].flatMap(([id, rule]): Redaction[] => {
    const read = rule.annotations.redact === undefined ? null : readRedaction(rule.annotations.redact);
    if (read?.ok !== true) return [];
    return [{ id, rule, pointers: read.pointers, tools: tools.filter((tool) => appliesToTool([rule], tool)) }];
  });
  const at = (id: string, message: string, help: string): PolicyProblem =>
    problemAt(source, (texts.get(id) as RuleText).at, message, help);
  const errors = found.flatMap((each) => errorsOf(each).map(([message, help]) => at(each.id, message, help)));
  const warnings = found.flatMap((each) =>
    pointersAt(each, 'undeclared').map((pointer) =>
      at(
        each.id,
        `no schema of a result declares \`${pointer}\`, so it may be misspelt`,
        'look at the schemas of the results: `GET /v1/tools`',
      ),
    ),
  );
  return {
    errors: [...errors, ...tooMuch(found).map((id) => at(id, TOO_MUCH, 'redact a member above, or use `*`'))],
    warnings,
  };
}

const TOO_MUCH = `rules of the set redact more of one tool than its record can name: ${REDACTIONS_BYTES_MAX} bytes`;

function errorsOf(redaction: Redaction): [string, string][] {
  const { rule, tools } = redaction;
  const unable = tools.filter(({ redactable }) => redactable === null).map(({ tool_id }) => `\`${tool_id}\``);
  const more = unable.length > NAMED_MAX ? `, and ${unable.length - NAMED_MAX} more` : '';
  return [
    ...(['supervision', 'effect'] as const)
      .filter((name) => rule.reads.context.has(name))
      .map((name): [string, string] => [
        `a rule with \`@redact\` can't ask for \`context.${name}\``,
        'it applies to the result, whoever approved the call',
      ]),
    ...(unable.length === 0
      ? []
      : [
          [
            `the result can't be redacted of ${unable.slice(0, NAMED_MAX).join(', ')}${more}`,
            'name the tools in the scope: HTTP tools, and functions that a worker runs',
          ] as [string, string],
        ]),
    ...pointersAt(redaction, 'never').map((pointer): [string, string] => [
      `\`${pointer}\` leads to nothing in the results of the tools that the rule applies to`,
      'look at the schemas of the results: `GET /v1/tools`',
    ]),
  ];
}

/** The pointers of which the schemas of the tools say this at most. A tool of which nothing is known could have any. */
function pointersAt({ pointers, tools }: Redaction, most: Reach): string[] {
  const known = tools.flatMap(({ redactable }) => (redactable === null ? [] : [redactable]));
  if (known.length === 0 || known.includes(undefined)) return [];
  const isAtMost = (reach: Reach): boolean => reach === 'never' || reach === most;
  return pointers.filter((pointer) => {
    const reaches = known.map((result): Reach => {
      const schema = result?.schema ?? null;
      return schema === null ? 'open' : reachOf(schema, stepsOf(pointer));
    });
    return reaches.includes(most) && reaches.every(isAtMost);
  });
}

/** The rules of each tool of which more is redacted than a record has place for: the first id stands for all. */
function tooMuch(redactions: readonly Redaction[]): string[] {
  const byTool = new Map<string, AppliedRedaction[]>();
  for (const { id, pointers, tools } of redactions)
    for (const { tool_id } of tools) {
      const redaction = { rule: id, pointers: [...pointers] };
      const own = byTool.get(tool_id);
      if (own === undefined) byTool.set(tool_id, [redaction]);
      else own.push(redaction);
    }
  const first = [...byTool.values()].filter(takesTooMuch).map(([redaction]) => (redaction as AppliedRedaction).rule);
  return [...new Set(first)];
}
