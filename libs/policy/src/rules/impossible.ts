// SPDX-License-Identifier: Apache-2.0
import type { PolicyProblem } from '../problems.ts';
import type { RuleText } from './rule-text.ts';
import { problemAt } from './problem-at.ts';
import { groupsOf, type GroupedTool } from './schema.ts';

/** The message of Cedar's validator for a rule whose condition is false for every request. */
const IMPOSSIBLE_WARNING = /policy is impossible/;

/** Answers whether a warning of Cedar is about a rule that can never apply. */
export const isImpossible = (message: string): boolean => IMPOSSIBLE_WARNING.test(message);

/** The remedy for a rule that can never apply. */
export const IMPOSSIBLE_HELP = 'activate the set with `allow_impossible` where that is meant';

/** An action in a position where only a tool can match. */
interface Compared {
  /** id of the group */
  readonly group: string;
  /** whether it prevents the rule from applying */
  readonly decides: boolean;
}

/**
 * Comparisons of `action` with a group. A call's action is a tool, which is in its groups and equal to none of them, so
 * such a comparison is never true. Cedar accepts it like any other.
 */
export function groupProblems(
  source: string,
  rules: ReadonlyMap<string, RuleText>,
  tools: Iterable<GroupedTool>,
): { impossible: PolicyProblem[]; odd: PolicyProblem[] } {
  const all = [...tools];
  const ids = new Set(all.map(({ tool_id }) => tool_id));
  const groups = new Set(['read', 'write', 'admin', ...all.flatMap(groupsOf)].filter((group) => !ids.has(group)));
  const found = [...rules].flatMap(([id, { at, json }]) =>
    comparedIn(json)
      .filter(({ group }) => groups.has(group))
      .map(({ group, decides }) => {
        const action = `Action::"${group}"`;
        const never = `the rule \`${id}\` can never apply: \`${action}\` is a group of tools, and no call's action is equal to it`;
        const odd = `\`action == ${action}\` is never true in the rule \`${id}\`: it is a group of tools`;
        return { decides, problem: problemAt(source, at, decides ? never : odd, `write \`action in ${action}\``) };
      }),
  );
  const those = (decides: boolean): PolicyProblem[] =>
    found.filter((one) => one.decides === decides).map(({ problem }) => problem);
  return { impossible: those(true), odd: those(false) };
}

function comparedIn({ action, conditions }: RuleText['json']): Compared[] {
  const scope = action.op === '==' && 'entity' in action ? actionOf(action.entity) : null;
  const inConditions = comparisonsIn(conditions).map((group) => ({ group, decides: false }));
  return scope === null ? inConditions : [{ group: scope, decides: true }, ...inConditions];
}

/** The operands of a comparison in Cedar's JSON. */
interface Sides {
  readonly left?: unknown;
  readonly right?: unknown;
}

/** Ids of actions that `action` is compared with, anywhere in a tree of Cedar's JSON. */
function comparisonsIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const below = Object.values(tree).flatMap(comparisonsIn);
  const { '==': equal, '!=': unequal } = tree as Readonly<Record<string, Sides | undefined>>;
  const own = [equal, unequal].flatMap((sides) => {
    if (sides === undefined) return [];
    const { left, right } = sides;
    const other = isActionVariable(left) ? right : isActionVariable(right) ? left : null;
    const group = actionOf((other as { readonly Value?: unknown } | null)?.Value);
    return group === null ? [] : [group];
  });
  return [...own, ...below];
}

const isActionVariable = (side: unknown): boolean =>
  (side as { readonly Var?: unknown } | null | undefined)?.Var === 'action';

/** The id of an action entity, in either notation of entities; null for anything else. */
function actionOf(entity: unknown): string | null {
  const written = (entity as { readonly __entity?: unknown } | null | undefined)?.__entity ?? entity;
  const { type, id } = (written ?? {}) as { readonly type?: unknown; readonly id?: unknown };
  return type === 'Action' && typeof id === 'string' ? id : null;
}
