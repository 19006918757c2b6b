// SPDX-License-Identifier: Apache-2.0
// Losses that tricks make smaller: steps, added files, forged marks and long files.
import { randomBytes } from 'node:crypto';
import type { EffectExamination } from './examine-effect.ts';
import { Folder, repository } from './folder.contract.ts';

let folder: Folder;
afterEach(() => {
  folder.remove();
});

const rulesOf = ({ findings }: EffectExamination): string[] => findings.map(({ rule }) => rule);
const last = (all: readonly EffectExamination[]): string[] => rulesOf(all.at(-1) as EffectExamination);
const held = (all: readonly EffectExamination[]): number => all.findIndex(({ findings }) => findings.length > 0);
const each = (command: string, filter = 'cat'): string => `for f in $(git ls-files | ${filter}); do ${command}; done`;

describe('a series of effects on a repository of 55 files', () => {
  beforeEach(() => {
    folder = repository(55, true);
  });

  it('that marks files as generated and then deletes them is found', async () => {
    expect(last(await folder.seriesOf([each('sed -i "1i // @generated" "$f"'), 'rm -rf src']))).toContain(
      'effect.lost_many',
    );
  });

  it('that rewrites behind a mark of its own, call by call, is found', async () => {
    const all = await folder.seriesOf([
      each('sed -i "1i // @generated" "$f"'),
      ...Array.from({ length: 6 }, (_, n) => `rm -rf src/part${n}`),
    ]);
    expect(held(all)).toBe(2);
  });

  it('that pads the workspace with new files is found all the same', async () => {
    const pad = 'mkdir -p locale; for n in $(seq 1200); do echo "message $n" > locale/$n.txt; done';
    const all = await folder.seriesOf([pad, each('rm "$f"')]);
    expect(last(all)).toContain('effect.lost_many');
    expect(all[1]?.findings[0]?.message).toContain('of 56 files');
  });

  it('that cuts each file to a third, again and again, is found when little is left', async () => {
    expect(
      held(
        await folder.seriesOf(
          Array.from({ length: 6 }, () => each('head -c $(($(stat -c %s "$f") * 3 / 10)) "$f" > x; mv x "$f"')),
        ),
      ),
    ).toBeLessThanOrEqual(2);
  });

  it('that halves 23 files six times is found', async () => {
    const halve = each('head -c $(($(stat -c %s "$f") / 2)) "$f" > x; mv x "$f"', 'head -23');
    expect(last(await folder.seriesOf(Array.from({ length: 6 }, () => halve)))).toContain('effect.lost_series');
  });

  it('that empties a quarter of the files one by one is found at a quarter', async () => {
    const names = Array.from({ length: 17 }, (_, n) => `src/part${Math.floor(n / 10)}/module${n}.js`);
    expect(held(await folder.seriesOf(names.map((name) => `echo > ${name}`)))).toBe(13);
  });

  it('that moves files and then deletes the copies is found', async () => {
    const all = await folder.seriesOf([
      'mkdir a && mv src/part0 src/part1 src/part2 a/',
      'rm -rf a/part0',
      'rm -rf a/part1',
    ]);
    expect(last(all)).toContain('effect.lost_series');
  });

  it('is counted from zero after an approved loss', async () => {
    const deleted = await folder.seriesOf(['rm -rf src/part0 src/part1']);
    expect(last(deleted)).toEqual(['effect.lost_many']);
    expect(
      rulesOf(
        await folder.effectOf('rm src/part2/module20.js', { past: [{ changes: folder.made, isApproved: true }] }),
      ),
    ).toEqual([]);
  });

  it('that deletes files that it created, and restores files that it deleted, is permitted', async () => {
    const scratch =
      'mkdir scratch; for n in 1 2 3 4 5; do echo "$n is a note of some words that serve as scratch" > scratch/$n.md; done';
    expect(
      held(
        await folder.seriesOf([
          scratch,
          'rm scratch/1.md scratch/2.md',
          'rm -r scratch',
          'cp -r src/part0 ..keep; rm src/part0/module[0-4].js',
          'rm src/part0/module[5-9].js',
          'cp ..keep/* src/part0/; rm -r ..keep',
          'rm src/part1/module10.js',
        ]),
      ),
    ).toBe(-1);
  });
});

describe('an effect on files with little content to compare', () => {
  it('that makes files too long to compare is found', async () => {
    folder = new Folder();
    for (const n of Array.from({ length: 10 }).keys())
      folder.write({ [`notes/n${n}.md`]: `a note of some words, the number of which is ${n}\n`.repeat(3) });
    expect(
      rulesOf(await folder.effectOf('for n in 1 2 3 4; do head -c 16777217 /dev/zero > notes/n$n.md; done')),
    ).toEqual(['effect.lost_many']);
  });

  it('that points links elsewhere is found', async () => {
    folder = new Folder();
    folder.run('for n in 1 2 3 4 5 6; do ln -s "somewhere/$n" link$n; echo "some words of a text $n" > text$n; done');
    expect(rulesOf(await folder.effectOf('for n in 1 2 3 4 5; do ln -sfn /etc/passwd link$n; done'))).toEqual([
      'effect.lost_many',
    ]);
  });

  it('that overwrites binary files with noise is found; tools that change a little of them are not', async () => {
    folder = new Folder();
    for (const n of Array.from({ length: 60 }).keys())
      folder.write({ [`assets/i${n}.png`]: Buffer.concat([Buffer.from([137, 80, 78, 71, 0]), randomBytes(2_800)]) });
    expect(
      rulesOf(
        await folder.effectOf(
          'for f in assets/*; do printf "\\0more" >> "$f"; printf x | dd of="$f" bs=1 seek=900 conv=notrunc status=none; done',
        ),
      ),
    ).toEqual([]);
    expect(rulesOf(await folder.effectOf('for f in assets/i1*; do head -c 2800 /dev/urandom > "$f"; done'))).toEqual(
      [],
    );
    expect(rulesOf(await folder.effectOf('for f in assets/*; do head -c 2800 /dev/urandom > "$f"; done'))).toEqual([
      'effect.lost_many',
    ]);
  });

  it('that overwrites files of few words is found; another version in each is not', async () => {
    folder = new Folder();
    for (const n of Array.from({ length: 60 }).keys())
      folder.write({
        [`keys/k${n}.js`]: `export const key${n} = 'a${(n * 7919).toString(36)}b';\n`,
        [`v${n}/VERSION`]: '1.2.3\n',
      });
    expect(
      rulesOf(
        await folder.effectOf('for f in v*/VERSION; do echo 1.2.4 > "$f"; done; sed -i "s/= .*/= null;/" keys/*'),
      ),
    ).toEqual([]);
    expect(rulesOf(await folder.effectOf('for f in keys/*; do echo gone gone gone > "$f"; done'))).toEqual([
      'effect.lost_many',
    ]);
  });

  it('that hides them among long ones is found, with only the counts that are certain', async () => {
    folder = new Folder();
    const long = Buffer.alloc(3 * 1024 * 1024, 'a long line of a log\n');
    for (const n of Array.from({ length: 20 }).keys())
      folder.write({
        [`media/m${n}`]: long,
        [`src/s${n}.js`]: `a source with some words, and the number ${n}\n`.repeat(20),
      });
    const { findings } = await folder.effectOf(
      'for f in media/*; do truncate -s 1572864 "$f"; done; for n in $(seq 0 16); do fill "nothing of what was here stays" 20 > src/s$n.js; done',
    );
    expect(findings[0]?.message).toBe('gives the same content to 17, rewrites without comparison 6 of 40 files');
  });
});
