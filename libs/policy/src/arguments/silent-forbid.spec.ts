// SPDX-License-Identifier: Apache-2.0
// What an attacker would try: arguments, or a schema, for which a forbid stays silent though it should apply. Each case
// is forbidden, or refused because a rule can't see an argument; none is permitted.
import { decidePolicy } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import type { PolicyDecision } from '../policy-request.ts';
import { compilePolicySet } from '../policy-set.ts';
import type { PolicyTool } from '../rules/schema.ts';

const UNTYPED = 'policy.args_untyped';
const FORBIDDEN = 'no_go rule';

function decide(properties: object, when: string, args: object | string, more: object = {}): PolicyDecision {
  const parameters = { type: 'object', properties, ...more };
  const tool: PolicyTool = { tool_id: PLAIN_ASK.tool_id, category: PLAIN_ASK.category, parameters };
  const clause = when.startsWith('unless') ? when : `when { ${when} }`;
  const cedar = `@id("all") permit (principal, action, resource);
    @id("rule") forbid (principal, action == Action::"${tool.tool_id}", resource) ${clause};`;
  // A member `__proto__` is one of the arguments only where they are read from JSON.
  const value = (typeof args === 'string' ? JSON.parse(args) : args) as Record<string, unknown>;
  const set = compilePolicySet({ v: 1, name: 'args', cedar }, [tool]);
  return decidePolicy(set, { ...PLAIN_ASK, args: { parameters, value, secrets: ['command'] } });
}
const verdictOf = ({ mode, fault, rule_ids }: PolicyDecision): string => fault ?? `${mode} ${rule_ids.join()}`;

const AMOUNT = 'context.args has amount && context.args.amount > 500';
const HAS = 'context.args has amount';

describe('a forbid is not silenced by an argument whose schema is', () => {
  test.each<[string, object | true, unknown]>([
    ['nullable', { type: ['integer', 'null'] }, 501],
    ['a union', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, '501'],
    ['a union of numbers', { oneOf: [{ type: 'integer' }, { type: 'number' }] }, 501],
    ['a union of objects', { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }] }, { a: '501' }],
    ['an enum of mixed types', { enum: [501, '501', null] }, 501],
    ['a constant number', { const: 501 }, 501],
    ['absent', {}, 501],
    ['true', true, 501],
    ['null', { type: 'null' }, null],
    ['an object without properties', { type: 'object' }, { value: 501 }],
    ['an object with no properties', { type: 'object', properties: {} }, {}],
    ['an object of any members', { type: 'object', additionalProperties: { type: 'integer' } }, { value: 501 }],
    ['an object of members by pattern', { type: 'object', patternProperties: { '^v': {} } }, { value: 501 }],
    ['a list of mixed items', { type: 'array', items: { type: ['integer', 'string'] } }, [501]],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'integer' }] }, [501]],
    ['a list of anything', { type: 'array' }, [501]],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 501],
    ['a reference to another document', { $ref: 'https://example.org/amount' }, 501],
    ['a recursion', { $ref: '#/properties/amount' }, 501],
    ['a reference to an anchor', { $ref: '#amount' }, 501],
    ['a dynamic reference', { $dynamicRef: '#amount' }, 501],
    ['a combination', { allOf: [{ type: 'integer' }, { minimum: 0 }] }, 501],
    ['a negation', { not: { type: 'string' } }, 501],
    ['nested too deep', nested(12), nestedValue(12)],
  ])('%s', (_, schema, amount) => {
    expect(verdictOf(decide({ amount: schema }, HAS, { amount }))).toBe(UNTYPED);
    expect(verdictOf(decide({ amount: schema }, HAS, {}))).toBe('autopilot all');
  });

  test('not declared, by any name', () => {
    expect(verdictOf(decide({}, HAS, { amount: 501 }))).toBe(UNTYPED);
    for (const name of ['__proto__', '__entity', '__extn', 'constructor', 'toString', 'hasOwnProperty'])
      expect([name, verdictOf(decide({}, `context.args has "${name}"`, `{"${name}":501}`))]).toEqual([name, UNTYPED]);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect([name, verdictOf(decide({}, `context.args has "${name}"`, {}))]).toEqual([name, 'autopilot all']);
  });

  test('declared by a name that Cedar gives a meaning of its own', () => {
    for (const name of ['__proto__', '__entity', '__extn', '__expr', 'a"b', 'a\\b']) {
      const properties = JSON.parse(`{${JSON.stringify(name)}: {"type": "string"}}`) as object;
      const args = `{${JSON.stringify(name)}: "x"}`;
      expect([name, verdictOf(decide(properties, `context.args has ${JSON.stringify(name)}`, args))]).toEqual([
        name,
        UNTYPED,
      ]);
    }
  });
});

function nested(levels: number): object {
  return levels === 0 ? { type: 'integer' } : { type: 'array', items: nested(levels - 1) };
}
function nestedValue(levels: number): unknown {
  return levels === 0 ? 501 : [nestedValue(levels - 1)];
}

describe('a forbid is not silenced by a value', () => {
  const INTEGER = { amount: { type: 'integer' } };
  const NUMBER = { amount: { type: 'number' } };
  const DECIMAL = 'context.args has amount && context.args.amount.greaterThan(decimal("500.0"))';

  test.each<[string, object, string, string, string]>([
    ['beyond 2^53', INTEGER, AMOUNT, '{"amount": 9007199254740993}', UNTYPED],
    ['beyond 2^63', INTEGER, AMOUNT, '{"amount": 9223372036854775808}', UNTYPED],
    ['beyond 2^64', INTEGER, AMOUNT, '{"amount": 18446744073709552117}', UNTYPED],
    ['with an exponent', INTEGER, AMOUNT, '{"amount": 5.01e2}', FORBIDDEN],
    ['with a fraction of zeros', INTEGER, AMOUNT, '{"amount": 501.000}', FORBIDDEN],
    ['with a fraction', INTEGER, AMOUNT, '{"amount": 501.5}', UNTYPED],
    ['in quotes', INTEGER, AMOUNT, '{"amount": "501"}', UNTYPED],
    ['in a list', INTEGER, AMOUNT, '{"amount": [501]}', UNTYPED],
    ['that is null', INTEGER, AMOUNT, '{"amount": null}', UNTYPED],
    ['with escapes in its name', INTEGER, AMOUNT, '{"\\u0061mount": 501}', FORBIDDEN],
    ['a whole number as a decimal', NUMBER, DECIMAL, '{"amount": 501}', FORBIDDEN],
    ['a decimal with four fraction digits', NUMBER, DECIMAL, '{"amount": 500.0001}', FORBIDDEN],
    ['a decimal with five', NUMBER, DECIMAL, '{"amount": 500.00001}', UNTYPED],
    ['a huge decimal', NUMBER, DECIMAL, '{"amount": 1e300}', UNTYPED],
    ['beyond the decimals', NUMBER, DECIMAL, '{"amount": 922337203685478}', UNTYPED],
  ])('%s', (_, properties, when, args, expected) => {
    expect(verdictOf(decide(properties, when, args))).toBe(expected);
  });

  test('that is missing though it is required', () => {
    const more = { required: ['amount'] };
    expect(verdictOf(decide(INTEGER, 'context.args.amount > 500', {}, more))).toBe(UNTYPED);
  });

  test.each([
    'context.args.tags.contains("x")',
    'context.args.tags.containsAny(["x"])',
    '!context.args.tags.isEmpty()',
  ])('in a huge list, with %s', (condition) => {
    const tags = { type: 'array', items: { type: 'string' } };
    const huge = { tags: [...Array.from({ length: 300 }, (_, n) => `t${n}`), 'x'] };
    expect(verdictOf(decide({ tags }, `context.args has tags && ${condition}`, huge))).toBe(UNTYPED);
  });
});

describe('a forbid that compares all of a record is not silenced by a member that has no type', () => {
  const TO = { type: 'object', properties: { iban: { type: 'string' }, extra: {} }, required: ['iban'] };

  test.each<[string, object, string, string]>([
    ['of the arguments', { iban: { type: 'string' }, extra: {} }, 'context.args == {iban: "a"}', '{"iban":"a"}'],
    ['of an argument', { iban: TO }, 'context.args.iban == {iban: "a"}', '{"iban":{"iban":"a"}}'],
    [
      'of an item',
      { iban: { type: 'array', items: TO } },
      'context.args.iban == [{iban: "a"}]',
      '{"iban":[{"iban":"a"}]}',
    ],
  ])('%s', (_, properties, condition, fits) => {
    const more = { required: ['iban'] };
    expect(verdictOf(decide(properties, `unless { ${condition} }`, fits, more))).toBe('autopilot all');
    for (const name of ['other', 'extra', '__proto__']) {
      const added = fits.replace('"a"', `"a","${name}":1`);
      expect([name, verdictOf(decide(properties, `unless { ${condition} }`, added, more))]).toEqual([name, UNTYPED]);
    }
  });

  test('of an item that has other members than its type, or not those that it requires', () => {
    const item = { ...TO, properties: { iban: { type: 'string' }, note: { type: 'string' } } };
    const items = { items: { type: 'array', items: item } };
    const verdict = (value: object) => verdictOf(decide(items, 'context.args has items', { items: [value] }));
    expect(verdict({ iban: 'a', note: 'b' })).toBe(FORBIDDEN);
    expect(verdict({ iban: 'a', other: 'b' })).toBe(UNTYPED);
    expect(verdict({ note: 'b' })).toBe(UNTYPED);
  });

  test('and the refusal names the place, never the name that the caller chose', () => {
    const to = { iban: 'a', 'hunter2 hunter2': 1 };
    const { reasons } = decide({ to: TO }, 'unless { context.args has to && context.args.to == {iban: "a"} }', { to });
    expect(reasons.map(({ message }) => message)).toEqual([
      'a rule reads `/to`, and it has a member that rules cannot read',
    ]);
  });
});

describe('a forbid that reaches arguments by another way sees them', () => {
  test.each([
    '(if context.supervision == "autopilot" then context else context).args has amount',
    '{c: context}.c.args has amount',
    'context has args.amount',
    'context["args"] has "amount"',
    'context has args && (context.args has amount && true)',
  ])('%s', (condition) => {
    expect(verdictOf(decide({ amount: { type: 'integer' } }, condition, { amount: 1 }))).toBe(FORBIDDEN);
    expect(verdictOf(decide({ amount: {} }, condition, { amount: 1 }))).toBe(UNTYPED);
  });
});

describe('a reference to a secret', () => {
  const COMMAND = { command: { type: 'string' }, note: { type: 'string' } };

  test.each([
    ['${secret:NAME}', UNTYPED],
    ['x ${secret:', UNTYPED],
    ['$${secret:NAME}', UNTYPED],
    ['evil', FORBIDDEN],
  ])('in %s hides text from the rules where the tool gets the value', (command, expected) => {
    const condition = 'context.args has command && context.args.command like "*evil*"';
    expect(verdictOf(decide(COMMAND, condition, { command }))).toBe(expected);
  });

  test('is a text like any other in an argument that takes none', () => {
    const condition = 'context.args has note && context.args.note like "*secret*"';
    expect(verdictOf(decide(COMMAND, condition, { note: '${secret:NAME}' }))).toBe(FORBIDDEN);
  });

  test('is not looked for in an argument that no rule reads', () => {
    const condition = 'context.args has note && context.args.note like "*x*"';
    expect(verdictOf(decide(COMMAND, condition, { command: '${secret:NAME}', note: 'y' }))).toBe('autopilot all');
  });
});

describe('alternatives of one simple type', () => {
  test.each<[object, string, unknown]>([
    [
      {
        anyOf: [
          { type: 'string', const: 'a' },
          { type: 'string', const: 'b' },
        ],
      },
      '== "a"',
      'a',
    ],
    [{ oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] }, '== "a"', 'a'],
    [
      {
        anyOf: [
          { type: 'integer', maximum: 0 },
          { type: 'integer', minimum: 5 },
        ],
      },
      '> 5',
      6,
    ],
  ])('%j are read as that type', (schema, comparison, amount) => {
    const condition = `context.args has amount && context.args.amount ${comparison}`;
    expect(verdictOf(decide({ amount: schema }, condition, { amount }))).toBe(FORBIDDEN);
  });
});
