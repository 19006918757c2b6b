// SPDX-License-Identifier: Apache-2.0
import { schemaFaults } from './schema-faults.ts';
import { verifySchema } from './verify-schema.ts';

const STEPS = 20_000;
const pointers = (schema: Record<string, unknown>, value: unknown): string[] | undefined => {
  expect(verifySchema(schema)).toEqual([]);
  return schemaFaults(schema, value, STEPS)?.map(({ pointer }) => pointer);
};

it.each<[string, Record<string, unknown>, readonly unknown[], readonly unknown[]]>([
  ['type', { type: ['integer', 'null'] }, [1, 1.0, null], [1.5, '1', true, []]],
  ['object and array apart', { type: 'object' }, [{}], [[], null]],
  ['const', { const: { a: [1], b: 2 } }, [{ b: 2, a: [1] }], [{ a: [1] }, { a: [2], b: 2 }, 1]],
  ['enum', { enum: ['a', null, 1] }, ['a', null, 1], ['b', '1', false]],
  ['bounds', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'text'], [0.9, 3]],
  ['exclusive bounds', { exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [1, 3.1]],
  ['multipleOf', { multipleOf: 0.01 }, [19.99, 0, -3, 1e300], [0.001, 19.995]],
  ['lengths in characters', { minLength: 2, maxLength: 2 }, ['ab', '💥💥'], ['a', '💥', 'abc']],
  ['pattern anywhere', { pattern: 'b+' }, ['abc', 5], ['ac']],
  ['a pattern that never ends in V8', { pattern: '^(a+)+$' }, ['aaa'], [`${'a'.repeat(2_000)}!`]],
  [
    'items after prefixItems',
    { prefixItems: [{ const: 1 }], items: { type: 'string' } },
    [[1, 'a'], []],
    [[2], [1, 2]],
  ],
  ['counts of items', { minItems: 1, maxItems: 2 }, [[1], {}], [[], [1, 2, 3]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [[1, '1', { a: 1 }]],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [
    'contains',
    { contains: { type: 'string' }, minContains: 2, maxContains: 3 },
    [['a', 1, 'b']],
    [['a'], ['a', 'b', 'c', 'd']],
  ],
  ['required', { required: ['a'] }, [{ a: undefined }, 3], [{}, { b: 1 }]],
  ['members of the prototype', { required: ['toString'] }, [], [{}]],
  ['additionalProperties', { properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, {}], [{ toString: 1 }]],
  [
    'patternProperties',
    {
      properties: { a: {} },
      patternProperties: { '^x': { type: 'string' }, y$: { minLength: 2 } },
      additionalProperties: false,
    },
    [{ a: 1, x: '' }, { xy: 'ab' }],
    [{ x: 1 }, { xy: 'a' }, { b: 1 }],
  ],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  ['counts of members', { minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 1 }]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5], [4]],
  ['oneOf', { oneOf: [{ minimum: 1 }, { minimum: 2 }] }, [1], [0, 3]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  ['if', { if: { type: 'string' }, then: { minLength: 1 }, else: { type: 'null' } }, ['a', null], ['', 1]],
  [
    'a reference and what stands beside it',
    { $ref: '#/$defs/n', maximum: 3, $defs: { n: { minimum: 1 } } },
    [1, 3],
    [0, 4],
  ],
  [
    'a reference by its path to a place that has a name, too',
    { properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { $anchor: 'n', minimum: 1 } } },
    [{ a: 1 }],
    [{ a: 0 }],
  ],
  [
    'a reference to itself',
    { type: 'object', additionalProperties: { $ref: '#' } },
    [{ a: { b: {} } }],
    [{ a: { b: 1 } }],
  ],
  ['annotations', { format: 'email', title: 'x', 'x-own': 1 }, ['no address'], []],
])('a check applies %s', (_what, schema, fitting, wrong) => {
  for (const value of fitting) expect(pointers(schema, value)).toEqual([]);
  for (const value of wrong) expect(pointers(schema, value)).not.toEqual([]);
});

it('a multiple is exact where the quotient of two large numbers is rounded', () => {
  expect(pointers({ multipleOf: 2 }, 3_000_000_000_000_001)).toEqual(['']);
  expect(pointers({ multipleOf: 0.01 }, 1_000_000_000_000.01)).toEqual([]);
});

it('a check names the places of all problems, and repeats no value', () => {
  const schema = {
    type: 'object',
    properties: {
      'a/b': { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
      s: { maxLength: 3 },
    },
    additionalProperties: false,
  };
  const value = { 'a/b': [{ n: 1 }, { n: 'secret' }], s: 'secret', more: 'secret' };
  expect(pointers(schema, value)).toEqual(['/a~1b/1/n', '/s', '/more']);
  expect(JSON.stringify(schemaFaults(schema, value, STEPS))).not.toContain('secret');
});

it('a message says what is allowed', () => {
  const schema = {
    properties: {
      size: { enum: ['s', 'm'] },
      cents: { type: 'integer', maximum: 5 },
      note: { pattern: '^[a-z]+$' },
      code: { pattern: '^[a-z]+$', description: 'small\nletters' },
      way: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['size', 'unit'],
    additionalProperties: false,
  };
  const found = schemaFaults(
    schema,
    { size: 'SECRET', cents: 9.5, note: 'SECRET', code: 'SECRET', way: 3, more: 'SECRET', cent: 1 },
    STEPS,
  );
  expect(found?.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    ' lacks `unit`',
    '/size must be one of `s`, `m`',
    '/cents must be integer',
    '/cents must be at most 5',
    '/note does not have the form that its schema gives',
    '/code does not have the form that its schema gives; expected: small letters',
    '/way fits none of the forms that are allowed here',
    '/more is not known here; did you mean `note`?',
    '/cent is not known here; did you mean `cents`?',
  ]);
});

/** Definitions of which each refers to the next one twice, by a keyword: 2^40 applications of the last. */
const doubling = (keyword: string, last: unknown): Record<string, unknown> => ({
  $ref: '#/$defs/d0',
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        { [keyword]: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    ),
    d40: last,
  },
});

it.each<[string, Record<string, unknown>, unknown]>([
  ['doubles and fits', doubling('allOf', {}), 1],
  ['doubles and fails', doubling('allOf', { type: 'string' }), 1],
  ['doubles in choices that fail', doubling('anyOf', false), 1],
  ['doubles in choices that fit', doubling('oneOf', true), 1],
  ['refers to itself', { $ref: '#' }, 1],
  [
    'compares long lists',
    { items: { enum: Array.from({ length: 2_000 }, (_, n) => n) } },
    Array.from({ length: 2_000 }, () => -1),
  ],
  ['compares long items', { uniqueItems: true }, Array.from({ length: 10 }, (_, n) => 'x'.repeat(100_000 + n))],
  [
    'compares long items that each have parts',
    { uniqueItems: true },
    Array.from({ length: 100 }, (_, n) => Array.from({ length: 300 }, () => n)),
  ],
  [
    'has long choices',
    { items: { enum: [Array.from({ length: 3_000 }, () => 1)] } },
    Array.from({ length: 50 }, () => Array.from({ length: 3_000 }, () => 1)),
  ],
  ['doubles in what it excludes', doubling('anyOf', { not: {} }), 1],
  [
    'names many members often',
    { allOf: Array.from({ length: 500 }, () => ({ required: Array.from({ length: 400 }, () => 'a') })) },
    { a: 1 },
  ],
  [
    'depends on many members often',
    { items: { dependentRequired: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`n${n}`, []])) } },
    Array.from({ length: 1_000 }, () => ({})),
  ],
  [
    'refers deep often',
    {
      allOf: Array.from({ length: 300 }, () => ({ $ref: `#/$defs/${'x'.repeat(3_000)}` })),
      $defs: { ['x'.repeat(3_000)]: {} },
    },
    1,
  ],
  [
    'matches many names',
    { patternProperties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`(?:a?){100}b${n}`, {}])) },
    Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${'a'.repeat(200)}${n}`, n])),
  ],
  ['matches a long text', { pattern: '(?:a?){100}b' }, 'a'.repeat(100_000)],
  ['counts a long text often', { allOf: Array.from({ length: 500 }, () => ({ maxLength: 1e9 })) }, 'a'.repeat(100_000)],
  [
    'reads many members often',
    { allOf: Array.from({ length: 500 }, () => ({ maxProperties: 1e9 })) },
    Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, n])),
  ],
])('a check ends after its steps where a schema %s', (_what, schema, value) => {
  const began = performance.now();
  expect(schemaFaults(schema, value, STEPS)).toBe(null);
  // Unbounded, each of them takes from seconds to ages.
  expect(performance.now() - began).toBeLessThan(2_000);
});
