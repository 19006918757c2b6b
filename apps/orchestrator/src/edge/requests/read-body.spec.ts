// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import fc from 'fast-check';
import { ROUTES } from '../../api/routes.ts';
import { bodyReader, readJson, valuesAtMost } from './read-body.ts';

const read = (text: string) => readJson({ bytes: Buffer.from(text), depthMax: 32 });
const atMost = (text: string): number => valuesAtMost(Buffer.from(text), { enough: Infinity, depthMax: 32 });
const MAX = LIMITS.bodyValues.max;

/** Values as JSON.parse makes them, themselves among them. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + count(each), 1);
}

describe('the values of a body', () => {
  it('are never more than the count before parsing', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(atMost(text)).toBeGreaterThanOrEqual(count(JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['0', 1],
    ['"a,b[{"', 1],
    ['"\\",\\\\\\","', 1],
    ['["a\\\\",2]', 3],
    ['{"a,":[1,{}]}', 5],
    ['"without an end,', 1],
  ])('are counted without what stands in texts: %s', (text, expected) => {
    expect(atMost(text)).toBe(expected);
  });

  it('may be as many as the limit, and one more is refused before parsing', () => {
    expect(read(`[${'0,'.repeat(MAX - 3)}0]`)).toHaveLength(MAX - 2);
    expect(() => read(`[${'0,'.repeat(MAX)}0]`)).toThrow(
      expect.objectContaining({
        code: 'request.too_large',
        detail: expect.stringContaining(`more than ${MAX} values`) as unknown,
      }) as Error,
    );
    const deep = expect.objectContaining({
      code: 'request.malformed',
      detail: expect.stringContaining('nesting is too deep') as unknown,
    });
    expect(() => read('['.repeat(2 * MAX))).toThrow(deep as Error);
    // The invalid JSON after them is never reached.
    expect(() => read(`[${'[],'.repeat(MAX)}x`)).toThrow(
      expect.objectContaining({ code: 'request.too_large' }) as Error,
    );
  });

  it('have a limited number of different names', () => {
    const { max } = LIMITS.bodyNames;
    const named = (count: number): string =>
      JSON.stringify([Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, { n1: 0 }]))]);
    expect(read(named(max))).toHaveLength(1);
    const refused = expect.objectContaining({
      code: 'request.too_large',
      detail: expect.stringContaining('different names') as unknown,
    });
    expect(() => read(named(max + 1))).toThrow(refused as Error);
  });
});

it('an error has a pointer, which is shortened if it is long', () => {
  expect(() => read('{"a":{"b":1,"b":2}}')).toThrow(
    expect.objectContaining({ code: 'request.malformed', pointer: '/a/b' }) as Error,
  );
  const name = 'n'.repeat(100_000);
  const wrong = expect.objectContaining({ code: 'request.malformed', pointer: `/${'n'.repeat(255)}…` }) as Error;
  expect(() => read(`{"${name}":{"b":"\\ud800"}}`)).toThrow(wrong);
});

it('a body must match the schema of its route, or the error names the mismatch', () => {
  const read = bodyReader(ROUTES);
  const body = (route: string, value: unknown): unknown => read({ bytes: Buffer.from(JSON.stringify(value)), route });
  expect(body('createAgent', { name: 'fixer' })).toEqual({ name: 'fixer' });
  expect(() => body('createAgent', { name: 7 })).toThrow(
    expect.objectContaining({ code: 'request.malformed', pointer: '/name' }) as Error,
  );
  expect(() => body('listAgents', {})).toThrow('takes no body');
});
