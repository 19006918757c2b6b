// SPDX-License-Identifier: Apache-2.0
import { SCHEMA_LIMITS, verifySchema } from './verify-schema.ts';

const problems = (schema: unknown, of: 'object' | 'any' = 'any'): string[] =>
  verifySchema(schema, of).map(({ pointer, message }) => `${pointer} ${message}`);

describe('a schema of a tenant', () => {
  it('is taken as it is written', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      description: 'what to charge',
      properties: { a: { $ref: '#/$defs/a' }, b: true, c: { const: { pattern: '(' } } },
      $defs: { a: { $anchor: 'a', type: ['string', 'null'], pattern: '^[a-z]+$' } },
      'x-anything': { $ref: 'http://example.org' },
    };
    expect(problems(schema, 'object')).toEqual([]);
  });

  it('of arguments is an object at its root', () => {
    expect(problems({ type: 'string' }, 'object')).toEqual(['/type must be `object`: arguments have names']);
    expect(problems([], 'object')).toEqual([' must be a JSON Schema, an object']);
  });

  it.each([
    [{ $ref: 'https://example.org/a.json' }, '/$ref leads outside of the schema'],
    [{ $ref: '#here', $defs: { a: { $anchor: 'here' } } }, '/$ref refers to a place by a name; only'],
    [{ $defs: { a: { $anchor: '#here' } } }, '/$defs/a/$anchor must be a plain name'],
    [{ $dynamicAnchor: 'here' }, '/$dynamicAnchor is not supported'],
    [{ $ref: '#/$defs/none' }, '/$ref leads to no schema'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema is another draft than 2020-12'],
    [{ properties: { a: { pattern: '(?=x)' } } }, '/properties/a/pattern is no expression of RE2'],
    [{ patternProperties: { '(?=a)': {} } }, '/patternProperties/(?=a) is no expression of RE2'],
    [{ dependencies: {} }, '/dependencies is not supported'],
    [{ $id: 'x' }, '/$id is not supported'],
    [{ properties: { a: { pattern: '(a)\\1' } } }, '/properties/a/pattern is no expression of RE2'],
    [{ pattern: '(?:a{100}){10}b{900}' }, '/pattern is no expression of RE2 that may be matched: it is larger'],
    [{ pattern: 'a'.repeat(1_025) }, '/pattern is no expression of RE2 that may be matched: it has more than'],
    [{ allOf: Array.from({ length: 129 }, (_, n) => ({ pattern: `a${n}` })) }, ' has more than 128 expressions'],
    [{ unevaluatedProperties: false }, '/unevaluatedProperties is not supported'],
    [{ $ref: '#/x-hidden', 'x-hidden': { pattern: '(?=x)' } }, '/$ref leads to no schema'],
    [{ $ref: '#/const', const: { type: 5 } }, '/$ref leads to no schema'],
    [{ required: 'a' }, '/required must be a list of names'],
    [{ items: [{}] }, '/items must be a schema'],
    [{ properties: { 'a/b': { minLength: -1 } } }, '/properties/a~1b/minLength must be a whole number'],
    [{ type: 'bigint' }, '/type must be one of'],
  ])('that can not be interpreted as it is written is refused: %j', (schema, problem) => {
    expect(problems(schema).join()).toContain(problem);
  });

  it('has bounded size and depth, and a hostile one is refused at once', () => {
    expect(problems({ description: 'x'.repeat(SCHEMA_LIMITS.bytes) })).toEqual([
      ` takes more than ${SCHEMA_LIMITS.bytes} bytes`,
    ]);
    let deep: object = {};
    for (let n = 0; n < 5_000; n += 1) deep = { not: deep };
    expect(problems(deep)).toEqual([` nests deeper than ${SCHEMA_LIMITS.depth} schemas`]);
  });
});
