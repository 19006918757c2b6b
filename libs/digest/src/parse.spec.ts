// SPDX-License-Identifier: Apache-2.0
import { JsonError } from './json-error.ts';
import { parseIJson } from './parse.ts';

function faultOf(input: string | Uint8Array, depthMax = 32, bytesMax?: number): JsonError {
  try {
    parseIJson(input, { depthMax, bytesMax });
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error('the text was accepted');
}

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('parseIJson', () => {
  it('parses what JSON.parse parses', () => {
    const text = ' {"a":[1,-2.5e-3,true,false,null,"\\u00e9\\n\\ud83d\\ude00"],"b":{"":{}}}\r\n\t';
    expect(parseIJson(text, { depthMax: 3 })).toEqual(JSON.parse(text));
    expect(parseIJson(new TextEncoder().encode(text), { depthMax: 3 })).toEqual(JSON.parse(text));
  });

  it.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    '[1 2]',
    '{"a" 1}',
    '{a:1}',
    "'a'",
    '01',
    '1.',
    '1e',
    '-',
    '+1',
    '.5',
    'NaN',
    'nul',
    'undefined',
    '1 2',
    '// c\n1',
    '/* c */1',
    '"\t"',
    '"\n"',
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '\ufeff1',
    '\u00a01',
    '[,1]',
    '{,}',
    '{"a":}',
    '[}',
    ']',
  ])('refuses %j as no JSON', (text) => {
    expect(faultOf(text).reason).toBe('syntax');
  });

  it('refuses a duplicate key, however it is spelt', () => {
    expect(faultOf('{"a":1,"b":{"c":1,"\\u0063":2}}')).toMatchObject({
      reason: 'duplicate_key',
      pointer: '/b/c',
      line: 1,
      column: 19,
    });
    expect(faultOf('{"__proto__":1,"__proto__":2}')).toMatchObject({ reason: 'duplicate_key', pointer: '/__proto__' });
  });

  it.each([
    '9007199254740992',
    '-9007199254740992',
    '9007199254740993.0',
    '9007199254740992.5',
    '90071992547409920e-1',
    '1e16',
    '1e400',
    '-1e400',
    `1${'0'.repeat(5000)}`,
  ])('refuses %s: more than a double holds exactly', (text) => {
    expect(faultOf(`[0,${text}]`)).toMatchObject({ reason: 'number_range', pointer: '/1' });
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['1E2', 100],
    ['0.1', 0.1],
    ['1e-400', 0],
  ])('takes %s', (text, value) => {
    expect(parseIJson(text, { depthMax: 0 })).toBe(value);
  });

  it('reads -0 as 0, as it is written', () => {
    expect(Object.is(parseIJson('-0', { depthMax: 0 }), 0)).toBe(true);
  });

  it.each(['"\\ud800"', '"\\udc00x"', '"\\ud800\\ud800"', '"\ud800"', '{"\\udfff":1}'])(
    'refuses the unpaired surrogate in %j',
    (text) => {
      expect(faultOf(text).reason).toBe('lone_surrogate');
    },
  );

  it('refuses NUL in values and keys, and raw NUL as no JSON', () => {
    expect(faultOf('["a\\u0000"]')).toMatchObject({ reason: 'nul', pointer: '/0' });
    expect(faultOf('{"\\u0000":1}').reason).toBe('nul');
    expect(faultOf('"\0"').reason).toBe('syntax');
  });

  it('refuses bytes that are not UTF-8', () => {
    for (const input of [
      bytes(0x22, 0xff, 0x22),
      bytes(0x22, 0xc0, 0x80, 0x22),
      bytes(0x22, 0xed, 0xa0, 0x80, 0x22),
      bytes(0xf4, 0x90, 0x80, 0x80),
    ]) {
      expect(faultOf(input)).toMatchObject({ reason: 'utf8', pointer: '', line: 0, column: 0 });
    }
  });

  it('refuses a byte order mark', () => {
    expect(faultOf(bytes(0xef, 0xbb, 0xbf, 0x31)).reason).toBe('syntax');
  });

  it('counts nesting from 0 for a scalar', () => {
    expect(parseIJson('1', { depthMax: 0 })).toBe(1);
    expect(faultOf('[]', 0).reason).toBe('too_deep');
    expect(parseIJson('[{"a":[]}]', { depthMax: 3 })).toEqual([{ a: [] }]);
    expect(parseIJson('[[],[],[]]', { depthMax: 2 })).toEqual([[], [], []]);
    expect(faultOf(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 512).reason).toBe('too_deep');
    expect(faultOf('[[1],[', 1)).toMatchObject({ reason: 'too_deep', pointer: '/0' });
    expect(faultOf('[{"a":[]}]', 2)).toMatchObject({ reason: 'too_deep', pointer: '/0/a', line: 1, column: 7 });
  });

  it.each(['[', '{"":', '[[],[', '{"a":1,"b":['])('ends early on a mebibyte of %j', (unit) => {
    expect(faultOf(unit.repeat(2 ** 20 / unit.length)).reason).toBe('too_deep');
  });

  it('refuses a depth that could exhaust the stack', () => {
    for (const depthMax of [-1, 513, 1.5, Number.NaN]) expect(() => parseIJson('1', { depthMax })).toThrow(/depthMax/);
  });

  it('counts the limit in bytes of UTF-8', () => {
    expect(parseIJson('"é"', { depthMax: 0, bytesMax: 4 })).toBe('é');
    expect(faultOf('"é"', 0, 3).reason).toBe('too_large');
    expect(faultOf(bytes(0x31, 0x31), 0, 1).reason).toBe('too_large');
  });

  it('makes `__proto__` an own member and nothing else', () => {
    const value = parseIJson('{"__proto__":{"admin":true},"constructor":1,"toString":2}', { depthMax: 2 }) as Record<
      string,
      unknown
    >;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(value['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('locates errors with RFC 6901 escapes, line and column', () => {
    expect(faultOf('{\n  "a/b": {"~": [1,\n 2, x]}}')).toMatchObject({ pointer: '/a~1b/~0/1', line: 3, column: 5 });
    expect(faultOf('{"a":{,}}')).toMatchObject({ pointer: '/a', line: 1, column: 7 });
    expect(faultOf('{"a":[x]}')).toMatchObject({ pointer: '/a', line: 1, column: 7 });
  });

  it('keeps attacker-controlled keys from filling the message', () => {
    const fault = faultOf(`{"${'k'.repeat(10_000)}":1e999}`);
    expect(fault.pointer).toHaveLength(10_001);
    expect(fault.message.length).toBeLessThan(300);
    expect(faultOf('1e999').message).toBe('number is not a finite double below 2^53 in magnitude (line 1, column 1)');
  });

  it('parses a wide text in time proportional to its length', () => {
    const text = `{${Array.from({ length: 60_000 }, (_, i) => `"${String(i * 7919)}":[${' '.repeat(8)}]`).join(',')}}`;
    expect(Object.keys(parseIJson(text, { depthMax: 2 }) as object)).toHaveLength(60_000);
  });
});
