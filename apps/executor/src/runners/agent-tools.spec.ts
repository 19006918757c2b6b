// SPDX-License-Identifier: Apache-2.0
import { AGENT_DESCRIBE, AGENT_MANAGE, argumentFaults, type AgentState, type ToolDefinition } from '@writ/contract';
import fc from 'fast-check';
import { Value } from 'typebox/value';
import { runAgentTool } from './agent-tools.ts';

const id = (prefix: string, n = 0): string => `${prefix}_${String(n).padStart(26, '0')}`;
const operationId = id('op');
const AGENT: AgentState = {
  agent_id: id('agt'),
  name: 'other',
  state: 'active',
  freezes: [],
  sessions: ['s'],
  operations: ['held', 'admitted', 'dispatched', 'performing'].map((state, n) => ({
    operation_id: id('op', n + 1),
    tool_id: 'fs.read',
    state,
    session_id: null,
    created_at: 1,
    cancel_requested: false,
  })),
  more_operations: false,
};
const freeze = (placed_by: AgentState['freezes'][number]['placed_by'], scope: 'agent' | 'tenant' = 'agent') => ({
  freeze_id: id('frz', 1),
  scope,
  reason: 'r',
  placed_by,
  created_at: 1,
  expires_at: null,
});
const run = (tool: ToolDefinition, args: Record<string, unknown>, agent: AgentState | undefined = AGENT) =>
  runAgentTool({ toolId: tool.tool_id, operationId, args, ...(agent === undefined ? {} : { agent }) });
const resultOf = (tool: ToolDefinition, args: Record<string, unknown>, agent?: AgentState): unknown => {
  const outcome = run(tool, args, agent);
  if (!outcome.ok) throw new Error(outcome.message);
  expect(Value.Errors(tool.result, outcome.result)).toEqual([]);
  return outcome.result;
};

it('a description is what the kernel sent', () => {
  expect(resultOf(AGENT_DESCRIBE, { agent: 'x' })).toEqual({ agent: AGENT });
});

it('a freeze has the id of its operation', () => {
  expect(resultOf(AGENT_MANAGE, { change: 'freeze' })).toMatchObject({ freeze_id: id('frz'), operations: [] });
});

it('a freeze of what the agent froze already is refused, and one beside a freeze of a person is not', () => {
  expect(run(AGENT_MANAGE, { change: 'freeze' }, { ...AGENT, freezes: [freeze('you')] })).toMatchObject({
    ok: false,
    code: 'agent.conflict',
  });
  expect(run(AGENT_MANAGE, { change: 'freeze' }, { ...AGENT, freezes: [freeze('person')] })).toMatchObject({
    ok: true,
  });
});

it.each(['person', 'platform', 'another_agent'] as const)('a freeze of %s is not lifted', (placed_by) => {
  expect(run(AGENT_MANAGE, { change: 'lift' }, { ...AGENT, freezes: [freeze(placed_by)] })).toMatchObject({
    ok: false,
    code: 'agent.conflict',
    hint: expect.stringContaining('an administrator lifts it') as string,
  });
});

it('a freeze of the whole tenant is nobody’s own', () => {
  expect(run(AGENT_MANAGE, { change: 'lift' }, { ...AGENT, freezes: [freeze('you', 'tenant')] })).toMatchObject({
    ok: false,
  });
});

it('an own freeze is lifted, and where there is none that is said', () => {
  expect(resultOf(AGENT_MANAGE, { change: 'lift' }, { ...AGENT, freezes: [freeze('you')] })).toMatchObject({
    change: 'lift',
    freeze_id: null,
  });
  expect(run(AGENT_MANAGE, { change: 'lift' })).toMatchObject({ ok: false, hint: 'it is not frozen' });
});

it('a cancellation names the calls that wait for an executor or run, and none that waits for a person', () => {
  expect(resultOf(AGENT_MANAGE, { change: 'cancel' })).toMatchObject({
    operations: [id('op', 2), id('op', 3), id('op', 4)],
  });
});

it('a cancellation says that there are more calls, unless all that it covers are listed', () => {
  const [, ...covered] = AGENT.operations;
  const moreOf = (operations: AgentState['operations'], more_operations: boolean) =>
    resultOf(AGENT_MANAGE, { change: 'cancel' }, { ...AGENT, operations, more_operations });
  expect(moreOf(covered, true)).toMatchObject({ more_operations: true });
  expect(moreOf(covered, false)).toMatchObject({ more_operations: false });
  expect(moreOf(AGENT.operations, true)).toMatchObject({ more_operations: false });
  const stopping = covered.map((each) => ({ ...each, cancel_requested: true }));
  expect(moreOf(stopping, true)).toMatchObject({ operations: [], more_operations: false });
});

it('a call without its agent is a bug', () => {
  expect(() => runAgentTool({ toolId: AGENT_MANAGE.tool_id, operationId, args: {} })).toThrow('without its agent');
});

it('every argument is refused or answered in the form of the schema, whatever it is', () => {
  const any = fc.anything({ maxDepth: 2, withNullPrototype: false });
  const change = fc.oneof(fc.constantFrom('freeze', 'lift', 'cancel'), any);
  const record = fc.record(
    {
      agent: fc.oneof(fc.string(), any),
      change,
      reason: fc.oneof(fc.string(), any),
      seconds: fc.oneof(fc.integer(), any),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(record, (args) => {
      AGENT_MANAGE.targets?.(args);
      if (argumentFaults(AGENT_MANAGE, args).length > 0) return;
      const outcome = run(AGENT_MANAGE, args);
      if (outcome.ok) expect(Value.Errors(AGENT_MANAGE.result, outcome.result)).toEqual([]);
      else expect(outcome.code).toBe('agent.conflict');
      expect(args.change === 'freeze').toBe(args.reason !== undefined);
    }),
  );
});
