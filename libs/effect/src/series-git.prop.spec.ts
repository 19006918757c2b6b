// SPDX-License-Identifier: Apache-2.0
// The final count of lost files is the same, however a sequence of operations is split into calls.
import fc from 'fast-check';
import type { EffectExamination } from './examine-effect.ts';
import { repository, type Folder } from './folder.contract.ts';
import { completeEffectSettings } from './settings.ts';

const FILES = 12;
/** Each lost file counts as one, and a single lost file is a finding. */
const SETTINGS = completeEffectSettings({
  lost_many: { few_files: 1, few_share: 0, some_files: 1, some_share: 0, many_files: 1 },
  lost_series: { factor: 1 },
});

const tracked = (n: number): string => `src/part0/module${n % 10}.js`;
const draft = (n: number): string => `draft/d${n % 10}.md`;
const OPERATIONS: readonly ((n: number) => string)[] = [
  (n) => `rm ${tracked(n)} ${tracked(n + 1)}`,
  (n) => `rm ${draft(n)} ${draft(n + 1)} ${draft(n + 2)}`,
  (n) => `fill "nothing of what was here stays ${n}" 20 > ${draft(n)}`,
  (n) => `[ -f ${tracked(n)} ] && echo "// more" >> ${tracked(n)}`,
  (n) => `mkdir -p moved && mv ${draft(n)} moved/`,
  () => 'mv moved/* draft/',
  (n) => `mkdir -p own && for i in $(seq ${n + 1}); do echo "own file $i" > own/o$i; done`,
  () => 'rm -r own',
  () => 'git add -A',
  () => 'git add -A; git commit -qm more',
  () => 'git stash -q -u',
  () => 'git add -A; git stash -q',
  () => 'git stash pop -q',
  () => 'git stash drop -q',
  () => 'git reset -q',
  () => 'git reset -q --hard',
  () => 'git clean -fdq',
  () => 'git checkout -q -- .',
  (n) => `git rm -q -f ${tracked(n)}`,
  () => 'git reset -q --hard HEAD~1',
];
const tried = (command: string): string => `{ ${command}; } 2>/dev/null || true`;
const operation = fc.tuple(fc.constantFrom(...OPERATIONS), fc.nat(7)).map(([command, n]) => tried(command(n)));
/** Operations, each with whether a call ends after it. */
const sequences = fc.array(fc.tuple(operation, fc.boolean()), { minLength: 2, maxLength: 7 });

/** The files lost at the end, as counted for the series, or for the only call. */
function lostIn(all: readonly EffectExamination[]): number {
  const rule = all.length === 1 ? 'effect.lost_many' : 'effect.lost_series';
  return all.at(-1)?.findings.find((finding) => finding.rule === rule)?.size ?? 0;
}

describe('a series of operations on files and on git', () => {
  let original: Folder;
  beforeAll(() => {
    original = repository(FILES, true);
    original.run(`mkdir draft; for n in $(seq 0 9); do
  fill "words of draft number $n that nobody has committed" 20 > draft/d$n.md; done`);
  });
  afterAll(() => original.remove());

  const lostOf = async (calls: readonly string[]): Promise<number> => {
    const folder = original.copy();
    try {
      return lostIn(await folder.seriesOf(calls, SETTINGS));
    } finally {
      folder.remove();
    }
  };

  it('loses as many files in one call as in any number of calls', async () => {
    const seen = new Set<number>();
    const take = (all: readonly string[]): [string, boolean][] => all.map((command) => [tried(command), true]);
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const cut: string[] = [];
        for (const [at, [command]] of sequence.entries()) {
          if (at === 0 || sequence[at - 1]?.[1] === true) cut.push(command);
          else cut.push(`${cut.pop()}\n${command}`);
        }
        // A final call that removes nothing sees the losses of those before it.
        const whole = await lostOf([[...cut, 'git tag end'].join('\n')]);
        seen.add(whole);
        expect([cut, await lostOf([...cut, 'git tag end'])]).toEqual([cut, whole]);
      }),
      {
        numRuns: Number(process.env['WRIT_RUNS'] ?? 15),
        examples: [
          [take(['git stash -q -u', 'git stash drop -q'])],
          [take(['git stash -q -u', 'git stash pop -q', 'git clean -fdq'])],
          [take(['git add -A', 'rm -r draft', 'git reset -q'])],
          [take(['mkdir own; cp draft/* own/', 'rm -r draft', 'rm -r own'])],
        ],
      },
    );
    // Both must occur, or nothing was tested.
    expect([seen.has(0), seen.size > 1]).toEqual([true, true]);
  });
});
