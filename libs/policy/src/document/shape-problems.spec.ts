// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { shapeProblems } from './shape-problems.ts';

const schema = Compile(
  Type.Object(
    { a: Type.Integer({ minimum: 2 }), b: Type.Enum(['x', 'y']), c: Type.Literal(1) },
    { additionalProperties: false },
  ),
);

test('each position is reported once, in words', () => {
  expect(
    shapeProblems(schema, { a: 1.5, b: 'z', c: 2, d: 0 }).map(({ pointer, message }) => [pointer, message]),
  ).toEqual([
    ['/d', 'it is not known here; known here: `a`, `b`, `c`'],
    ['/a', 'it must be integer'],
    ['/b', 'it must be one of `x`, `y`'],
    ['/c', 'it must be `1`'],
  ]);
  expect(shapeProblems(schema, { a: 2, c: 1 })).toMatchObject([
    { pointer: '', message: 'it lacks `b`', help: 'add what is missing' },
  ]);
});

test('a refusal of the validator without a reason is still a problem', () => {
  expect(shapeProblems({ Type: () => Type.Any() } as unknown as Validator, {})).toHaveLength(1);
});
