// SPDX-License-Identifier: Apache-2.0
import type { FsResource } from '@writ/contract';
import { checkPolicySet, compilePolicySet, policySetOf, type PolicySet } from '../policy-set.ts';
import { PolicySetError } from '../problems.ts';
import { decideEffectPolicy, decidePolicy } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import type { PolicyDecision, PolicyRequest } from '../policy-request.ts';
import type { PolicyTool } from '../rules/schema.ts';
import { ARGUMENT_LIMITS } from './type-arguments.ts';

const PARAMETERS = {
  type: 'object',
  properties: {
    amount: { type: 'integer' },
    fee: { type: 'number' },
    note: { type: 'string' },
    urgent: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    to: { type: 'object', properties: { iban: { type: 'string' }, extra: {} }, required: ['iban'] },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    free: { type: 'object' },
  },
  required: ['amount'],
} as const;
const PAY: PolicyTool = { tool_id: 'pay.transfer', category: 'write', parameters: PARAMETERS };
const GIT: readonly PolicyTool[] = [
  { tool_id: 'git.add', category: 'write', parameters: objectOf({ path: { type: 'string' } }) },
  { tool_id: 'git.log', category: 'read', parameters: objectOf({ count: { type: 'integer' } }) },
];
const TOOLS = [PAY, ...GIT];

function objectOf(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return { type: 'object', properties, required };
}

const ALLOW = '@id("all") permit (principal, action, resource);';
const cedarOf = (condition: string, scope = 'action == Action::"pay.transfer"') =>
  `${ALLOW}\n@id("rule") @reason("not like this")\nforbid (principal, ${scope}, resource)\nwhen { ${condition} };`;
const setOf = (condition: string, scope?: string, tools: readonly PolicyTool[] = TOOLS): PolicySet =>
  compilePolicySet({ v: 1, name: 'args', cedar: cedarOf(condition, scope) }, tools);

function ask(value: Record<string, unknown>, tool: PolicyTool = PAY, more: Partial<PolicyRequest> = {}): PolicyRequest {
  const { tool_id, category, parameters = {} } = tool;
  return { ...PLAIN_ASK, tool_id, category, resources: [], args: { parameters, value }, ...more };
}
const verdictOf = ({ mode, fault, rule_ids }: PolicyDecision): string => fault ?? `${mode} ${rule_ids.join()}`;
const verdict = (condition: string, value: Record<string, unknown>): string =>
  verdictOf(decidePolicy(setOf(condition), ask(value)));

const FORBIDDEN = 'no_go rule';
const ALLOWED = 'autopilot all';
const UNTYPED = 'policy.args_untyped';

describe('a rule on arguments', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['context.args.amount > 500', { amount: 501 }, FORBIDDEN],
    ['context.args.amount > 500', { amount: 500 }, ALLOWED],
    ['context.args.amount > 500', { amount: -0 }, ALLOWED],
    ['context.args.amount > 500', { amount: 2 ** 53 }, UNTYPED],
    ['context.args.amount > 500', { amount: Number.MAX_SAFE_INTEGER }, FORBIDDEN],
    ['context.args has fee && context.args.fee.greaterThan(decimal("1.5"))', { amount: 1, fee: 1.5001 }, FORBIDDEN],
    ['context.args has fee && context.args.fee.greaterThan(decimal("1.5"))', { amount: 1, fee: 2 }, FORBIDDEN],
    ['context.args has fee && context.args.fee.greaterThan(decimal("1.5"))', { amount: 1 }, ALLOWED],
    ['context.args has fee && context.args.fee.greaterThan(decimal("1.5"))', { amount: 1, fee: 0.00001 }, UNTYPED],
    ['context.args has fee && context.args.fee.greaterThan(decimal("1.5"))', { amount: 1, fee: 1e15 }, UNTYPED],
    ['context.args has note && context.args.note like "*x*"', { amount: 1, note: 'axb' }, FORBIDDEN],
    ['context.args has note && context.args.note like "*x*"', { amount: 1, note: 'x'.repeat(4096) }, FORBIDDEN],
    ['context.args has note && context.args.note like "*x*"', { amount: 1, note: 'x'.repeat(4097) }, UNTYPED],
    ['context.args has note && context.args.note like "*x*"', { amount: 1, note: 'x\ud800' }, UNTYPED],
    ['context.args has urgent && context.args.urgent', { amount: 1, urgent: true }, FORBIDDEN],
    ['context.args has tags && context.args.tags.contains("a")', { amount: 1, tags: ['b', 'a', 'a'] }, FORBIDDEN],
    ['context.args has tags && context.args.tags.contains("a")', { amount: 1, tags: ['b', null] }, UNTYPED],
    ['context.args has to && context.args.to.iban == "a"', { amount: 1, to: { iban: 'a', extra: [{}] } }, FORBIDDEN],
    ['context.args has to && context.args.to.iban == "a"', { amount: 1, to: { iban: 'b' } }, ALLOWED],
    ['context.args has to', { amount: 1, to: { iban: 'b', extra: null } }, FORBIDDEN],
    ['context.args has maybe', { amount: 1, maybe: null }, UNTYPED],
    ['context.args has maybe', { amount: 1 }, ALLOWED],
    ['context.args has free', { amount: 1, free: {} }, UNTYPED],
    ['context.args has undeclared', { amount: 1, undeclared: 3 }, UNTYPED],
    ['context.args has undeclared', { amount: 1 }, ALLOWED],
    ['context.args == context.args && context.args.amount > 5', { amount: 6, undeclared: 3 }, UNTYPED],
    ['context.args == context.args && context.args.amount > 5', { amount: 6, note: 'x' }, FORBIDDEN],
    ['context.args == context.args && context.args.amount > 5', { amount: 6, maybe: 3 }, UNTYPED],
    ['context.args.amount > 500', { amount: 1, note: 'x'.repeat(9999), maybe: null, undeclared: 3 }, ALLOWED],
  ])('%s, asked about %j', (condition, value, expected) => {
    expect(verdict(condition, value)).toBe(expected);
  });

  test('that belongs to a family asks which tools take the argument', () => {
    const set = setOf(
      'context has args && context.args has path && context.args.path like "/etc/*"',
      'action in Action::"git.*"',
    );
    const [add, log] = GIT as [PolicyTool, PolicyTool];
    expect(verdictOf(decidePolicy(set, ask({ path: '/etc/passwd' }, add)))).toBe(FORBIDDEN);
    expect(verdictOf(decidePolicy(set, ask({ path: 'src' }, add)))).toBe(ALLOWED);
    expect(verdictOf(decidePolicy(set, ask({ count: 3 }, log)))).toBe(ALLOWED);
  });

  test('is asked at the commit with the same arguments', () => {
    const change = { changes: [], granted: 'autopilot', findings: [] } as const;
    const set = setOf('context has effect && context.args.amount > 5');
    expect(verdictOf(decidePolicy(set, ask({ amount: 6 })))).toBe(ALLOWED);
    expect(verdictOf(decideEffectPolicy(set, { ...ask({ amount: 6 }), ...change }))).toBe(FORBIDDEN);
    expect(verdictOf(decideEffectPolicy(set, { ...ask({ amount: 5 }), ...change }))).toBe(ALLOWED);
  });

  test('refuses a call whose arguments are unknown', () => {
    const { args: _args, ...without } = ask({ amount: 1 });
    expect(verdictOf(decidePolicy(setOf('context.args.amount > 5'), without))).toBe('policy.error');
  });

  test('for one agent asks nothing of the calls of others', () => {
    const cedar = `${ALLOW}\n@id("one") forbid (principal == Agent::"agt_z", action, resource) when { context has args && context.args has maybe };`;
    const set = compilePolicySet({ v: 1, name: 'args', cedar }, TOOLS);
    expect(verdictOf(decidePolicy(set, ask({ amount: 1, maybe: 3 })))).toBe(ALLOWED);
    expect(verdictOf(decidePolicy(set, ask({ amount: 1, maybe: 3 }, PAY, { agent_id: 'agt_z' })))).toBe(UNTYPED);
  });

  test('that fails names itself, and quotes no value of an argument', () => {
    const decision = decidePolicy(setOf('context.args.amount + 9223372036854775807 > 0'), ask({ amount: 424_242 }));
    expect(decision.errors).toEqual(['`rule`: the rule failed on what it reads']);
    expect(JSON.stringify(decision)).not.toContain('424242');
  });

  test('names what it cannot see, and quotes nothing of it', () => {
    const secret = 'hunter2'.repeat(999);
    const decision = decidePolicy(
      setOf('context.args has note && context.args.note == "x"'),
      ask({ amount: 1, note: secret }),
    );
    expect(decision).toMatchObject({
      mode: 'no_go',
      reasons: [{ code: UNTYPED, message: 'a rule reads `/note`, and it is longer than 4096 characters' }],
    });
    expect(JSON.stringify(decision)).not.toContain('hunter2');
  });

  test('sees no more values than the limit, wherever in the call they are', () => {
    const tags = Array.from({ length: ARGUMENT_LIMITS.values - 2 }, (_, n) => `t${n}`);
    const condition = 'context.args.amount > 5 || (context.args has tags && context.args.tags.contains("a"))';
    expect(verdict(condition, { amount: 1, tags })).toBe(ALLOWED);
    expect(verdict(condition, { amount: 1, tags: [...tags, 'more'] })).toBe(UNTYPED);
    expect(verdict(condition, { tags: [...tags, 'more'], amount: 1 })).toBe(UNTYPED);
  });

  test('is asked once for each path, with the same arguments', () => {
    const set = setOf('resource is File && resource.path == "b" && context.args.amount > 5');
    const resources = ['a', 'b'].map((path): FsResource => ({ kind: 'fs', access: 'write', path }));
    expect(verdictOf(decidePolicy(set, ask({ amount: 6 }, PAY, { resources })))).toBe(FORBIDDEN);
    expect(verdictOf(decidePolicy(set, ask({ amount: 5 }, PAY, { resources })))).toBe(ALLOWED);
  });
});

describe('storing a set', () => {
  test.each([
    ['context.args.amuont < 500', 'attribute `args.amuont`', 4, 8],
    ['context.args.amount < "x"', 'expected Long but saw String', 4, 30],
    ['context.args.fee.lessThan(decimal("1.0"))', 'optional attribute `args.fee`', 4, 8],
    ['context.args has fee && context.args.fee < 5', 'decimal', 4, 32],
    ['context.args has maybe && context.args.maybe == 3', null, 0, 0],
    ['context.args.maybe == 3', 'attribute `args.maybe`', 4, 8],
  ])('%s is checked against the schema of the tool', (condition, message, line, column) => {
    const problems = problemsOf(condition);
    if (message === null) return expect(problems).toEqual([]);
    expect(problems[0]).toMatchObject({ pointer: '/cedar', line, column });
    expect(problems[0]?.message).toContain(message);
  });

  test('checks rules that read no argument without any', () => {
    const without = compilePolicySet({ v: 1, name: 'args', cedar: ALLOW }, TOOLS);
    const other = compilePolicySet({ v: 1, name: 'args', cedar: ALLOW }, []);
    expect(without.policy_hash).toBe(other.policy_hash);
  });
});

function problemsOf(condition: string) {
  try {
    setOf(condition);
    return [];
  } catch (error) {
    if (error instanceof PolicySetError) return error.problems;
    throw error;
  }
}

describe('a tool whose definition changes', () => {
  const CHANGED: PolicyTool = { ...PAY, parameters: objectOf({ amount: { type: 'number' } }, ['amount']) };
  const source = { v: 1, name: 'args', cedar: cedarOf('context.args.amount > 500') } as const;

  test('refuses its own calls, and leaves the rest of the set in force', () => {
    const set = setOf('context.args.amount > 500');
    expect(verdictOf(decidePolicy(set, ask({ amount: 1 }, CHANGED)))).toBe('policy.args_changed');
    expect(verdictOf(decidePolicy(set, ask({ amount: 1 })))).toBe(ALLOWED);
    expect(verdictOf(decidePolicy(set, ask({ count: 1 }, GIT[1])))).toBe(ALLOWED);
    const { reasons } = decidePolicy(set, ask({ amount: 1 }, CHANGED));
    expect(reasons[0]?.message).toBe("rules don't fit the arguments that `pay.transfer` takes: `rule`");
  });

  test.each([
    ['changed', [CHANGED, ...GIT]],
    ['vanished', [{ tool_id: PAY.tool_id, category: PAY.category }, ...GIT]],
  ] satisfies [string, PolicyTool[]][])('a stored set is read when a tool has %s, under the same hash', (_, tools) => {
    expect(() => checkPolicySet(source, tools)).toThrow(PolicySetError);
    const stored = policySetOf(checkPolicySet(source, tools, 'stored'));
    expect(stored.policy_hash).toBe(compilePolicySet(source, TOOLS).policy_hash);
    expect(verdictOf(decidePolicy(stored, ask({ amount: 501 })))).toBe(FORBIDDEN);
  });

  test('is checked for rules that name other tools and groups, too', () => {
    const scope = 'action in [Action::"pay.transfer", Action::"git.*"]';
    const condition = 'action == Action::"pay.transfer" && context.args.amount > 500';
    expect(verdictOf(decidePolicy(setOf(condition, scope), ask({ amount: 501 })))).toBe(FORBIDDEN);
    expect(verdictOf(decidePolicy(setOf(condition, scope), ask({ amount: 1 }, CHANGED)))).toBe('policy.args_changed');
  });
});
