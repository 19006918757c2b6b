// SPDX-License-Identifier: Apache-2.0
// Files that a series makes reachable for git with one call, and unreachable with another.
import type { EffectExamination } from './examine-effect.ts';
import { repository, type Folder } from './folder.contract.ts';

let folder: Folder;
afterEach(() => {
  folder.remove();
});

const rulesOf = ({ findings }: EffectExamination): string[] => findings.map(({ rule }) => rule);
/** The rules that each call broke. */
const series = async (...commands: readonly string[]): Promise<string[][]> =>
  (await folder.seriesOf(commands)).map(rulesOf);

/** Twenty-two files that were never committed, beside forty-five that were. */
const DRAFTS = `mkdir -p draft && for n in $(seq 22); do
  fill "words of draft number $n that nobody has committed" 20 > draft/d$n.md; done`;

/** Stages files at other paths, and deletes them. */
const STAGE_ELSEWHERE = `git add -A; for f in $(git diff --cached --name-only --diff-filter=A); do
  git update-index --add --cacheinfo "100644,$(git hash-object "$f"),keep/$f"
  git update-index --force-remove "$f"; rm "$f"; done`;
/** Changes only a reference. */
const TAG = 'git tag between';

describe('a series of effects on a repository with 22 files that were never committed', () => {
  beforeEach(() => {
    folder = repository(45, true);
    folder.run(DRAFTS);
  });

  it.each([
    ['stashes them, and clears the stash', 'git stash -u -q', 'git stash clear'],
    ['stashes them, and drops the stash', 'git stash -u -q', 'git stash drop -q'],
    ['stashes what is staged, and clears the stash', 'git add -A && git stash -q', 'git stash clear'],
    ['stashes some of them, and drops the stash', 'git stash push -u -q -- draft', 'git stash drop -q'],
    ['drops the stash by its files', 'git stash -u -q', 'rm .git/refs/stash .git/logs/refs/stash'],
    ['drops the stash, and deletes a file more', 'git stash -u -q', 'git stash drop -q; rm README.md'],
    ['drops the stash by its reference', 'git stash -u -q', 'git update-ref -d refs/stash'],
    ['brings them back, and cleans', 'git stash -u -q', 'git stash pop -q && git clean -fdq && git checkout -q -- .'],
    ['stages them elsewhere, and resets', STAGE_ELSEWHERE, 'git reset -q'],
    ['stages them elsewhere, and deletes the index', STAGE_ELSEWHERE, 'rm .git/index'],
    [
      'stages them elsewhere, and puts the old index back',
      `cp .git/index dist/; ${STAGE_ELSEWHERE}`,
      'mv dist/index .git/index',
    ],
    [
      'deletes the objects',
      STAGE_ELSEWHERE,
      'git ls-files -s keep | cut -d" " -f2 | sed "s#^..#.git/objects/&/#" | xargs rm -f',
    ],
    [
      'lets a rebase stash them, and drops that',
      'git add -A && git commit -q --allow-empty -m x -- README.md; git stash -q',
      'git stash drop -q',
    ],
  ])('that %s is found, by the call that takes them', async (_, first, second) => {
    const [put, between, taken] = await series(first, TAG, second);
    expect([put, between]).toEqual([[], []]);
    expect(taken).not.toEqual([]);
  });

  it('that commits them to a branch, deletes it and cuts the log is found', async () => {
    const all = await series(
      'git checkout -q -b wip && git add -A && git commit -qm wip && git checkout -q main',
      'git branch -qD wip; sed -i "/wip/d" .git/logs/HEAD',
    );
    expect(all[0]).toEqual([]);
    expect(all[1]).toEqual(expect.arrayContaining(['effect.lost_series', 'effect.history']));
  });

  it('that does it in one call is found too', async () => {
    expect(await series('git stash -u -q; git stash drop -q')).toEqual([['effect.lost_many']]);
  });

  it.each([
    ['brings back what it stashed', ['git stash -u -q', TAG, 'git stash pop -q', 'git stash list']],
    [
      'stashes, works elsewhere and goes on',
      [
        'git stash -u -q',
        'git checkout -q -b other',
        'echo x >> README.md; git commit -qam x',
        'git checkout -q main',
        'git stash pop -q',
        'git add -A',
        'git commit -qm drafts',
        'rm draft/d1.md',
        'git commit -qam one',
        'git rm -rq draft',
        'git commit -qm less',
        'git gc -q',
      ],
    ],
    ['applies what it stashed, and drops the stash', ['git stash -u -q', 'git stash apply -q', 'git stash drop -q']],
    [
      'commits, and goes back and forth',
      [
        'git add -A && git commit -qm drafts',
        'git reset -q --hard HEAD~1',
        'git tag a',
        'git reset -q --hard HEAD@{1}',
        'git checkout -q HEAD~1',
        'git branch -f b',
        'git checkout -q main',
        'git gc -q',
      ],
    ],
  ])('that %s is permitted', async (_, commands) => {
    expect(await series(...commands)).toEqual(commands.map(() => []));
  });

  it('is judged as long as its index is the one that an approved effect changed', async () => {
    const past: { changes: Folder['made']; isApproved: boolean }[] = [];
    const found = async (command: string, isApproved = false): Promise<string[]> => {
      const rules = rulesOf(await folder.effectOf(command, { past: [...past] }));
      past.push({ changes: folder.made, isApproved });
      return rules;
    };
    expect(await found('git stash -u -q')).toEqual([]);
    await found('echo x >> README.md; git add README.md', true);
    expect(await found('git tag after')).toEqual([]);
    expect(await found('git stash drop -q')).toEqual(['effect.lost_series']);
  });
});

describe('a file that the series created', () => {
  beforeEach(() => {
    folder = repository(67, true);
  });

  it.each([
    ['thirty scratch files', ['for i in $(seq 1 30); do echo "case $i" > case$i.tmp; done', 'rm -f *.tmp']],
    [
      'a directory that git ignores',
      ['echo tmp >> .gitignore; mkdir tmp && for i in $(seq 40); do seq $i > tmp/p$i.txt; done', 'rm -rf tmp'],
    ],
    [
      'files that it renames',
      ['for i in $(seq 30); do echo "case $i" > case$i.tmp; done', 'for f in *.tmp; do mv $f $f.txt; done', 'rm *.txt'],
    ],
    [
      'files that it empties',
      ['for i in $(seq 30); do seq $i 90 > n$i.txt; done', 'for f in n*.txt; do : > $f; done', 'rm n*.txt'],
    ],
    [
      'files that it makes binary',
      ['for i in $(seq 30); do seq $i 90 > n$i.txt; done', 'for f in n*.txt; do head -c 900 /dev/zero > $f; done'],
    ],
    [
      'a prototype that it commits',
      [
        'mkdir proto && for i in $(seq 24); do seq 30 > proto/f$i.js; done',
        'git add proto && git commit -qm proto',
        'rm -rf proto',
      ],
    ],
    ['copies of sources', ['cp -r src copy', 'rm -rf copy']],
    [
      'a prototype that moves into the sources in part',
      [
        'mkdir proto && for i in $(seq 24); do seq $i 90 > proto/f$i.js; done',
        'mv proto/f1.js proto/f2.js src/',
        'rm -rf proto',
      ],
    ],
  ])('may be removed: %s', async (_, commands) => {
    expect(await series(...commands)).toEqual(commands.map(() => []));
  });

  it('may be removed, although nothing else is in the workspace', async () => {
    folder.remove();
    folder = repository(2, false);
    folder.run('find . -mindepth 1 -delete');
    expect(await series('for i in $(seq 9); do echo $i > n$i; done', 'rm n*')).toEqual([[], []]);
  });

  it('does not hide that the workspace is emptied', async () => {
    const all = await series(
      'for i in $(seq 30); do echo $i > n$i; done',
      'find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +',
    );
    expect(all[1]).toContain('effect.emptied_workspace');
  });

  it.each([
    [
      'moved away and back',
      ['mkdir away; mv src/part0 away/', 'mv away/part0 src/again', 'rm -rf src/again src/part1 src/part2'],
    ],
    [
      'moved over files of its own',
      ['mkdir own; for f in src/*/*.js; do echo own > own/$(basename $f); done', 'mv -f src/*/*.js own/', 'rm -rf own'],
    ],
    [
      'overwritten before they are deleted',
      ['for f in src/part[0-2]/*; do echo "// more" >> $f; done', 'rm -rf src/part[0-2]'],
    ],
    [
      'changed on their way',
      [
        'mkdir away; for f in src/part[0-2]/*; do sed "s/first/left/" $f > away/$(basename $f); rm $f; done',
        'rm -rf away',
      ],
    ],
    [
      'moved through a place that is made again',
      ['mkdir -p dist/k; mv src/part0/module[0-2].js dist/k', 'mv dist/k src/k', 'rm -rf src/k src/part[12]'],
    ],
    [
      'copied, overwritten, and deleted with the copies',
      ['cp -r src copy; for f in src/*/*.js; do echo x > $f; done', 'rm -rf copy'],
    ],
    ['exchanged with copies of its own', ['cp -r src a', 'mv a b; rm -rf src', 'rm -rf b']],
  ])('does not include files that were %s', async (_, commands) => {
    expect((await series(...commands)).at(-1)).not.toEqual([]);
  });

  it('is neither one that another session rewrote, nor one whose loss persons approved', async () => {
    const made = async (command: string): Promise<Folder['made']> => {
      await folder.effectOf(command);
      return folder.made;
    };
    const first = await made('mkdir own; for i in $(seq 30); do echo own $i > own/$i; done');
    await made('for i in $(seq 30); do fill "the work of another session on file $i" 9 > own/$i; done');
    const past = [{ changes: first, isApproved: false }];
    expect(rulesOf(await folder.effectOf('rm -rf own', { past }))).toEqual(['effect.lost_many', 'effect.lost_series']);
    folder.run('rm -rf own; git checkout -q .');
    const again = await made('mkdir own; for i in $(seq 30); do echo own $i > own/$i; done');
    const approved = { changes: again, isApproved: true };
    expect(rulesOf(await folder.effectOf('rm -rf own', { past: [approved] }))).toContain('effect.lost_many');
  });
});

describe('a stash that a person made earlier', () => {
  beforeEach(() => {
    folder = repository(45, true);
    folder.run(`${DRAFTS}; sed -i "1s/first/left/" src/part0/module0.js; git stash -u -q`);
  });

  it.each([
    ['dropped', ['git stash drop -q']],
    ['cleared', ['git stash clear']],
    ['cleared after another one was made', ['echo x >> README.md; git stash -q', 'git stash clear']],
    ['dropped, and its objects with it', ['git stash drop -q; git gc -q --prune=now']],
    [
      'dropped beside empty files of its names',
      ['git stash drop -q; mkdir draft; for n in $(seq 22); do echo x > draft/d$n.md; done'],
    ],
  ])('is lost where it is %s', async (_, commands) => {
    const all = await series(...commands);
    expect(all.at(-1)).toEqual(['effect.history']);
    expect(all.slice(0, -1).flat()).toEqual([]);
  });

  it('is lost where it is applied and then cleaned', async () => {
    expect(await series('git stash pop -q && git clean -fdq && git checkout -q .')).toEqual([['effect.history']]);
  });

  it('is lost where one call applies it and the next cleans it', async () => {
    const all = await series('git stash pop -q', 'git clean -fdq && git checkout -q .');
    expect(all).toEqual([[], expect.arrayContaining(['effect.lost_many'])]);
  });

  it.each([
    ['brought back', ['git stash pop -q', 'echo x >> draft/d1.md', 'git add -A; git commit -qm drafts']],
    ['brought back over changes', ['echo "// more" >> src/part0/module0.js; git commit -qam more', 'git stash pop -q']],
    ['applied, and then dropped', ['git stash apply -q', 'echo more >> draft/d1.md', 'git stash drop -q']],
    ['made a branch', ['git stash branch wip']],
    [
      'committed elsewhere, and then dropped',
      [
        'git stash apply -q; git checkout -q -b wip; git add -A; git commit -qm wip; git checkout -q main',
        'git stash drop -q',
      ],
    ],
    [
      'left alone while others come and go',
      ['echo x >> README.md; git stash -q', 'git stash pop -q', 'git stash -q', 'git stash drop -q', 'git gc -q'],
    ],
  ])('may be %s', async (_, commands) => {
    expect(await series(...commands)).toEqual(commands.map(() => []));
  });
});
