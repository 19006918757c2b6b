// SPDX-License-Identifier: Apache-2.0
import { oracle } from '../oracle-cedar.contract.ts';
import { verifyAnswer } from './cedar-text.ts';
import { demandsOf } from './facets.ts';

const demands = (rule: string) => demandsOf(verifyAnswer(oracle.policyToJson(rule)).json);
const when = (condition: string) => demands(`permit (principal, action, resource) when { ${condition} };`);

describe('what a rule demands first', () => {
  test.each([
    ['context.session_mode == "gateway"', [['session_mode', 'gateway']]],
    ['"gateway" == context.session_mode', [['session_mode', 'gateway']]],
    [
      'context.session_mode == "a" && context.supervision == "b" && context.risk_milli > 3 && context.task_class == "c"',
      [
        ['session_mode', 'a'],
        ['supervision', 'b'],
      ],
    ],
    [
      '(context.session_mode == "a" && context.tool_class == "b") && context.risk_level == "c"',
      [
        ['session_mode', 'a'],
        ['tool_class', 'b'],
        ['risk_level', 'c'],
      ],
    ],
    ['context has effect && context.effect.deleted > 1', [['effect', 'present']]],
    ['context has time', [['time', 'present']]],
    ['context.task_class == "agent_id"', [['task_class', 'agent_id']]],
    ['context.task_class == ""', [['task_class', '']]],
  ])('%s', (condition, expected) => {
    expect(when(condition)).toEqual(expected);
  });

  test.each([
    'context.risk_milli > 3 && context.session_mode == "a"',
    'context.session_mode == "a" || context.task_class == "b"',
    '!(context.session_mode == "a")',
    'context.session_mode != "a"',
    'context has effect.areas',
    'context has labels',
    'context.risk_milli == 3',
    'context.labels == ["a"]',
    'context.session_mode == context.task_class',
    'context.time.hour == 3',
    'context == context',
    '{"session_mode": "a"}.session_mode == "b"',
    'if context.session_mode == "a" then true else false',
    'context has session_mode',
    '["a", "b"].contains(context.session_mode)',
  ])('nothing, where it begins with %s', (condition) => {
    expect(when(condition)).toEqual([]);
  });

  test('its principal, if that is one agent', () => {
    expect(demands('forbid (principal == Agent::"a", action, resource) when { context.task_class == "b" };')).toEqual([
      ['agent_id', 'a'],
      ['task_class', 'b'],
    ]);
    expect(demands('forbid (principal is Agent, action, resource);')).toEqual([]);
    expect(demands('forbid (principal in Agent::"a", action, resource);')).toEqual([]);
  });

  test('in either notation of an entity in Cedar', () => {
    const rule = verifyAnswer(oracle.policyToJson('permit (principal == Agent::"a", action, resource);')).json;
    expect(demandsOf({ ...rule, principal: { op: '==', entity: { __entity: { type: 'Agent', id: 'b' } } } })).toEqual([
      ['agent_id', 'b'],
    ]);
  });

  test('nothing of an `unless`, nor of a second `when`', () => {
    expect(demands('permit (principal, action, resource) unless { context.task_class == "b" };')).toEqual([]);
    expect(
      demands(
        'permit (principal, action, resource) when { context.risk_milli > 3 } when { context.task_class == "b" };',
      ),
    ).toEqual([]);
    expect(
      demands(
        'permit (principal, action, resource) unless { context.risk_milli > 3 } when { context.task_class == "b" };',
      ),
    ).toEqual([]);
  });
});
