// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { sha256Hex } from '@writ/digest';
import type { Change, FileState } from '@writ/contract';
import { compareContents } from './compare-contents.ts';
import { examineEffect, type EffectExamination } from './examine-effect.ts';
import { completeEffectSettings } from './settings.ts';
import type { PastEffect } from './window.ts';

/** Contents by path. */
type Files = ReadonlyMap<string, string>;

const FILES = 24;
/** A quarter of the files counts as many. */
const MANY = 6;
const pathOf = (n: number): string => `src/f${n}.txt`;
const textOf = (n: number): string =>
  Array.from({ length: 12 }, (_, line) => `line ${line} of file${n} says word${n * line} and name${line}\n`).join('');
const START: Files = new Map(Array.from({ length: FILES }, (_, n) => [pathOf(n), textOf(n)]));

const stateOf = (text: string | undefined): FileState | null =>
  text === undefined
    ? null
    : { kind: 'file', mode: '644', sha256: sha256Hex(Buffer.from(text)), size: Buffer.byteLength(text) };

const between = (before: Files, after: Files): Change[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, before: stateOf(before.get(path)), after: stateOf(after.get(path)) }));

async function examine(
  before: Files,
  changes: readonly Change[],
  states: readonly Files[],
  past: readonly PastEffect[] = [],
): Promise<EffectExamination> {
  const texts = new Map(
    states.flatMap((state) => [...state.values()]).map((text) => [sha256Hex(Buffer.from(text)), Buffer.from(text)]),
  );
  const read = (sha256: string): Buffer => texts.get(sha256) ?? Buffer.alloc(0);
  return await examineEffect({
    changes,
    settings: completeEffectSettings(),
    key: new Uint8Array(32),
    now: 0,
    past: () => Promise.resolve(past),
    contents: {
      compare: (old, now) => Promise.resolve(compareContents(read(old), now === null ? null : read(now))),
      read: (sha256) => Promise.resolve(read(sha256)),
      pause: () => Promise.resolve(),
      before: (path) => Promise.resolve(stateOf(before.get(path))),
      // There is no repository, and nothing that starts later is written.
      readMany: (sha256s) => Promise.resolve(new Map(sha256s.map((sha256) => [sha256, read(sha256)]))),
      filesBefore: () => Promise.resolve({ files: [], isComplete: true }),
      alone: (run) => run(),
      keptByGit: () => Promise.resolve(null),
      gitHistory: () => Promise.resolve(null),
      droppedStashes: () => Promise.resolve(null),
      starters: () => Promise.resolve(null),
      count: (counts) =>
        Promise.resolve([...before].filter(([path, text]) => counts(path, stateOf(text)?.sha256 ?? null)).length),
    },
  });
}

/** Changes of a file: those that lose it, and those that do not. */
const LOSSES: readonly ((text: string) => string | null)[] = [
  () => null,
  () => '',
  () => '\n',
  (text) => text.slice(0, 20),
];
const HARMLESS: readonly ((text: string) => string)[] = [
  (text) => `// a header\n${text}`,
  (text) => text.replaceAll('says', 'tells'),
  (text) => `${text}more\n`,
];

const applied = (
  files: Files,
  edits: readonly { readonly n: number; readonly to: (text: string) => string | null }[],
): Files => {
  const next = new Map(files);
  for (const { n, to } of edits) {
    const text = to(next.get(pathOf(n)) ?? '');
    if (text === null) next.delete(pathOf(n));
    else next.set(pathOf(n), text);
  }
  return next;
};
const numbers = fc.uniqueArray(fc.nat(FILES - 1), { minLength: MANY, maxLength: FILES - 1 });
const losing = numbers.chain((chosen) =>
  fc.tuple(...chosen.map((n) => fc.constantFrom(...LOSSES).map((to) => ({ n, to })))),
);
const rulesOf = ({ findings }: EffectExamination): string[] => findings.map(({ rule }) => rule);

describe('a loss of files', () => {
  it('is found whatever the order of its changes', async () => {
    await fc.assert(
      fc.asyncProperty(losing, fc.infiniteStream(fc.nat()), async (edits, ranks) => {
        const after = applied(START, edits);
        const changes = between(START, after);
        const shuffled = changes
          .map((change) => ({ change, rank: ranks.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ change }) => change);
        const found = await examine(START, changes, [START, after]);
        expect(rulesOf(found)).toContain('effect.lost_many');
        expect(await examine(START, shuffled, [START, after])).toEqual(found);
      }),
      { numRuns: 40 },
    );
  });

  it('is found over any number of calls, at the latest by the call that makes it many', async () => {
    await fc.assert(
      fc.asyncProperty(
        losing,
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: FILES, maxLength: FILES }),
        fc.boolean(),
        async (edits, sizes, pads) => {
          const past: PastEffect[] = [];
          const states = [START];
          let [files, lost] = [START, 0];
          for (let at = 0, call = 0; at < edits.length; call += 1) {
            const some = edits.slice(at, (at += sizes[call] ?? 1));
            const padded = new Map(
              pads
                ? [
                    ...files,
                    ...Array.from({ length: 10 }, (_, n): [string, string] => [`pad/${call}-${n}`, `own ${call} ${n}`]),
                  ]
                : files,
            );
            const after = applied(padded, some);
            states.push(after);
            const changes = between(files, after);
            const found = await examine(files, changes, states, [...past]);
            past.push({ changes, isApproved: false });
            [files, lost] = [after, lost + some.length];
            expect(found.findings.length > 0).toBe(lost >= MANY || some.length >= MANY);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is found over any number of steps in which each file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, fc.integer({ min: 4, max: 7 }), async (chosen, steps) => {
        const past: PastEffect[] = [];
        const states = [START];
        let [files, found]: [Files, readonly string[]] = [START, []];
        for (let step = 0; step < steps; step += 1) {
          const after = applied(
            files,
            chosen.map((n) => ({ n, to: (text) => text.slice(0, text.length / 2) })),
          );
          states.push(after);
          found = rulesOf(await examine(files, between(files, after), states, [...past]));
          past.push({ changes: between(files, after), isApproved: false });
          files = after;
        }
        expect(found).toContain('effect.lost_series');
      }),
      { numRuns: 20 },
    );
  });

  it('is found beside any harmless changes', async () => {
    const harmless = fc.array(fc.tuple(fc.nat(FILES - 1), fc.constantFrom(...HARMLESS)));
    await fc.assert(
      fc.asyncProperty(losing, harmless, fc.nat(200), async (edits, others, made) => {
        const lostNames = new Set(edits.map(({ n }) => n));
        const after = new Map(
          applied(START, [...edits, ...others.filter(([n]) => !lostNames.has(n)).map(([n, to]) => ({ n, to }))]),
        );
        for (let n = 0; n < made; n += 1) after.set(`more/${n}`, `a new file ${n}`);
        expect(rulesOf(await examine(START, between(START, after), [START, after]))).toContain('effect.lost_many');
      }),
      { numRuns: 40 },
    );
  });

  it('is found among thousands of harmless changes, more than are compared', async () => {
    const many: Files = new Map(Array.from({ length: 6_000 }, (_, n) => [pathOf(n), textOf(n)]));
    const after = new Map(
      [...many].map(([path, text], n) => [
        path,
        n % 24 === 0
          ? 'nothing of it is left here, but for as many bytes as there were: '.repeat(8)
          : `// more\n${text}`,
      ]),
    );
    const { findings } = await examine(many, between(many, after), [many, after]);
    expect(findings.map(({ rule }) => rule)).toEqual(['effect.lost_many']);
    const free = new Map([...many].map(([path, text]) => [path, `// more\n${text}`]));
    expect((await examine(many, between(many, free), [many, free])).findings).toEqual([]);
  });
});
