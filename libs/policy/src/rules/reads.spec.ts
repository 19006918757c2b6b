// SPDX-License-Identifier: Apache-2.0
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { oracle } from '../oracle-cedar.contract.ts';
import type { ArgumentReads } from '../arguments/argument-reads.ts';
import { verifyAnswer } from './cedar-text.ts';
import { readsOf } from './reads.ts';
import { CONTEXT_ATTRIBUTES } from './schema.ts';

const jsonOf = (text: string): PolicyJson => verifyAnswer(oracle.policyToJson(text)).json;
const reads = (condition: string, scope = 'principal, action, resource') => {
  const { context, resource, groups } = readsOf([jsonOf(`permit (${scope}) when { ${condition} };`)]);
  return { context: [...context].sort(), resource, groups };
};
const shown = ({ whole, members }: ArgumentReads): unknown =>
  whole ? 'whole' : Object.fromEntries([...members].map(([name, reads]) => [name, shown(reads)]));
const NOTHING = { context: [], resource: false, groups: false };
const ALL = Object.keys(CONTEXT_ATTRIBUTES).sort();
/** Arguments are read by name, or by a rule that names them besides using the context as a value. */
const CONTEXT = ALL.filter((name) => name !== 'args');

describe('the inputs that rules read', () => {
  test.each([
    ['context.risk_milli < 3', ['risk_milli']],
    ['context has time', ['time']],
    ['context has effect.areas && context.effect.areas.contains("git")', ['effect']],
    ['context["task_class"] == "a"', ['task_class']],
    ['!(context.staged_change) || -context.risk_milli < 1', ['risk_milli', 'staged_change']],
    [
      'if context.staged_change then context.task_class == "a" else [context.tool_class].contains("b")',
      ['staged_change', 'task_class', 'tool_class'],
    ],
    ['{"Value": context.labels, "Var": 1}.Value.isEmpty()', ['labels']],
    ['{"Var": "resource"}.Var == "context"', []],
    ['context.task_class like "a*"', ['task_class']],
    ['context == context', CONTEXT],
    ['{"a": context}.a.supervision == "x"', CONTEXT],
    ['{"a": context}.a.args.x == "x"', ALL],
    ['context == {"args": 1}', ALL],
    ['context.args.a == 1', ['args']],
    ['context has args', ['args']],
    [
      'datetime("2026-01-01").offset(duration("1h")) > datetime("2026-01-01") && context.job_lists_tool',
      ['job_lists_tool'],
    ],
  ])('%s', (condition, context) => {
    expect(reads(condition)).toEqual({ ...NOTHING, context });
  });

  test.each<[string, unknown]>([
    ['context.risk_milli < 3', null],
    ['context has args', {}],
    ['context.args.a < 3 && context.args has b.c', { a: 'whole', b: { c: {} } }],
    ['context has args.a', { a: {} }],
    ['context["args"]["a b"].c == context.args.d', { 'a b': { c: 'whole' }, d: 'whole' }],
    ['context.args == context.args', 'whole'],
    ['[context.args.a].contains(1) || context.args.a.b == 1', { a: 'whole' }],
    ['{"a": context}.a.args.x == "x"', 'whole'],
    ['{"args": 3}.args == 3', null],
  ])('%s reads the arguments %j', (condition, expected) => {
    const { args } = readsOf([jsonOf(`permit (principal, action, resource) when { ${condition} };`)]);
    expect(args === null ? null : shown(args)).toEqual(expected);
  });

  test.each([
    'resource is File',
    'resource.path == "a"',
    'resource in Workspace::"w"',
    'resource == principal',
    'resource has path',
    '[resource].contains(principal)',
    'principal is Agent in resource',
  ])('%s looks at the resource', (condition) => {
    expect(reads(condition)).toEqual({ ...NOTHING, resource: true });
  });

  test('include the resource for a scope on it', () => {
    expect(reads('true', 'principal, action, resource is File').resource).toBe(true);
  });

  test.each([
    ['action in Action::"fs.*"', undefined],
    ['action == Action::"a"', undefined],
    ['true', 'principal, action in [Action::"read"], resource'],
  ])('%s asks for the groups of the action, in scope or condition', (condition, scope) => {
    expect(reads(condition, scope)).toEqual({ ...NOTHING, groups: true });
  });

  test('include no groups for a named action', () => {
    expect(reads('principal == Agent::"a"', 'principal, action == Action::"a", resource')).toEqual(NOTHING);
  });

  test('are all inputs for an unknown form', () => {
    const strange = {
      ...jsonOf('permit (principal, action, resource);'),
      conditions: [{ kind: 'when', body: { dream: { left: { Value: 1 } } } }],
    } as unknown as PolicyJson;
    const { context, resource, groups } = readsOf([strange]);
    expect({ context: [...context].sort(), resource, groups }).toEqual({ context: ALL, resource: true, groups: true });
  });
});
