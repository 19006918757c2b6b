// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { RAW_SHELLS, SHELL_DANGEROUS } from '@writ/contract';
import { Type } from 'typebox';
import { Parse } from 'typebox/value';
import { parse } from 'yaml';
import { assessRisk } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';
import { RISK_RULES } from './rules/risk-rules.ts';
import { CEILINGS, type Ceiling } from './rules/rule.ts';

const CaseGroups = Type.Array(
  Type.Object(
    {
      title: Type.String({ minLength: 1 }),
      ceiling: Type.Enum([...CEILINGS]),
      basis: Type.Optional(Type.String({ description: 'the rule that must be among those that speak' })),
      tool: Type.Optional(
        Type.Enum(['read', 'write', 'admin'], { description: "the tool's category; `write` unless said" }),
      ),
      times: Type.Optional(
        Type.Integer({ minimum: 2, description: 'how often each command is repeated, behind each other' }),
      ),
      shell: Type.Optional(
        Type.Enum([...RAW_SHELLS], { description: 'a raw command for it, as `shell.dangerous` takes it' }),
      ),
      history: Type.Optional(
        Type.Object(
          {
            destructive_calls: Type.Optional(Type.Integer()),
            failures_in_a_row: Type.Optional(Type.Integer()),
            labels: Type.Optional(Type.Array(Type.String())),
          },
          { additionalProperties: false },
        ),
      ),
      commands: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    },
    { additionalProperties: false },
  ),
);

const cases = new URL('../cases/', import.meta.url);
const grammar = await bundledGrammar();
const groups = readdirSync(cases).flatMap((file) =>
  Parse(CaseGroups, parse(readFileSync(new URL(file, cases), 'utf8'))),
);

describe.each(groups)('$ceiling: $title', ({ ceiling, basis, tool = 'write', times = 1, shell, history, commands }) => {
  test.each(commands)('%s', (line) => {
    const command = line.repeat(times);
    const call =
      shell === undefined
        ? { tool: { tool_id: 'shell.run', category: tool }, args: { command } }
        : { tool: SHELL_DANGEROUS, args: { shell, command, profile: 'ops' } };
    const risk = assessRisk({ ...call, resources: [] }, grammar, history);
    expect({ ceiling: risk.ceiling, basis: risk.risk_basis }).toMatchObject({
      ceiling,
      basis: basis ? expect.arrayContaining([basis]) : expect.anything(),
    });
  });
});

test('at least half of the cases are harmless', () => {
  const count = (ceilings: readonly Ceiling[]) =>
    groups.filter(({ ceiling }) => ceilings.includes(ceiling)).flatMap(({ commands }) => commands).length;
  expect(count(['none'])).toBeGreaterThanOrEqual(75);
  expect(count(['none', 'soft_gate', 'no_go'])).toBeGreaterThanOrEqual(150);
});

test('each rule has a case that it speaks in', () => {
  const named = new Set(groups.map(({ basis }) => basis));
  expect(RISK_RULES.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
});
