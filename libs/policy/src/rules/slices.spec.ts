// SPDX-License-Identifier: Apache-2.0
import type { ActionConstraint } from '@cedar-policy/cedar-wasm/nodejs';
import { oracle } from '../oracle-cedar.contract.ts';
import { decidePolicy } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { verifyAnswer } from './cedar-text.ts';
import { checkedRule, type CheckedRule } from './checked-rule.ts';
import { sliceOf, type Slice } from './slices.ts';

const setOf = (...rules: string[]) =>
  compilePolicySet({ v: 1, name: 'test', cedar: rules.map((rule, n) => `@id("rule-${n}") ${rule}`).join('\n') });
const facts = {
  agent_id: 'a',
  session_mode: 'interactive',
  supervision: 'autopilot',
  risk_level: 'autopilot',
  risk_ceiling: 'none',
  tool_class: 'inline',
  task_class: 'general',
  effect: '',
  time: '',
} as const;
const idsIn = ({ pieces }: Slice): string[] => pieces.flatMap(({ policies }) => Object.keys(policies));
const WRITE = { tool_id: 'fs.write', category: 'write' } as const;

test('a slice has the rules whose action scope matches the tool', () => {
  const set = setOf(
    'permit (principal, action, resource);',
    'permit (principal, action == Action::"fs.write", resource);',
    'permit (principal, action == Action::"fs.read", resource);',
    'permit (principal, action in Action::"write", resource);',
    'permit (principal, action in [Action::"read", Action::"fs.*"], resource);',
    'permit (principal, action in Action::"shell.*", resource);',
  );
  expect(idsIn(set.sliceFor(WRITE))).toEqual(['rule-0', 'rule-1', 'rule-3', 'rule-4']);
  expect(idsIn(set.sliceFor({ tool_id: 'fs.unheard', category: 'admin' }))).toEqual(['rule-0', 'rule-4']);
});

test('a scope matches in either notation of an entity in Cedar', () => {
  const json = verifyAnswer(oracle.policyToJson('permit (principal, action, resource);')).json;
  const entity = { __entity: { type: 'Action', id: 'fs.write' } };
  const ruleOn = (action: ActionConstraint): CheckedRule => checkedRule({ text: '', at: 0, json: { ...json, action } });
  const rules = new Map([
    ['a', ruleOn({ op: '==', entity })],
    ['b', ruleOn({ op: 'in', entities: [entity] })],
  ]);
  expect(idsIn(sliceOf(rules, WRITE))).toEqual(['a', 'b']);
});

test('only rules whose first demands are met are evaluated, for one question after another', () => {
  const set = setOf(
    ...['a', 'b', 'a\nb', ''].map(
      (word) => `permit (principal, action, resource) when { context.task_class == ${JSON.stringify(word)} };`,
    ),
    'permit (principal == Agent::"agt_b", action, resource);',
  );
  const decide = (task_class: string, agent_id = 'agt_a') =>
    decidePolicy(set, { ...PLAIN_ASK, task_class, agent_id }).rule_ids;
  for (let round = 0; round < 2; round++) {
    expect(['a', 'b', 'a\nb', '', 'c'].map((word) => decide(word))).toEqual([
      ['rule-0'],
      ['rule-1'],
      ['rule-2'],
      ['rule-3'],
      ['default.deny'],
    ]);
    expect(decide('b', 'agt_b')).toEqual(['rule-1', 'rule-4']);
  }
  expect(set.sliceFor(WRITE).narrowed({ ...facts, task_class: 'a' }).size).toBe(1);
});

test('words that no rule tests share a slice, and too many tested words get the whole slice', () => {
  const set = setOf(
    ...Array.from(
      { length: 300 },
      (_, n) => `permit (principal, action, resource) when { context.task_class == "class-${n}" };`,
    ),
  );
  const { narrowed, size } = set.sliceFor(WRITE);
  expect(narrowed({ ...facts, task_class: 'x' })).toBe(narrowed({ ...facts, task_class: 'y' }));
  const sizes = Array.from({ length: 300 }, (_, n) => narrowed({ ...facts, task_class: `class-${n}` }).size);
  expect(sizes.filter((each) => each === 1)).toHaveLength(255);
  expect(sizes.filter((each) => each === size)).toHaveLength(45);
});

test("inputs that no rule of a slice reads aren't passed", () => {
  const { reads, entities } = setOf(
    'permit (principal, action == Action::"fs.write", resource) when { context.risk_milli < 500 };',
  ).sliceFor(WRITE);
  expect([...reads.context]).toEqual(['risk_milli']);
  expect(entities).toEqual([]);
  expect(setOf('permit (principal, action in Action::"write", resource);').sliceFor(WRITE).entities).toHaveLength(1);
});

it('is kept for the tools that are asked for, whatever others were before', () => {
  const set = setOf('permit (principal, action, resource);');
  const toolOf = (n: number) => ({ tool_id: `old.t${n}`, category: 'read' }) as const;
  for (let n = 0; n < 2_000; n += 1) set.sliceFor(toolOf(n));
  expect(set.sliceFor(WRITE)).toBe(set.sliceFor(WRITE));
});
