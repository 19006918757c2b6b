// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { canonicalBytes, canonicalJson } from './canonical.ts';
import { JsonError } from './json-error.ts';
import { parseIJson } from './parse.ts';

/** Any JSON value of I-JSON's range, with awkward keys and strings. */
const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((s) => !s.includes('\0'));
const iJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((n) => (n === 0 ? 0 : n)),
    text,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '')), tie('value'), { maxKeys: 5 }),
  ),
})).value;

/** JSON-like noise: mostly tokens of the grammar, put together at random. */
const noise = fc.array(
  fc.oneof(
    fc.constantFrom('{', '}', '[', ']', ':', ',', ' ', '\n', '"a"', '"', '\\', '\\u', 'd800', '0', '-', '1', '.', 'e', '+', 'true', 'null', '//', '/*'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
  { maxLength: 16 },
).map((parts) => parts.join(''));

/** What JSON.parse alone would say; null where it refuses. */
function loose(json: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    return null;
  }
}

function strict(json: string | Uint8Array): { value: unknown } | JsonError {
  try {
    return { value: parseIJson(json, { depthMax: 64 }) };
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
}

describe('parseIJson and canonicalJson', () => {
  it('give back every value they wrote', () => {
    fc.assert(fc.property(iJson, (value) => {
      const bytes = canonicalBytes(value);
      expect(canonicalBytes(parseIJson(bytes, { depthMax: 64 }))).toEqual(bytes);
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }));
  });

  it('write equal values equally, whatever the order of keys and the white space', () => {
    fc.assert(fc.property(fc.dictionary(text, iJson), (members) => {
      const other = Object.fromEntries(Object.entries(members).reverse());
      expect(canonicalJson(parseIJson(JSON.stringify(other, null, 3), { depthMax: 64 }))).toBe(canonicalJson(members));
    }));
  });

  it('accept nothing that JSON.parse refuses, and read the rest alike', () => {
    fc.assert(fc.property(fc.oneof(noise, fc.json({ maxDepth: 4 })), (json) => {
      const ours = strict(json);
      const theirs = loose(json);
      if (ours instanceof JsonError) return ours.reason !== 'syntax' || theirs === null;
      expect(JSON.stringify(ours.value)).toBe(JSON.stringify(theirs?.value));
      return theirs !== null;
    }), { numRuns: 3000 });
  });

  it('answer any bytes with a value or a JsonError', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      strict(bytes);
    }), { numRuns: 1000 });
  });
});
