// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { canonicalBytes } from './canonical.ts';
import { JsonError } from './json-error.ts';
import { parseIJson } from './parse.ts';
import { parseCompactIJson } from './parse-compact.ts';

const read = (bytes: Uint8Array) => parseCompactIJson(bytes, { depthMax: 32 });

const bytes = (text: string): Uint8Array => Buffer.from(text);
const outcomeOf = (run: () => unknown): unknown => {
  try {
    return { value: run() };
  } catch {
    return 'refused';
  }
};

describe('a compact text', () => {
  it('is read as the strict reader reads it, whatever its text', () => {
    const text = fc.oneof(
      fc.json({ maxDepth: 5 }), fc.jsonValue({ maxDepth: 5 }).map((value) => Buffer.from(canonicalBytesOr(value)).toString()), fc.string(),
      fc.tuple(fc.string(), fc.string(), fc.integer()).map(([a, b, n]) => `{${JSON.stringify(a)}:${n},${JSON.stringify(b)}:${n}}`),
    );
    fc.assert(fc.property(text, (json) => {
      for (const limits of [{ depthMax: 32 }, { depthMax: 3 }, { depthMax: 32, bytesMax: 16 }]) {
        expect(outcomeOf(() => parseCompactIJson(bytes(json), limits))).toEqual(outcomeOf(() => parseIJson(bytes(json), limits)));
        expect(outcomeOf(() => parseCompactIJson(json, limits))).toEqual(outcomeOf(() => parseIJson(json, limits)));
      }
    }), { numRuns: 2_000 });
  });

  it.each([
    ['a key twice', '{"a":1,"a":2}'],
    ['a key twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a NUL', '{"a":"\\u0000"}'],
    ['a number that no double holds', '{"a":9007199254740993}'],
    ['a number beyond exactness', '{"a":9007199254740992}'],
    ['a large number', '[1e+300]'],
    ['nothing but a number beyond exactness', '9007199254740992'],
    ['too deep a nesting', '['.repeat(33) + ']'.repeat(33)],
    ['a byte order mark', '\ufeff{"a":1}'],
    ['white space of no JSON', '{"a":\u00a01}'],
  ])('with %s is refused', (_, json) => {
    expect(() => read(bytes(json))).toThrow(JsonError);
  });

  it('of bytes that are no UTF-8 is refused', () => {
    expect(() => read(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(JsonError);
  });

  it('is read no deeper than the stack allows', () => {
    expect(() => parseCompactIJson(bytes('1'), { depthMax: 513 })).toThrow('depthMax');
  });

  it('is refused by how deep it is, and not by how many lists it has', () => {
    expect(parseCompactIJson('[[],[],[]]', { depthMax: 2 })).toEqual([[], [], []]);
    expect(() => parseCompactIJson('[[],[[]],[]]', { depthMax: 2 })).toThrow(JsonError);
    expect(() => parseCompactIJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, { depthMax: 512 })).toThrow(JsonError);
  });

  it('is refused where it is longer in bytes than may be, however it came', () => {
    for (const text of ['"ääää"', '"aaaaaaaa"']) {
      for (const input of [text, bytes(text)]) {
        expect(parseCompactIJson(input, { depthMax: 0, bytesMax: 10 })).toBe(text.slice(1, -1));
        expect(() => parseCompactIJson(input, { depthMax: 0, bytesMax: 9 })).toThrow(JsonError);
      }
    }
  });

  it('in another spelling is read too', () => {
    expect(read(bytes('{ "b": 1.0, "a": "\\u0041" }'))).toEqual({ b: 1, a: 'A' });
  });
});

/** What the kernel would write; a text of its own where it would refuse to. */
function canonicalBytesOr(value: unknown): Uint8Array {
  try {
    return canonicalBytes(value as Parameters<typeof canonicalBytes>[0]);
  } catch {
    return bytes('null');
  }
}
