// SPDX-License-Identifier: Apache-2.0
import type { JsonSchemaText } from '@writ/contract';
import { schemaFaults } from './schema-faults.ts';

const STEPS = 10_000;
const faults = (schema: JsonSchemaText, value: unknown): string[] => {
  const read = schemaFaults(schema, value, STEPS);
  if (read.isCut) throw new Error('the check was cut');
  return read.faults.map(({ pointer, message }) => `${pointer} ${message}`);
};

describe('the faults of a value', () => {
  it('name the place and what is allowed, and never the value', () => {
    const schema = {
      type: 'object',
      properties: {
        size: { enum: ['s', 'm'] },
        cents: { type: 'integer', maximum: 5 },
        note: { type: 'string', pattern: '^[a-z]+$' },
      },
      required: ['size'],
      additionalProperties: false,
    };
    expect(faults(schema, { size: 's', cents: 5, note: 'abc' })).toEqual([]);
    expect(faults(schema, {})).toEqual([' lacks `size`']);
    const found = faults(schema, { size: 'SECRET', cents: 9_876, note: 'SECRET', more: 'SECRET' });
    expect(found.sort()).toEqual([
      '/cents must be at most 5',
      '/more is not known here',
      '/note must match `^[a-z]+$`',
      '/size must be one of `s`, `m`',
    ]);
  });

  it('follow references within the schema, also recursive ones', () => {
    const tree = {
      type: 'object',
      properties: { name: { $ref: '#/$defs/name' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
      $defs: { name: { type: 'string', minLength: 1 } },
    };
    expect(faults(tree, { name: 'a', children: [{ name: 'b' }] })).toEqual([]);
    expect(faults(tree, { name: 'a', children: [{ name: 'b', children: [{}] }] })).toEqual([
      '/children/0/children/0 lacks `name`',
    ]);
  });

  it('are those of draft 2020-12: formats and unknown keywords are annotations', () => {
    expect(faults({ type: 'string', format: 'email', 'x-secret': true, '~refine': [1] }, 'no mail')).toEqual([]);
    expect(faults({ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1, 'b'])).toEqual([
      '/2 must be number',
    ]);
    expect(faults({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 7)).toEqual([
      ' fits none of the forms that are allowed here',
    ]);
    expect(faults({ if: { properties: { a: { const: 1 } } }, then: { required: ['b'] } }, { a: 1 })).toEqual([
      ' breaks a rule that holds for such a value',
    ]);
    expect(faults({ unevaluatedProperties: false, allOf: [{ properties: { a: true } }] }, { a: 1 })).toEqual([]);
  });
});

describe('the work of a check', () => {
  it('is linear for an expression that takes a backtracking engine for ever', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    const before = process.cpuUsage();
    expect(schemaFaults(schema, `${'a'.repeat(50_000)}!`, 1_000_000).isCut).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });

  it('ends after the steps that are allowed, for a schema that doubles at each level and one that never ends', () => {
    const levels = Array.from({ length: 25 }, (_, n): [string, object] => {
      const next = { $ref: `#/$defs/a${n + 1}` };
      return [`a${n}`, { allOf: [next, next] }];
    });
    const doubling = { $ref: '#/$defs/a0', $defs: { ...Object.fromEntries(levels), a25: {} } };
    expect(schemaFaults(doubling, {}, STEPS)).toEqual({ isCut: true });
    expect(schemaFaults({ allOf: [{ $ref: '#' }] }, {}, STEPS)).toEqual({ isCut: true });
    expect(
      schemaFaults(
        { items: { type: 'number' } },
        Array.from({ length: 1_000 }, () => 1),
        500,
      ),
    ).toEqual({ isCut: true });
  });
});
