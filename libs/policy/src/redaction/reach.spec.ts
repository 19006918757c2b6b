// SPDX-License-Identifier: Apache-2.0
import { stepsOf } from '@writ/contract';
import { reachOf } from './reach.ts';

const closed = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };

describe('where a pointer leads by a schema', () => {
  test.each([
    ['/a', closed, 'declared'],
    ['/b', closed, 'never'],
    ['/*', closed, 'declared'],
    ['/a/x', closed, 'never'],
    ['/b', { type: 'object', properties: { a: {} } }, 'undeclared'],
    ['/b', { type: 'object', properties: { a: {} }, additionalProperties: true }, 'open'],
    ['/b', { type: 'object' }, 'open'],
    ['/b', {}, 'open'],
    ['/b', false, 'never'],
    ['/b', { properties: { b: false } }, 'never'],
    [
      '/b',
      { type: 'object', patternProperties: { '^b': { type: 'string' } }, additionalProperties: false },
      'declared',
    ],
    ['/b/c', { type: 'object', additionalProperties: { properties: { c: {} } } }, 'declared'],
    ['/0', { type: 'array', prefixItems: [{ type: 'string' }], items: false }, 'declared'],
    ['/1', { type: 'array', prefixItems: [{ type: 'string' }], items: false }, 'never'],
    ['/x', { type: 'array' }, 'never'],
    ['/*/a', { type: 'array', items: closed }, 'declared'],
    ['/a', { anyOf: [{ type: 'null' }, closed] }, 'declared'],
    ['/b', { oneOf: [{ type: 'null' }, closed] }, 'never'],
    ['/a', { allOf: [closed, { type: 'object' }] }, 'declared'],
    ['/b', { allOf: [closed, { type: 'object' }] }, 'never'],
    ['/a', { type: ['object', 'null'], properties: { a: {} } }, 'declared'],
    ['/a', { enum: ['x', 1] }, 'never'],
    ['/a', { const: { a: 1 } }, 'open'],
    ['/b/a', { properties: { b: { $ref: '#/$defs/c' } }, $defs: { c: closed } }, 'declared'],
    ['/b/x', { properties: { b: { $ref: '#/$defs/c' } }, $defs: { c: closed } }, 'never'],
    ['/b/x', { properties: { b: { $ref: 'https://other/schema' } } }, 'open'],
    ['/n/n/a', { properties: { n: { $ref: '#' }, a: {} } }, 'declared'],
    ['/a', { $ref: '#' }, 'open'],
    ['/caf\u00e9', { type: 'object', properties: { 'cafe\u0301': {} }, additionalProperties: false }, 'declared'],
  ])('%s by %j is %s', (pointer, schema, reach) => {
    expect(reachOf(schema, stepsOf(pointer))).toBe(reach);
  });
});
