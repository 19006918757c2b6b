// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { canonicalBytes, canonicalJson } from './canonical.ts';
import { hasEscapedName } from './escaped-names.ts';
import { JsonError } from './json-error.ts';
import { parseIJson, parseJson, readStrictly } from './parse.ts';
import { readQuickly } from './quick-read.ts';

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

/** Text similar to JSON: mostly tokens of the grammar, combined at random. */
const noise = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        ' ',
        '\n',
        '"a"',
        '"',
        '\\',
        '\\u',
        'd800',
        '0',
        '-',
        '1',
        '.',
        'e',
        '+',
        'true',
        'null',
        '//',
        '/*',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(''));

/** The result of JSON.parse alone; null if it refuses. */
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

/** Values with few names and strings, so that duplicates occur. */
const plain = fc.letrec((tie) => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\'), maxLength: 3 });
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, 1, 2.5),
      word,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(word, tie('value'), { maxKeys: 3 }),
    ),
  };
}).value;
/**
 * Text as people and generators write it, or wrong: a duplicate name, an escape that is unnecessary or forbidden, an
 * unpaired surrogate, a number that no double holds.
 */
const written = fc
  .tuple(
    plain,
    fc.constantFrom(undefined, 1, '\t'),
    fc.constantFrom(
      ['a', 'a'],
      ['a', 'b'],
      ['a', '\\u0061'],
      ['a', '\\u0000'],
      ['a', '\\ud800'],
      ['a', '\ud800'],
      ['a', '\ud83d\ude00'],
      ['0', '-0'],
      ['1', '9007199254740993'],
      ['1', '1e999'],
      [':', ' : '],
      [':', '\n\r\t:\n'],
    ),
  )
  .map(([value, space, [from = '', to = '']]) => JSON.stringify(value, null, space).replaceAll(from, to));

describe('the quick reader', () => {
  it('returns the strict reader’s values, and leaves all refused texts to it', () => {
    let read = 0;
    fc.assert(
      fc.property(
        fc.oneof(noise, fc.json({ maxDepth: 4 }), written),
        fc.integer({ min: 0, max: 6 }),
        (json, depthMax) => {
          const quick = readQuickly(json, depthMax);
          if (quick !== undefined) {
            read += 1;
            const strictly = readStrictly(json, depthMax);
            expect(quick).toEqual(strictly);
            expect(JSON.stringify(quick)).toBe(JSON.stringify(strictly));
            return;
          }
          if (!hasEscapedName(json)) expect(() => readStrictly(json, depthMax)).toThrow(JsonError);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it('detects a duplicate name, wherever it is', () => {
    fc.assert(
      fc.property(
        iJson,
        iJson,
        fc.oneof(text, fc.constantFrom('__proto__', '0', '')),
        fc.nat({ max: 5 }),
        (a, b, name, depth) => {
          const named = JSON.stringify(name);
          const json = `${'{"in":['.repeat(depth)}{${named}:${JSON.stringify(a)},"other ${name.length}":0,${named}:${JSON.stringify(b)}}${']}'.repeat(depth)}`;
          expect(readQuickly(json, 64)).toBeUndefined();
        },
      ),
    );
  });
});

describe('a name with an escape', () => {
  /** In an order that triggers a fault of V8: the second text's name is confused with the first one's. */
  const POISON = ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}'];

  it('is parsed correctly, whatever was parsed before', () => {
    for (const read of [parseJson, (text: string) => parseIJson(text, { depthMax: 8 })]) {
      expect(POISON.map((text) => Object.keys(read(text) as object)[1])).toEqual(['\\', '"']);
    }
  });

  it('is detected wherever it is, and nothing else is', () => {
    fc.assert(
      fc.property(fc.oneof(written, fc.json({ maxDepth: 4 })), (json) => {
        const strings = [...json.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/gs)];
        expect(hasEscapedName(json)).toBe(
          strings.some(([, inside = '', colon]) => colon !== undefined && inside.includes('\\')),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it('accepts what JSON accepts', () => {
    const read = parseJson('{"\\u0061":1,"\\u0000":2,"a":-0}') as Record<string, unknown>;
    expect(Object.entries(read)).toEqual([
      ['a', -0],
      ['\0', 2],
    ]);
  });

  it('changes neither validity nor values', () => {
    fc.assert(
      fc.property(fc.oneof(plain, iJson), (value) => {
        const json = JSON.stringify(value, null, 1);
        expect(JSON.stringify(parseJson(json), null, 1)).toBe(json);
        expect(JSON.stringify(parseJson(`{"\\u0061":${json},"n":-0,"m":1e400,"s":"\\ud800\\u0000"}`))).toBe(
          `{"a":${JSON.stringify(value)},"n":0,"m":null,"s":"\\ud800\\u0000"}`,
        );
        expect(() => parseJson(`{"\\u0061":${json},}`)).toThrow();
      }),
    );
  });
});

describe('parseIJson and canonicalJson', () => {
  it('return every value that they wrote', () => {
    fc.assert(
      fc.property(iJson, (value) => {
        const bytes = canonicalBytes(value);
        expect(canonicalBytes(parseIJson(bytes, { depthMax: 64 }))).toEqual(bytes);
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('write equal values alike, whatever the order of keys and the white space', () => {
    fc.assert(
      fc.property(fc.dictionary(text, iJson), (members) => {
        const other = Object.fromEntries(Object.entries(members).reverse());
        expect(canonicalJson(parseIJson(JSON.stringify(other, null, 3), { depthMax: 64 }))).toBe(
          canonicalJson(members),
        );
      }),
    );
  });

  it('accept nothing that JSON.parse refuses, and read the rest alike', () => {
    fc.assert(
      fc.property(fc.oneof(noise, fc.json({ maxDepth: 4 })), (json) => {
        const ours = strict(json);
        const theirs = loose(json);
        if (ours instanceof JsonError) return ours.reason !== 'syntax' || theirs === null;
        expect(JSON.stringify(ours.value)).toBe(JSON.stringify(theirs?.value));
        return theirs !== null;
      }),
      { numRuns: 3000 },
    );
  });

  it('return a value or throw a JsonError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        strict(bytes);
      }),
      { numRuns: 1000 },
    );
  });
});
