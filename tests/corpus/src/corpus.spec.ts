// SPDX-License-Identifier: Apache-2.0
// What the default policy makes of commands that developers type daily, and of commands that destroy.
import { isDeepStrictEqual } from 'node:util';
import { readCorpus, type CorpusCommand, type Half, type Nature } from './corpus.ts';
import { judge, type Judged } from './judge.ts';

/** What may be held of the harmless commands, in hundredths. */
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
  test('is large, and so is the half that was kept from sight', () => {
    expect(of('harmless').length).toBeGreaterThanOrEqual(900);
    expect(of('destructive').length).toBeGreaterThanOrEqual(900);
    for (const nature of ['harmless', 'destructive'] as const)
      expect(of(nature, 'unseen').length).toBeGreaterThanOrEqual(300);
  });

  test('no command is harmless and destructive', () => {
    const harmless = new Set(of('harmless').map(({ command }) => command));
    expect(of('destructive').filter(({ command }) => harmless.has(command))).toEqual([]);
  });

  test('no destructive command reaches autopilot', () => {
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

  test('what is held has a reason in words', () => {
    expect(
      scored
        .filter(({ mode, risk }) => mode !== 'autopilot' && risk.reasons.length === 0)
        .map(({ command }) => command),
    ).toEqual([]);
  });

  test('a command that only reads destroys nothing', () => {
    expect(
      of('destructive')
        .filter(({ risk }) => risk.category === 'read')
        .map(({ command }) => command),
    ).toEqual([]);
  });

  test('the same command is judged the same twice', () => {
    const twice = scored.filter(({ command, risk, mode }) => !isDeepStrictEqual(judge(command), { risk, mode }));
    expect(twice.map(({ command }) => command)).toEqual([]);
  });
});
