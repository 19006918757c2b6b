// SPDX-License-Identifier: Apache-2.0
// What arguments cost on the event loop: their conversion, and Cedar's reading of as many as the limits allow.
import { decidePolicySteps } from '../decide/decide-policy.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { argumentsType } from './argument-type.ts';
import { ARGUMENT_LIMITS, typeArguments } from './type-arguments.ts';

const WHOLE = { whole: true, members: new Map() };
const listOf = (items: object) => ({ type: 'array', items });
const AMOUNTS = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
const PARAMETERS = {
  type: 'object',
  properties: { texts: listOf({ type: 'string' }), decimals: listOf({ type: 'number' }), records: listOf(AMOUNTS) },
};
const CEDAR = `@id("all") permit (principal, action, resource);
@id("empty") forbid (principal, action == Action::"${PLAIN_ASK.tool_id}", resource) when {
  context.args has texts && context.args.texts.isEmpty() || context.args has decimals && context.args.decimals.isEmpty()
  || context.args has records && context.args.records.isEmpty() };`;
const SET = compilePolicySet({ v: 1, name: 'many', cedar: CEDAR }, [
  { tool_id: PLAIN_ASK.tool_id, category: PLAIN_ASK.category, parameters: PARAMETERS },
]);

/** The time of the longest step, the shortest of many tries: what the machine does beside isn't counted. */
function longestStepMs(value: Record<string, unknown>): number {
  const tries = Array.from({ length: 40 }, () => {
    const steps = decidePolicySteps(SET, { ...PLAIN_ASK, args: { parameters: PARAMETERS, value } });
    let longest = 0;
    for (;;) {
      const from = performance.now();
      const step = steps.next();
      longest = Math.max(longest, performance.now() - from);
      if (step.done !== true) continue;
      expect(step.value).toMatchObject({ mode: 'autopilot' });
      return longest;
    }
  });
  return Math.min(...tries);
}

const { values, allChars } = ARGUMENT_LIMITS;
const manyOf = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

test.each([
  ['texts', manyOf(values - 1, (n) => String(n).padEnd(Math.floor(allChars / values), 'x'))],
  ['decimals', manyOf((values - 1) >> 1, (n) => n + 0.5)],
  ['records', manyOf(Math.floor((values - 1) / 6), (n) => ({ a: n + 0.5, b: n + 0.25 }))],
])('as many %s as the limits allow hold up the event loop for five milliseconds at most', (name, list) => {
  expect(longestStepMs({ [name]: list })).toBeLessThan(5);
});

test.each<[string, object, object]>([
  ['an argument of a megabyte', { a: { type: 'string' } }, { a: 'x'.repeat(1_048_576) }],
  ['a list of sixteen thousand', { a: listOf({ type: 'string' }) }, { a: manyOf(16_384, (n) => `${n}`) }],
  [
    'empty objects whose type has five hundred members',
    {
      a: listOf({ type: 'object', properties: Object.fromEntries(manyOf(500, (n) => [`p${n}`, { type: 'string' }])) }),
    },
    { a: manyOf(120, () => ({})) },
  ],
  ['two thousand members that nobody declared', {}, Object.fromEntries(manyOf(2_048, (n) => [`p${n}`, n]))],
])('%s is typed or refused within a millisecond', (_, properties, value) => {
  const type = argumentsType({ type: 'object', properties });
  const tries = manyOf(20, () => {
    const from = performance.now();
    typeArguments(type, value, WHOLE);
    return performance.now() - from;
  });
  expect(Math.min(...tries)).toBeLessThan(1);
});

test('a schema that references multiply is read within twenty milliseconds', () => {
  const big = Object.fromEntries(manyOf(800, (n) => [`p${n}`, { $ref: '#/$defs/big' }]));
  const odd = Object.fromEntries(manyOf(800, (n) => [`__${n}`, { type: 'string' }]));
  const $defs = { big: { type: 'object', properties: { ...odd, ...big } }, long: { $ref: `#/${'/'.repeat(20_000)}` } };
  const long = Object.fromEntries(manyOf(300, (n) => [`q${n}`, { $ref: '#/$defs/long' }]));
  const tries = manyOf(5, () => {
    const from = performance.now();
    argumentsType({ type: 'object', properties: { ...big, ...long }, $defs });
    return performance.now() - from;
  });
  expect(Math.min(...tries)).toBeLessThan(20);
});
