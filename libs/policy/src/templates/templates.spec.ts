// SPDX-License-Identifier: Apache-2.0
import { SHELL_RUN, TOOLS, type AutonomyMode } from '@writ/contract';
import type { PolicyRequest } from '../policy-request.ts';
import { decidePolicy } from '../decide/decide-policy.ts';
import type { PolicySetSource } from '../document/policy-document.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { PolicySetError } from '../problems.ts';
import { DEFAULT_POLICY } from '../sets/default-policy.ts';
import { fillTemplate, POLICY_TEMPLATES } from './fill-template.ts';
import { withFragments } from './fragment.ts';

const tools = [...TOOLS.values(), { ...SHELL_RUN, tool_id: 'host.admin', category: 'admin' as const }];
const PERMIT_ALL: PolicySetSource = { v: 1, name: 'test', cedar: '@id("all") permit (principal, action, resource);' };
const setOf = (id: string, parameters: Record<string, unknown>) =>
  compilePolicySet(withFragments(PERMIT_ALL, fillTemplate(id, parameters)), tools);

interface Case {
  readonly template: string;
  readonly parameters: Record<string, unknown>;
  readonly asks: readonly (readonly [Partial<PolicyRequest>, AutonomyMode])[];
}
const write = (path: string): Partial<PolicyRequest> => ({ resources: [{ kind: 'fs', access: 'write', path }] });
const read = (path: string): Partial<PolicyRequest> => ({
  tool_id: 'fs.read',
  category: 'read',
  resources: [{ kind: 'fs', access: 'read', path }],
});
const at = (hour: number, weekday: number): Partial<PolicyRequest> => ({ time: { hour, weekday } });

const CASES: readonly Case[] = [
  {
    template: 'protect_paths',
    parameters: { paths: ['infra/*', 'a"b\\c'] },
    asks: [
      [write('infra/x/main.tf'), 'soft_gate'],
      [write('a"b\\c'), 'soft_gate'],
      [write('src/a'), 'autopilot'],
      [read('infra/main.tf'), 'autopilot'],
    ],
  },
  {
    template: 'protect_paths',
    parameters: { paths: ['*.pem'], access: 'any', then: 'refuse' },
    asks: [
      [read('k/server.pem'), 'no_go'],
      [write('k.pem'), 'no_go'],
      [read('a'), 'autopilot'],
    ],
  },
  {
    template: 'read_only_agent',
    parameters: { agent_id: 'agt_a' },
    asks: [
      [{}, 'no_go'],
      [read('a'), 'autopilot'],
      [{ agent_id: 'agt_b' }, 'autopilot'],
    ],
  },
  {
    template: 'only_tools',
    parameters: { agent_id: 'agt_a', tools: ['fs.*'] },
    asks: [
      [{}, 'autopilot'],
      [{ tool_id: 'shell.run' }, 'no_go'],
      [{ tool_id: 'shell.run', agent_id: 'agt_b' }, 'autopilot'],
    ],
  },
  {
    template: 'only_tools',
    parameters: { agent_id: 'agt_a', tools: ['*'] },
    asks: [[{ tool_id: 'shell.run' }, 'autopilot']],
  },
  {
    template: 'business_hours',
    parameters: {},
    asks: [
      [at(8, 1), 'autopilot'],
      [at(17, 5), 'autopilot'],
      [at(18, 5), 'soft_gate'],
      [at(7, 1), 'soft_gate'],
      [at(12, 6), 'soft_gate'],
      [{}, 'soft_gate'],
      [read('a'), 'autopilot'],
    ],
  },
  {
    template: 'no_network_tools',
    parameters: { then: 'escalated' },
    asks: [
      [{ tool_class: 'broker' }, 'escalated'],
      [{}, 'autopilot'],
    ],
  },
  {
    template: 'hold_admin',
    parameters: {},
    asks: [
      [{ tool_id: 'host.admin', category: 'admin' }, 'escalated'],
      [{}, 'autopilot'],
    ],
  },
  {
    template: 'quarantine_untrusted',
    parameters: { then: 'refuse' },
    asks: [
      [{ labels: ['untrusted_content'] }, 'no_go'],
      [{ ...read('a'), labels: ['untrusted_content'] }, 'autopilot'],
      [{}, 'autopilot'],
    ],
  },
  {
    template: 'tests_before_publish',
    parameters: { then: 'refuse' },
    asks: [
      [{ tool_id: 'shell.run', task_class: 'publish', history: { tests_before_publish: 0 } }, 'no_go'],
      [{ tool_id: 'shell.run', task_class: 'publish', history: { tests_before_publish: 1 } }, 'autopilot'],
      [{ tool_id: 'shell.run', task_class: 'test' }, 'autopilot'],
    ],
  },
  {
    template: 'call_limit',
    parameters: { tools: ['fs.write'], n: 2 },
    asks: [
      [{ history: { call_limit: 1 } }, 'autopilot'],
      [{ history: { call_limit: 2 } }, 'soft_gate'],
    ],
  },
  {
    template: 'never_after',
    parameters: { tools: ['fs.write'], after: ['fs.read'], then: 'escalated' },
    asks: [
      [{ history: { never_after: 0 } }, 'autopilot'],
      [{ history: { never_after: 1 } }, 'escalated'],
    ],
  },
];

describe.each(CASES)('the template $template with $parameters', ({ template, parameters, asks }) => {
  const set = setOf(template, parameters);

  test.each(asks.map(([ask, mode]) => [ask, mode] as const))('%j: %s', (ask, mode) => {
    expect(decidePolicy(set, { ...PLAIN_ASK, ...ask })).toMatchObject({ mode, errors: [] });
  });

  test('has a reason, and what would have passed', () => {
    for (const { id, reason, would_pass } of set.rules.values())
      if (id !== 'all') expect([reason, would_pass]).not.toContain(null);
  });
});

test('every template has a case, and fits the default set', () => {
  expect([...POLICY_TEMPLATES.keys()].sort()).toEqual([...new Set(CASES.map(({ template }) => template))].sort());
  const fragments = CASES.map(({ template, parameters }, n) =>
    fillTemplate(template, { ...parameters, id: `own-${n}` }),
  );
  expect(compilePolicySet(withFragments(DEFAULT_POLICY, ...fragments), tools).rules.size).toBeGreaterThan(15);
});

test('the parameter of the template sets the number of administrators', () => {
  expect(
    decidePolicy(setOf('hold_admin', { approvers: 3 }), { ...PLAIN_ASK, tool_id: 'host.admin', category: 'admin' })
      .approvers,
  ).toEqual({ count: 3, role: 'admin' });
});

describe("a template isn't filled", () => {
  const problemsOf = (id: string, parameters?: Record<string, unknown>) => {
    try {
      return fillTemplate(id, parameters) && [];
    } catch (error) {
      if (error instanceof PolicySetError) return error.problems.map(({ pointer, message }) => [pointer, message]);
      throw error;
    }
  };

  test.each<[string, Record<string, unknown> | undefined, string, string]>([
    ['nothing', undefined, '', 'there is no template `nothing`'],
    ['read_only_agent', undefined, '', 'it lacks `agent_id`'],
    ['read_only_agent', { agent_id: 'x" || true' }, '/agent_id', 'it does not have the form'],
    ['protect_paths', { paths: ['a\nb'] }, '/paths/0', 'it does not have the form'],
    ['protect_paths', { paths: [] }, '/paths', 'it must not have fewer'],
    [
      'protect_paths',
      { paths: ['a'], id: 'x") permit (principal, action, resource); @id("y' },
      '/id',
      'it does not have the form',
    ],
    ['only_tools', { agent_id: 'a', tools: ['fs."'] }, '/tools/0', 'it does not have the form'],
    ['business_hours', { to_hour: 25 }, '/to_hour', 'it must be <='],
    ['business_hours', { until: 3 }, '/until', 'it is not known here'],
    ['call_limit', { tools: ['fs.write'], then: 'warn' }, '/then', 'it must be one of'],
  ])('%s with %j', (id, parameters, pointer, message) => {
    expect(problemsOf(id, parameters)).toEqual([[pointer, expect.stringContaining(message)]]);
  });
});
