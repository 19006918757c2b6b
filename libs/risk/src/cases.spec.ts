// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { assessRisk } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';
import type { Ceiling } from './rules/rule.ts';

interface CaseGroup {
  readonly title: string;
  readonly ceiling: Ceiling;
  /** the rule that must be among those that speak */
  readonly basis?: string;
  readonly commands: readonly string[];
}

const cases = new URL('../cases/', import.meta.url);
const grammar = await bundledGrammar();
const groups = readdirSync(cases).flatMap((file) => parse(readFileSync(new URL(file, cases), 'utf8')) as CaseGroup[]);

describe.each(groups)('$ceiling: $title', ({ ceiling, basis, commands }) => {
  test.each(commands)('%s', (command) => {
    const risk = assessRisk({ tool: { tool_id: 'shell.run', category: 'write' }, args: { command }, resources: [] }, grammar);
    expect({ ceiling: risk.ceiling, basis: risk.risk_basis }).toMatchObject({ ceiling, basis: basis ? expect.arrayContaining([basis]) : expect.anything() });
  });
});

test('at least half of the cases are harmless', () => {
  const count = (ceilings: readonly Ceiling[]) => groups.filter(({ ceiling }) => ceilings.includes(ceiling)).flatMap(({ commands }) => commands).length;
  expect(count(['none'])).toBeGreaterThanOrEqual(75);
  expect(count(['none', 'soft_gate', 'no_go'])).toBeGreaterThanOrEqual(150);
});
