// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { badCursor, cursorCodec } from './cursor.ts';

const codec = cursorCodec(
  Type.Object({ name: Type.String({ maxLength: 9 }), at: Type.Integer() }, { additionalProperties: false }),
);
const forged = (of: unknown): string => Buffer.from(JSON.stringify(of)).toString('base64url');

it.each([
  { name: 'a', at: 0 },
  { name: 'ä"\\', at: Number.MAX_SAFE_INTEGER },
])('a cursor leads back to its position, in characters that a URL takes as they are: %j', (position) => {
  expect(codec.format(position)).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(codec.parse(codec.format(position))).toEqual(position);
});

it.each([
  '',
  'x',
  '\0',
  'e30',
  forged(null),
  forged([]),
  forged({ name: 'a' }),
  forged({ name: 'a', at: '0' }),
  forged({ name: 'a', at: 0, more: 1 }),
  forged({ name: 'a'.repeat(10), at: 0 }),
])('a cursor that was never given is refused with one fault: %j', (cursor) => {
  const { code, detail } = badCursor();
  expect(() => codec.parse(cursor)).toThrow(expect.objectContaining({ code, detail }));
});

test("the fault of a bad cursor is the client's, keeps its cause and points to the cursor", () => {
  const cause = new Error('x');
  expect(badCursor({ cause, pointer: '/cursor' })).toMatchObject({
    code: 'request.malformed',
    cause,
    pointer: '/cursor',
  });
});
