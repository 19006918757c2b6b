// SPDX-License-Identifier: Apache-2.0
import { MCP_ASK_LIMITS } from '@writ/contract';
import { digestOfAsked } from './held-state.ts';
import { answerKeys, keptAnswers } from './mount/server-questions.ts';

test('a key of an answer is made by whoever has the key of the deployment, and is of one operation', () => {
  const [made, same, other] = [1, 1, 2].map((fill) => answerKeys(Buffer.alloc(32, fill))('op_1'));
  expect([same, other === made]).toEqual([made, false]);
  expect(answerKeys(Buffer.alloc(32, 1))('op_2')).not.toBe(made);
});

test('answers are kept up to the limit in bytes, whatever characters they have', () => {
  const kept = (text: string) => keptAnswers({ question: 'op_1', responses: { a: { text } } }, [])?.responses;
  const room = MCP_ASK_LIMITS.bytes - JSON.stringify({ a: { text: '' } }).length;
  expect([kept('x'.repeat(room)), kept('é'.repeat(room / 2))].map((responses) => responses?.['a'])).not.toContain(
    undefined,
  );
  expect([kept('x'.repeat(room + 1)), kept('é'.repeat(room / 2 + 1))]).toEqual([{}, {}]);
});

test('the digest is of the values, in whatever order the members of objects are', async () => {
  const [one, other] = [
    await digestOfAsked({ a: 1, b: { c: [], d: 'x' } }),
    await digestOfAsked({ b: { d: 'x', c: [] }, a: 1 }),
  ];
  expect(one).toBe(other);
});

test('values that differ have digests that differ', async () => {
  const values: unknown[] = [
    null,
    1,
    '1',
    '',
    [],
    {},
    [[]],
    [[], []],
    ['ab', 'c'],
    ['a', 'bc'],
    ['a"1:b'],
    [1, 2],
    [12],
    { a: 1 },
    { a: '1' },
    { b: 1 },
    { a: [1] },
    { a: {}, b: 1 },
    { a: { b: 1 } },
    '\ud800',
    '\ufffd',
    'x'.repeat(600_000),
    `${'x'.repeat(599_999)}y`,
  ];
  const digests = await Promise.all(values.map((value) => digestOfAsked({ value })));
  expect(new Set(digests).size).toBe(values.length);
});

test('long arguments let other work run meanwhile', async () => {
  for (const value of ['x'.repeat(1_000_000), Array.from({ length: 5_000 }, (_, n) => n)]) {
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await digestOfAsked({ value });
    clearImmediate(next);
    expect(turns).toBeGreaterThan(2);
  }
});
