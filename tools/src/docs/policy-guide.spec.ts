// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from '@writ/contract';
import { compilePolicySet, CONTEXT_ATTRIBUTES, type PolicyTool } from '@writ/policy';
import { checkout } from '../setup.ts';

const blocksOf = (path: string) =>
  [...readFileSync(join(checkout, path), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language, text]) => ({ language, text: text as string }),
  );

/** The tool of the guide's rules on arguments. */
const PAY_INVOICE: PolicyTool = {
  tool_id: 'pay_invoice',
  category: 'read',
  parameters: {
    type: 'object',
    properties: { amount: { type: 'integer' }, fee: { type: 'number' } },
    required: ['amount'],
  },
};

/** The tool of the guide's rule that redacts. */
const LOOK_UP: PolicyTool = {
  tool_id: 'crm.look_up',
  category: 'read',
  parameters: { type: 'object' },
  redactable: {
    schema: {
      type: 'object',
      properties: {
        customer: { type: 'object', properties: { email: { type: 'string' } } },
        accounts: { type: 'array', items: { type: 'object', properties: { iban: { type: 'string' } } } },
      },
    },
    copies: [],
  },
};

test("the kernel accepts the policy guide's sets and rules without a warning", () => {
  const blocks = blocksOf('docs/how-to/policy.md');
  const sets = blocks
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>)
    .filter((value) => 'cedar' in value);
  const rules = blocks
    .filter(({ text }) => text.startsWith('@id('))
    .map(({ text }) => ({ v: 1, name: 'guide', cedar: text }));
  expect([sets.length, rules.length]).toEqual([1, 6]);
  const tools = [...TOOLS.values(), PAY_INVOICE, LOOK_UP];
  for (const source of [...sets, ...rules]) expect(compilePolicySet(source, tools).warnings).toEqual([]);
});

test('the policy reference has the schema, with every attribute', () => {
  const schema =
    blocksOf('docs/reference/policy-sets.md').find(({ text }) => text.startsWith('type Context'))?.text ?? '';
  for (const name of Object.keys(CONTEXT_ATTRIBUTES)) expect(schema).toContain(`    ${name}`);
});
