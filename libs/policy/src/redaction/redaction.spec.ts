// SPDX-License-Identifier: Apache-2.0
import { decidePolicy } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { checkPolicySet, compilePolicySet } from '../policy-set.ts';
import { PolicySetError } from '../problems.ts';
import type { PolicyRequest } from '../policy-request.ts';
import type { PolicyTool } from '../rules/schema.ts';
import { explainDecision } from '../what-if/explain-decision.ts';

const CUSTOMER = {
  type: 'object',
  properties: {
    customer: { type: 'object', properties: { email: { type: 'string' } }, additionalProperties: false },
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
    note: { type: 'string' },
  },
  additionalProperties: false,
  $defs: { item: { type: 'object', properties: { iban: { type: 'string' } } } },
};
const parameters = { type: 'object', properties: { id: { type: 'string' }, free: {} }, required: ['id'] };
const TOOLS: PolicyTool[] = [
  { tool_id: 'crm.get', category: 'read', parameters, redactable: { schema: CUSTOMER, copies: [] } },
  { tool_id: 'crm.any', category: 'read', parameters, redactable: { schema: null, copies: [] } },
  { tool_id: 'fs.read', category: 'read', parameters: { type: 'object' }, redactable: null },
];
const ALL = '@id("all") @reason("everything is permitted") permit (principal, action, resource);\n';
const compile = (cedar: string, tools = TOOLS) => compilePolicySet({ v: 1, name: 'a', cedar: `${ALL}${cedar}` }, tools);
const rule = (redact: string, more = '', when = '', tool = 'crm.get'): string =>
  `@id("r") @reason("hidden") @redact("${redact}") ${more} forbid (principal, action == Action::"${tool}", resource) ${when};\n`;
const problems = (cedar: string): string[] => {
  try {
    compile(cedar);
    return [];
  } catch (error) {
    if (error instanceof PolicySetError) return error.problems.map(({ message }) => message);
    throw error;
  }
};
const ask: PolicyRequest = {
  ...PLAIN_ASK,
  tool_id: 'crm.get',
  category: 'read',
  tool_class: 'function',
  resources: [],
  args: { parameters, value: { id: 'c-1' } },
};

describe('a rule that redacts', () => {
  test('refuses no call, and is named with its pointers and its reason', () => {
    const { mode, redactions, reasons, rule_ids } = decidePolicy(compile(rule('/customer/email /items/*/iban')), ask);
    expect({ mode, redactions, rule_ids }).toEqual({
      mode: 'autopilot',
      redactions: [{ rule: 'r', pointers: ['/customer/email', '/items/*/iban'] }],
      rule_ids: ['all', 'r'],
    });
    expect(reasons.at(-1)).toEqual({
      code: 'r',
      message: 'hidden; of the result `/customer/email`, `/items/*/iban` is redacted',
    });
  });

  test('permits no call either', () => {
    const set = compilePolicySet({ v: 1, name: 'a', cedar: rule('/customer/email') }, TOOLS);
    expect(decidePolicy(set, ask).mode).toBe('no_go');
  });

  test('applies by its scope and conditions, whatever else permits the call', () => {
    const set = compile(rule('/customer/email', '', 'unless { context.session_mode == "interactive" }'));
    expect(decidePolicy(set, ask).redactions).toEqual([]);
    expect(decidePolicy(set, { ...ask, session_mode: 'gateway' }).redactions).toHaveLength(1);
    expect(decidePolicy(set, { ...ask, tool_id: 'crm.any', session_mode: 'gateway' }).redactions).toEqual([]);
  });

  test('is one of several that apply, and each of them counts', () => {
    const set = compile(
      ['/note', '/items', '/customer/email']
        .map((pointer, n) => rule(pointer).replace('@id("r")', `@id("r${n}")`))
        .join(''),
    );
    expect(decidePolicy(set, ask).redactions.map(({ rule: id }) => id)).toEqual(['r0', 'r1', 'r2']);
  });

  test('applies as well under supervision, in a set that observes, and to a path of several', () => {
    const held = compile(
      `${rule('/note')}@id("ask") forbid (principal, action, resource) when { context.supervision == "autopilot" };`,
    );
    expect(decidePolicy(held, ask)).toMatchObject({ mode: 'soft_gate', redactions: [{ rule: 'r' }] });
    const observing = compilePolicySet({ v: 1, name: 'a', enforcement: 'observe', cedar: rule('/note') }, TOOLS);
    expect(decidePolicy(observing, ask)).toMatchObject({
      mode: 'autopilot',
      decided: 'no_go',
      redactions: [{ rule: 'r' }],
    });
    const onFile = compile(
      '@id("r") @redact("/note") forbid (principal, action == Action::"crm.get", resource is File) when { resource.path == "b" };',
    );
    const resources = ['a', 'b', 'c'].map((path) => ({ kind: 'fs' as const, access: 'read' as const, path }));
    expect(decidePolicy(onFile, { ...ask, resources }).redactions).toHaveLength(1);
  });

  test('that fails refuses the call, and so does an argument that it reads and that has no type', () => {
    const failing = compile(
      rule('/note', '', 'when { context has time && context.time.hour + 9223372036854775807 > 0 }'),
    );
    expect(decidePolicy(failing, { ...ask, time: { hour: 3, weekday: 1 } }).fault).toBe('policy.error');
    const reading = compile(rule('/note', '', 'when { context.args.id like "c-*" }'));
    expect(decidePolicy(reading, ask).redactions).toHaveLength(1);
    const long = { parameters, value: { id: 'x'.repeat(5000) } };
    expect(decidePolicy(reading, { ...ask, args: long }).fault).toBe('policy.args_untyped');
  });

  test('is shown by an explanation', () => {
    const { rules, decision, rules_met } = explainDecision(compile(rule('/note')), ask);
    expect(rules.map(({ id }) => id)).toEqual(['all', 'r']);
    expect(decision.redactions).toHaveLength(1);
    expect(rules_met).toBe(2);
  });

  test('changes the version in the hash of its set alone', () => {
    const plain = compile('');
    expect(plain.policy_hash).not.toBe(compile(rule('/note')).policy_hash);
    expect(compile(rule('/note')).rules.get('r')?.redacts).toEqual(['/note']);
    expect(plain.rules.get('all')?.redacts).toBeNull();
  });
});

describe('a set is refused', () => {
  test.each([
    ['whose rule permits', rule('/note').replace(' forbid ', ' permit '), 'a rule with `@redact` is a `forbid`'],
    ['whose rule asks for people', rule('/note', '@quorum("2")'), '`@quorum` means nothing'],
    ['whose rule would be passed', rule('/note', '@would_pass("x")'), '`@would_pass` means nothing'],
    ['with a pointer that is none', rule('note'), 'is no JSON pointer'],
    ['with a pointer to nothing', rule('/customer/emial'), 'leads to nothing'],
    ['with a pointer into a text', rule('/note/x'), 'leads to nothing'],
    ['with a name where items are', rule('/items/iban'), 'leads to nothing'],
    ['with a tool whose result is text', rule('/note', '', '', 'fs.read'), "can't be redacted of `fs.read`"],
    [
      'with a scope that reaches such a tool',
      '@id("r") @redact("/a") forbid (principal, action in Action::"read", resource);',
      "can't be redacted of `fs.read`",
    ],
    [
      'that asks for supervision',
      rule('/note', '', 'when { context.supervision == "autopilot" }'),
      'context.supervision',
    ],
    ['that asks for the effect', rule('/note', '', 'when { context has effect }'), 'context.effect'],
  ])('%s', (_what, cedar, message) => {
    expect(problems(cedar).join('\n')).toContain(message);
  });

  test('that redacts more than a record can name', () => {
    const many = Array.from({ length: 16 }, (_, n) => `/items/*/${'x'.repeat(40)}${n}`).join(' ');
    const all = [0, 1, 2].map((n) => rule(many).replace('@id("r")', `@id("r${n}")`)).join('');
    expect(problems(all).join('\n')).toContain('more of one tool than its record can name');
  });

  test('and one is accepted, whatever its tools have become, once it is stored', () => {
    const cedar = `${ALL}${rule('/customer/gone')}`;
    expect(() => checkPolicySet({ v: 1, name: 'a', cedar }, TOOLS, 'new')).toThrow(PolicySetError);
    expect(() => checkPolicySet({ v: 1, name: 'a', cedar }, TOOLS, 'stored')).not.toThrow();
  });

  test('not for a pointer that an open schema only does not declare, which is a warning', () => {
    const { warnings } = compile(rule('/items/*/ibna'));
    expect(warnings.map(({ message }) => message).join()).toContain('no schema of a result declares `/items/*/ibna`');
    expect(compile(rule('/items/*/iban')).warnings).toEqual([]);
    expect(compile(rule('/whatever', '', '', 'crm.any')).warnings).toEqual([]);
  });
});
