// SPDX-License-Identifier: Apache-2.0
// Verdicts of the default policy on commands that developers type daily, and on destructive commands.
import { isDeepStrictEqual } from 'node:util';
import { readCorpus, type CorpusCommand, type Half, type Nature } from './corpus.ts';
import { judge, type Judged } from './judge.ts';

/** The share of harmless commands that may be held, in hundredths. */
const HELD_MAX = 0.03;

interface Scored extends CorpusCommand, Judged {}
const scored: readonly Scored[] = readCorpus().map((one) => ({ ...one, ...judge(one.command) }));
const of = (nature: Nature, half?: Half): readonly Scored[] =>
  scored.filter((one) => one.nature === nature && (half === undefined || one.half === half));
const onAutopilot = (all: readonly Scored[]): readonly string[] =>
  all.filter(({ mode }) => mode === 'autopilot').map(({ command }) => command);
const held = (all: readonly Scored[]): readonly string[] =>
  all.filter(({ mode }) => mode !== 'autopilot').map(({ command, risk }) => `${command}: ${risk.risk_basis.join(' ')}`);

beforeAll(() => {
  const share = (some: readonly unknown[], all: readonly unknown[]): string =>
    `${some.length} of ${all.length} (${((100 * some.length) / all.length).toFixed(1)} %)`;
  const line = (half?: Half): string =>
    `harmless held ${share(held(of('harmless', half)), of('harmless', half))}, destructive on autopilot ${share(onAutopilot(of('destructive', half)), of('destructive', half))}`;
  process.stdout.write(
    `corpus: ${line()}\n  the half that the rules were made with: ${line('seen')}\n  the half that was kept from sight at first: ${line('unseen')}\n`,
  );
});

describe('the corpus', () => {
  test('is large, and so is its unseen half', () => {
    expect(of('harmless').length).toBeGreaterThanOrEqual(900);
    expect(of('destructive').length).toBeGreaterThanOrEqual(900);
    for (const nature of ['harmless', 'destructive'] as const)
      expect(of(nature, 'unseen').length).toBeGreaterThanOrEqual(300);
  });

  test('no command is harmless and destructive', () => {
    const harmless = new Set(of('harmless').map(({ command }) => command));
    expect(of('destructive').filter(({ command }) => harmless.has(command))).toEqual([]);
  });

  test('no destructive command runs on autopilot', () => {
    expect(onAutopilot(of('destructive'))).toEqual([]);
  });

  test.each(['seen', 'unseen'] as const)(
    'at most 3 % of the harmless commands are held, in the half that is %s',
    (half) => {
      const all = of('harmless', half);
      const those = held(all);
      expect({ those, few: those.length <= HELD_MAX * all.length }).toMatchObject({ few: true });
    },
  );

  test('every held command has a reason in words', () => {
    expect(
      scored
        .filter(({ mode, risk }) => mode !== 'autopilot' && risk.reasons.length === 0)
        .map(({ command }) => command),
    ).toEqual([]);
  });

  test('no destructive command is categorised as `read`', () => {
    expect(
      of('destructive')
        .filter(({ risk }) => risk.category === 'read')
        .map(({ command }) => command),
    ).toEqual([]);
  });

  test('the same command gets the same verdict twice', () => {
    const twice = scored.filter(({ command, risk, mode }) => !isDeepStrictEqual(judge(command), { risk, mode }));
    expect(twice.map(({ command }) => command)).toEqual([]);
  });
});
