// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilePolicySet, CONTEXT_ATTRIBUTES } from '@writ/policy';
import { checkout } from '../setup.ts';

const blocksOf = (path: string) =>
  [...readFileSync(join(checkout, path), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language, text]) => ({ language, text: text as string }),
  );

test("the kernel accepts the policy guide's sets and rules without a warning", () => {
  const blocks = blocksOf('docs/how-to/policy.md');
  const sets = blocks
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  const rules = blocks
    .filter(({ text }) => text.startsWith('@id('))
    .map(({ text }) => ({ v: 1, name: 'guide', cedar: text }));
  expect([sets.length, rules.length]).toEqual([1, 2]);
  for (const source of [...sets, ...rules]) expect(compilePolicySet(source).warnings).toEqual([]);
});

test('the policy reference has the schema, with every attribute', () => {
  const schema =
    blocksOf('docs/reference/policy-sets.md').find(({ text }) => text.startsWith('type Context'))?.text ?? '';
  for (const name of Object.keys(CONTEXT_ATTRIBUTES)) expect(schema).toContain(`    ${name}`);
});
