// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { Fault } from './faults.ts';
import { parseFromPeer, parseMessage } from './parse.ts';

const Schema = Type.Object(
  { a: Type.String({ pattern: '^x$' }), c: Type.Optional(Type.Enum(['p', 'q'])) },
  { additionalProperties: false },
);

const faultOf = (value: unknown): Pick<Fault, 'code' | 'detail' | 'pointer'> => {
  try {
    parseMessage(Schema, value);
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, detail: error.detail, pointer: error.pointer };
  }
  throw new Error('no fault was thrown');
};

describe('a message', () => {
  it('that is valid is returned unchanged', () => {
    expect(parseMessage(Schema, { a: 'x', c: 'q' })).toEqual({ a: 'x', c: 'q' });
  });

  it.each([
    ['without what is needed', {}, 'it lacks `a`', ''],
    ['of another type', null, 'it must be object', ''],
    ['with an unknown member', { a: 'x', z: 1 }, '`/z` is not known here; known here: `a`, `c`', '/z'],
    ['with another word', { a: 'x', c: 'r' }, '`/c` must be one of `p`, `q`', '/c'],
    ['with a value of another form', { a: 'secret' }, '`/a` does not have the form that is expected here', '/a'],
  ])('%s is refused with the place, and without the value', (_what, value, detail, pointer) => {
    expect(faultOf(value)).toEqual({ code: 'request.malformed', detail, pointer });
  });

  it('with a name as long as itself is refused in few words', () => {
    expect(faultOf({ a: 'x', ['k'.repeat(100_000)]: 1 }).detail?.length).toBeLessThan(300);
  });
});

describe('a message of another of our processes', () => {
  const Told = Type.Object(
    {
      v: Type.Literal(1),
      one: Type.Object({ a: Type.Integer() }, { additionalProperties: false }),
      many: Type.Array(Type.Union([Type.Null(), Schema])),
    },
    { additionalProperties: false },
  );

  it('may have unknown members, at any depth', () => {
    const told = { v: 1, more: true, one: { a: 1, b: [2] }, many: [null, { a: 'x', z: 1 }] };
    expect(parseFromPeer(Told, told)).toMatchObject({ one: { a: 1 }, many: [null, { a: 'x' }] });
    expect(() => parseMessage(Told, told)).toThrow(Fault);
  });

  it('is refused if a known member is missing or invalid, or its version is greater', () => {
    for (const told of [
      { v: 1, many: [] },
      { v: 1, one: { a: 'x' }, many: [] },
      { v: 2, one: { a: 1 }, many: [] },
    ])
      expect(() => parseFromPeer(Told, told)).toThrow(Fault);
  });
});
