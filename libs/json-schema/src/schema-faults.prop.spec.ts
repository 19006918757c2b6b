// SPDX-License-Identifier: Apache-2.0
//
// Ajv, which compiles schemas, is the peer: both must agree on whether a value fits. No name is empty or one of a
// member of the prototype: there Ajv errs.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { schemaFaults } from './schema-faults.ts';
import { verifySchema } from './verify-schema.ts';

type Schema = Record<string, unknown>;

const STEPS = 1_000_000;
const names = fc.constantFrom('a', 'b', 'c', 'a/b', '~', '%');
const numbers = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, 1.5, -0, 1e3));
const texts = fc.oneof(names, fc.constantFrom('ab', '💥', '💥💥', 'aab'));
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    numbers,
    texts,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const counts = fc.integer({ min: 0, max: 3 });
const types = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'string', 'integer');

const { schema: schemas } = fc.letrec<{ schema: Schema | boolean; list: (Schema | boolean)[] }>((tie) => {
  const schema = tie('schema');
  const some = tie('list');
  const map = fc.dictionary(names, schema, { maxKeys: 2, noNullPrototype: true });
  return {
    list: fc.array(schema, { minLength: 1, maxLength: 2 }),
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.record({ type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })) }),
      fc.record({ const: values }),
      fc.record({
        enum: fc.uniqueArray(values, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
      }),
      fc.record({ minimum: numbers, exclusiveMaximum: numbers }, { requiredKeys: [] }),
      fc.record({ maximum: numbers, exclusiveMinimum: numbers }, { requiredKeys: [] }),
      fc.record({ multipleOf: fc.constantFrom(0.5, 1, 2) }),
      fc.record(
        { minLength: counts, maxLength: counts, pattern: fc.constantFrom('a', '^a+$', '^$') },
        { requiredKeys: [] },
      ),
      fc.record({ minItems: counts, maxItems: counts, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
      fc.record({ prefixItems: some, items: schema }, { requiredKeys: [] }),
      fc.record({ contains: schema, minContains: counts, maxContains: counts }, { requiredKeys: ['contains'] }),
      fc.record({ minProperties: counts, maxProperties: counts }, { requiredKeys: [] }),
      fc.record(
        {
          properties: map,
          patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '/'), schema, {
            maxKeys: 2,
            noNullPrototype: true,
          }),
          additionalProperties: schema,
        },
        { requiredKeys: [] },
      ),
      fc.record({ properties: map, additionalProperties: schema, propertyNames: schema }, { requiredKeys: [] }),
      fc.record({ required: fc.uniqueArray(names, { maxLength: 2 }) }),
      fc.record({
        dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
      }),
      fc.record({ dependentSchemas: map }),
      fc.record({ allOf: some, anyOf: some, oneOf: some, not: schema }, { requiredKeys: [] }),
      fc.record({ if: schema, then: schema, else: schema }, { requiredKeys: ['if'] }),
      fc.constantFrom<Schema[]>({ $ref: '#/$defs/one' }, { $ref: '#/$defs/other' }),
    ),
  };
});

const roots = fc
  .tuple(schemas, schemas, schemas)
  .map(([all, one, other]): Schema => ({ allOf: [all], $defs: { one, other: { anyOf: [other, { const: 'a' }] } } }));

/** A schema that refers to itself without going deeper never ends, for either of them. */
const isEndless = (schema: Schema): boolean => JSON.stringify(schema['$defs']).includes('$ref');

/** Null where the code that Ajv made can't run: for some schemas it names a variable that it never declares. */
function answerOfPeer(schema: Schema, value: unknown): boolean | null {
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: true, allErrors: false, ownProperties: true });
  const validate = ajv.compile(schema);
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}

it('a value fits a schema exactly where it does for a compiler of JSON Schema', () => {
  let fitting = 0;
  let wrong = 0;
  fc.assert(
    fc.property(roots, values, (schema, value) => {
      fc.pre(!isEndless(schema));
      expect(verifySchema(schema)).toEqual([]);
      const expected = answerOfPeer(schema, value);
      fc.pre(expected !== null);
      const faults = schemaFaults(schema, value, STEPS);
      expect(faults === null ? null : faults.length === 0).toBe(expected);
      if (expected) fitting += 1;
      else wrong += 1;
    }),
    { numRuns: 400 },
  );
  // Neither answer is so rare that the comparison says nothing.
  expect(Math.min(fitting, wrong)).toBeGreaterThan(50);
});

it('a check of any schema and value ends within its steps, with an answer or with none', () => {
  fc.assert(
    fc.property(roots, values, fc.integer({ min: 0, max: 300 }), (schema, value, steps) => {
      const faults = schemaFaults(schema, value, steps);
      const more = schemaFaults(schema, value, STEPS);
      // Fewer steps never turn one answer into the other.
      if (faults !== null) expect(faults).toEqual(more);
    }),
    { numRuns: 500 },
  );
});

it('a problem is at a place of the value, and its message has no text of the value', () => {
  fc.assert(
    fc.property(
      roots,
      fc.dictionary(names, fc.constant('SECRET'), { maxKeys: 3, noNullPrototype: true }),
      (schema, value) => {
        for (const { pointer, message } of schemaFaults(schema, value, STEPS) ?? []) {
          expect(pointer === '' || pointer.startsWith('/')).toBe(true);
          expect(message).not.toContain('SECRET');
        }
      },
    ),
    { numRuns: 300 },
  );
});
