// SPDX-License-Identifier: Apache-2.0
import { canonicalJson } from '@writ/digest';
import type { HistoryRule } from '../document/history-rule.ts';
import type { PolicySet } from '../policy-set.ts';

/** The change of a rule; a missing version is null. */
export interface RuleChange<Rule> {
  readonly id: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before: Rule | null;
  readonly after: Rule | null;
}

/** A changed value outside of the rules; a missing one is null. */
export interface SettingChange {
  /** JSON pointer in the completed document */
  readonly pointer: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
}

/** The differences between two sets; empty if only comments or order differ. */
export interface PolicySetDiff {
  /** of rules of the text, as their Cedar texts */
  readonly rules: readonly RuleChange<string>[];
  readonly history: readonly RuleChange<HistoryRule>[];
  readonly settings: readonly SettingChange[];
}

/** Compares two sets rule by rule and value by value, removed ones first, by id. */
export function diffSets(a: PolicySet, b: PolicySet): PolicySetDiff {
  return {
    rules: changesOf(textsOf(a), textsOf(b)),
    history: changesOf(historyOf(a), historyOf(b)),
    settings: settingChanges(a, b),
  };
}

const textsOf = ({ rules }: PolicySet): Map<string, string> => new Map([...rules].map(([id, { text }]) => [id, text]));
const historyOf = ({ document: { history } }: PolicySet): Map<string, HistoryRule> =>
  new Map(history.map((rule) => [rule.id, rule]));

const ORDER = ['removed', 'changed', 'added'] as const;

function changesOf<Rule>(a: ReadonlyMap<string, Rule>, b: ReadonlyMap<string, Rule>): RuleChange<Rule>[] {
  const changes = [...new Set([...a.keys(), ...b.keys()])].sort().flatMap((id): RuleChange<Rule>[] => {
    const before = a.get(id) ?? null;
    const after = b.get(id) ?? null;
    if (before === null) return [{ id, change: 'added', before, after }];
    if (after === null) return [{ id, change: 'removed', before, after }];
    return canonicalJson(before) === canonicalJson(after) ? [] : [{ id, change: 'changed', before, after }];
  });
  return changes.sort((x, y) => ORDER.indexOf(x.change) - ORDER.indexOf(y.change));
}

function settingChanges(a: PolicySet, b: PolicySet): SettingChange[] {
  const before = settingsOf(a);
  const after = settingsOf(b);
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((pointer) => ({ pointer, before: before.get(pointer) ?? null, after: after.get(pointer) ?? null }))
    .filter((change) => change.before !== change.after || before.has(change.pointer) !== after.has(change.pointer));
}

function settingsOf({
  document: { cedar: _cedar, history: _history, ...settings },
}: PolicySet): Map<string, string | number | null> {
  const leaves = (pointer: string, value: unknown): [string, string | number | null][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) => leaves(`${pointer}/${name}`, part))
      : [[pointer, value as string | number | null]];
  return new Map(leaves('', settings));
}
