// SPDX-License-Identifier: Apache-2.0
import { parseRiskRules, RiskRulesError } from './parse-rules.ts';
import { RISK_RULES } from './risk-rules.ts';

const RULE = {
  id: 'a.b',
  when: { kinds: ['delete'] },
  points: { reversibility: 500 },
  ceiling: 'soft_gate',
  reach: 'workspace',
  message: 'x',
};
const problemsOf = (value: unknown): readonly string[] => {
  try {
    parseRiskRules(value);
    return [];
  } catch (error) {
    if (!(error instanceof RiskRulesError)) throw error;
    return error.problems;
  }
};

describe('the table of rules', () => {
  test('the shipped one fits its schema', () => {
    expect(problemsOf(JSON.parse(JSON.stringify(RISK_RULES)))).toEqual([]);
  });

  test('a valid rule is returned unchanged', () => {
    expect(parseRiskRules([RULE])).toEqual([RULE]);
  });

  test.each([
    ['no table', 'x'],
    ['an empty one', []],
    ['an unknown field', [{ ...RULE, extra: 1 }]],
    ['an id without a family', [{ ...RULE, id: 'a' }]],
    ['an unknown kind of act', [{ ...RULE, when: { kinds: ['explode'] } }]],
    ['an unknown zone', [{ ...RULE, when: { kinds: ['delete'], zones: ['moon'] } }]],
    ['no condition', [{ ...RULE, when: {} }]],
    ['no points', [{ ...RULE, points: {} }]],
    ['an unknown dimension', [{ ...RULE, points: { beauty: 500 } }]],
    ['points beyond a thousand', [{ ...RULE, points: { reversibility: 1001 } }]],
    ['an unknown ceiling', [{ ...RULE, ceiling: 'maybe' }]],
    ['an unknown label', [{ ...RULE, when: { history: { labels: ['tired'] } } }]],
    ['two rules of one id', [RULE, RULE]],
    ['more points than run unseen', [{ ...RULE, ceiling: 'none' }]],
    ['fewer points than a refusal has', [{ ...RULE, ceiling: 'no_go' }]],
  ])('%s is refused', (_name, value) => {
    expect(problemsOf(value)).not.toEqual([]);
  });

  test('a problem names its position', () => {
    expect(problemsOf([{ ...RULE, points: { reversibility: 0 } }]).join()).toContain('`/0/points/reversibility`');
    expect(problemsOf([RULE, RULE]).join()).toContain('`a.b` is the id of two rules');
  });
});
