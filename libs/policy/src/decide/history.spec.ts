// SPDX-License-Identifier: Apache-2.0
import type { HistoryRule } from '../document/history-rule.ts';
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from '../sets/default-policy.ts';
import { historyNeeds } from './history.ts';
import { spanOf } from './format.ts';

const about = { then: 'refuse', reason: 'r' } as const;
const setOf = (...history: HistoryRule[]) => compilePolicySet({ v: 1, name: 'test', cedar: '', history });
const ask = (tool_id: string, task_class = 'general') => ({ tool_id, task_class });

describe('the counts of history that a decision needs', () => {
  const set = setOf(
    { ...about, id: 'few', kind: 'at_most', tools: ['fs.*'], task_classes: ['general'], n: 3, window_ms: 60_000 },
    {
      ...about,
      id: 'first',
      kind: 'only_after',
      tools: ['shell.run'],
      after: ['fs.read', 'fs.list'],
      after_task_classes: ['look'],
    },
    {
      ...about,
      id: 'never',
      kind: 'never_after',
      tools: ['*'],
      task_classes: ['publish'],
      after: ['shell.run'],
      window_ms: 5000,
    },
  );

  test('are those of the rules that apply to the call', () => {
    expect(historyNeeds(set, ask('fs.write'))).toEqual([
      { id: 'few', tools: ['fs.*'], task_classes: ['general'], outcome: 'admitted', window_ms: 60_000 },
    ]);
    expect(historyNeeds(set, ask('shell.run'))).toEqual([
      { id: 'first', tools: ['fs.read', 'fs.list'], task_classes: ['look'], outcome: 'succeeded', window_ms: null },
    ]);
    expect(historyNeeds(set, ask('fs.write', 'publish'))).toEqual([
      { id: 'never', tools: ['shell.run'], task_classes: null, outcome: 'admitted', window_ms: 5000 },
    ]);
    expect(historyNeeds(set, ask('shell.run', 'publish')).map(({ id }) => id)).toEqual(['first', 'never']);
  });

  test('are empty for most calls', () => {
    expect(historyNeeds(set, ask('fs.write', 'other'))).toEqual([]);
    expect(historyNeeds(compilePolicySet(DEFAULT_POLICY), ask('shell.run'))).toEqual([]);
  });
});

test('a duration is formatted in its largest unit', () => {
  expect([1, 1500, 1000, 90_000, 60_000, 3_600_000, 5_400_000, 86_400_000, 172_800_000].map(spanOf)).toEqual([
    '1 millisecond',
    '1500 milliseconds',
    '1 second',
    '90 seconds',
    '1 minute',
    '1 hour',
    '90 minutes',
    '1 day',
    '2 days',
  ]);
});
