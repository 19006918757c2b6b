// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { decidePolicy } from '../decide/decide-policy.ts';
import { oracle } from '../oracle-cedar.contract.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { argumentsType, cedarTypeText } from './argument-type.ts';
import { typeArguments } from './type-arguments.ts';

/** A schema, and a value that fits it. */
interface Sample {
  readonly schema: object;
  readonly value: unknown;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', 'x'.repeat(4_096), 'x'.repeat(4_097), '__entity', 'é', '"\\'),
);
const integer = fc.oneof(fc.integer(), fc.constantFrom(0, -0, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e300));
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((scaled) => scaled / 10_000),
  fc.constantFrom(-0, 922337203685477, -922337203685477, 922337203685478, 1e15, 0.00001, 1e-7),
);
const name = fc.oneof(
  fc.constantFrom('amount', 'a b', 'é', '__proto__', '__entity', '__extn', 'x"y', 'constructor', 'a/b', '', '\u2028'),
  // Words of Cedar's rules and schemas.
  fc.constantFrom('if', 'in', 'type', 'Set', 'Long', 'decimal', 'namespace', 'action', 'context', 'attributes', 'enum'),
  fc.string({ minLength: 1, maxLength: 5 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
);
const of = (schema: object, value: fc.Arbitrary<unknown>): fc.Arbitrary<Sample> =>
  value.map((one) => ({ schema, value: one }));
const scalar: fc.Arbitrary<Sample> = fc.oneof(
  of({ type: 'string' }, text),
  of({ enum: ['a', 'b'] }, fc.constantFrom('a', 'b')),
  of({ const: true }, fc.constant(true)),
  of({ type: 'integer' }, integer),
  of({ type: 'number' }, number),
  of({ type: 'boolean' }, fc.boolean()),
  of({ type: ['string', 'null'] }, fc.constantFrom('a', null)),
  of({ anyOf: [{ type: 'integer' }, { type: 'string' }] }, fc.constantFrom(1, 'a')),
  of({ anyOf: [{ type: 'integer' }, { type: 'number' }] }, fc.constantFrom(1, 1.5)),
  of({ oneOf: [{ const: 'a' }, { type: 'string', maxLength: 3 }] }, fc.constantFrom('a', 'b')),
  of({ anyOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] }, fc.constantFrom({ a: 1 }, 'b')),
  of({ enum: [1, 'a', null] }, fc.constantFrom(1, 'a', null)),
  of({ type: 'object', patternProperties: { '^a': {} } }, fc.constantFrom({ a: 1 })),
  of({ type: 'object', properties: {} }, fc.constantFrom({}, { a: 1 })),
  of({ type: 'null' }, fc.constant(null)),
  of({ type: 'object' }, fc.constantFrom({}, { a: 1 })),
  of({}, fc.constantFrom(1, 'a', null, [])),
  of({ type: 'array', prefixItems: [{ type: 'string' }] }, fc.constantFrom(['a'], ['a', 1])),
  of({ $ref: '#/$defs/nothing' }, fc.constantFrom(1, 'a')),
);

function sample(depth: number): fc.Arbitrary<Sample> {
  if (depth === 0) return scalar;
  return fc.oneof({ weight: 2, arbitrary: scalar }, objects(depth), lists(depth));
}

function lists(depth: number): fc.Arbitrary<Sample> {
  return sample(depth - 1).chain(({ schema, value }) =>
    of({ type: 'array', items: schema }, fc.array(fc.constant(value), { maxLength: 4 })),
  );
}

/** An object with some optional properties missing, and some that the schema doesn't declare. */
function objects(depth: number): fc.Arbitrary<Sample> {
  const property = fc.record({ name, sample: sample(depth - 1), required: fc.boolean(), isPresent: fc.boolean() });
  return fc
    .uniqueArray(property, { selector: (one) => one.name, maxLength: 5 })
    .chain((all) =>
      fc.record({
        all: fc.constant(all),
        more: fc.dictionary(fc.constantFrom('un1', 'un2'), fc.anything(), { maxKeys: 2 }),
      }),
    )
    .map(({ all, more }) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(all.map((one) => [one.name, one.sample.schema])),
        required: all.filter(({ required }) => required).map((one) => one.name),
      },
      value: Object.fromEntries([
        ...all
          .filter(({ required, isPresent }) => required || isPresent)
          .map((one) => [one.name, one.sample.value] as const),
        ...Object.entries(more),
      ]),
    }));
}

const WHOLE = { whole: true, members: new Map() };

test('a value that fits its schema has exactly the type of the schema, or is named as untyped', () => {
  fc.assert(
    fc.property(objects(3), ({ schema, value }) => {
      const type = argumentsType(schema);
      const { record, untyped } = typeArguments(type, value as object, WHOLE);
      for (const { pointer, why } of untyped) expect(`${pointer} ${why}`).toMatch(/^(?:\/.*)? (?:is|has|holds)\b/su);
      if (untyped.length > 0) return;
      const answer = oracle.isAuthorized({
        principal: { type: 'Agent', id: 'a' },
        action: { type: 'Action', id: 'tool' },
        resource: { type: 'Agent', id: 'a' },
        context: { args: record },
        schema: `entity Agent; action "tool" appliesTo { principal: Agent, resource: Agent, context: { args: ${cedarTypeText(type)} } };`,
        validateRequest: true,
        policies: { staticPolicies: 'permit (principal, action, resource);' },
        entities: [],
      });
      expect(answer).toMatchObject({ type: 'success', response: { decision: 'allow' } });
    }),
    { numRuns: 500 },
  );
});

const PARAMETERS = {
  type: 'object',
  properties: {
    amount: { type: 'integer' },
    fee: { type: 'number' },
    to: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    tags: { type: 'array', items: { type: 'string' } },
    maybe: { type: ['integer', 'null'] },
    unread: {},
  },
  required: ['amount'],
};
const CEDAR = `@id("all") permit (principal, action, resource);
@id("amount") forbid (principal, action, resource) when { context.args.amount > 500 };
@id("fee") forbid (principal, action, resource) when { context.args has fee && context.args.fee.greaterThan(decimal("1.5")) };
@id("to") forbid (principal, action, resource) when { context.args has to && context.args.to.name == "é" };
@id("tags") forbid (principal, action, resource) when { context.args has tags && context.args.tags.contains("x") };
@id("maybe") forbid (principal, action, resource) when { context.args has maybe };`;
const SET = compilePolicySet({ v: 1, name: 'random', cedar: CEDAR }, [
  { tool_id: PLAIN_ASK.tool_id, category: PLAIN_ASK.category, parameters: PARAMETERS },
]);

interface Args {
  readonly amount: number;
  readonly fee?: number;
  readonly to?: { readonly name: string };
  readonly tags?: readonly string[];
  readonly maybe?: number | null;
  readonly unread?: unknown;
}
const short = fc.constantFrom('é', 'e\u0301', 'x', 'y', 'x'.repeat(5_000));
const args: fc.Arbitrary<Args> = fc.record(
  {
    amount: fc.oneof(fc.integer({ min: 498, max: 503 }), integer),
    fee: fc.oneof(fc.constantFrom(1, 1.5, 1.5001, 2, 1.50001), number),
    to: fc.record({ name: short }),
    tags: fc.array(short, { maxLength: 3 }),
    maybe: fc.constantFrom(1, null),
    unread: fc.jsonValue(),
  },
  { requiredKeys: ['amount'] },
);

function decided(value: object): string {
  const { mode, fault, rule_ids } = decidePolicy(SET, {
    ...PLAIN_ASK,
    args: { parameters: PARAMETERS, value: value as Record<string, unknown> },
  });
  return fault ?? `${mode} ${rule_ids.join()}`;
}

/** What the rules above say, in plain words of the language of this file. */
function expected({ amount, fee, to, tags, maybe }: Args): string {
  const texts = [...(to === undefined ? [] : [to.name]), ...(tags ?? [])];
  const isFine = fee === undefined || (/^-?\d{1,15}(\.\d{1,4})?$/.test(String(fee)) && Math.abs(fee) < 922337203685477);
  if (!Number.isSafeInteger(amount) || !isFine || texts.some((one) => one.length > 4_096) || maybe !== undefined)
    return 'policy.args_untyped';
  const forbids = [
    ...(amount > 500 ? ['amount'] : []),
    ...(fee !== undefined && fee > 1.5 ? ['fee'] : []),
    ...(tags?.includes('x') === true ? ['tags'] : []),
    ...(to?.name === 'é' ? ['to'] : []),
  ];
  return forbids.length === 0 ? 'autopilot all' : `no_go ${forbids.join()}`;
}

test('a verdict is what the rules say, whatever is missing, null or of no rule', () => {
  const exact = args.filter(({ fee }) => fee === undefined || Math.abs(fee) < 9e14 || Math.abs(fee) > 1e16);
  fc.assert(
    fc.property(exact, (value) => {
      expect(decided(value)).toBe(expected(value));
    }),
    { numRuns: 300 },
  );
});

/** The same JSON in another spelling: members in reverse, all characters escaped, numbers with an exponent. */
function respelled(value: unknown): string {
  if (typeof value === 'string')
    return `"${[...value]
      .flatMap((each) => each.split(''))
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')}"`;
  if (typeof value === 'number') {
    const plain = String(value);
    return /^-?\d+$/.test(plain) ? `${plain}.0e0` : plain.includes('e') ? plain.replace('e', 'E') : `${plain}0e+0`;
  }
  if (Array.isArray(value)) return `[ ${value.map(respelled).join(' , ')} ]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).toReversed();
  return `{ ${members.map(([key, each]) => `${respelled(key)} : ${respelled(each)}`).join(',\n')} }`;
}

test('no spelling of the arguments changes a verdict: order of members, escapes, numbers', () => {
  fc.assert(
    fc.property(args, (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as object;
      const other = JSON.parse(respelled(plain)) as object;
      expect(decided(other)).toBe(decided(plain));
    }),
    { numRuns: 300 },
  );
});

/** Names that a rule's text can quote as they are. */
const QUOTABLE = /^[^\p{C}"\\]*$/u;

test('a forbid that asks for an argument is never silent where it is there, whatever its schema', () => {
  fc.assert(
    fc.property(objects(2), ({ schema, value }) => {
      const tool = { tool_id: PLAIN_ASK.tool_id, category: PLAIN_ASK.category, parameters: schema };
      const declared = Object.keys((schema as { properties: object }).properties);
      for (const each of [...declared, 'un1', '__proto__'].filter((one) => QUOTABLE.test(one)).slice(0, 4)) {
        const cedar = `@id("all") permit (principal, action, resource);
          @id("has") forbid (principal, action, resource) when { context.args has "${each}" };`;
        const set = compilePolicySet({ v: 1, name: 'random', cedar }, [tool]);
        const { mode } = decidePolicy(set, {
          ...PLAIN_ASK,
          args: { parameters: schema, value: value as Record<string, unknown> },
        });
        expect([each, mode]).toEqual([each, Object.hasOwn(value as object, each) ? 'no_go' : 'autopilot']);
      }
    }),
    { numRuns: 100 },
  );
});
