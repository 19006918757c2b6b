// SPDX-License-Identifier: Apache-2.0
// Effects on the history of a repository, made by real git and by direct changes of its files.
import { Folder, repository } from './folder.contract.ts';
import { completeEffectSettings, type EffectSettingsSource } from './settings.ts';

let folder: Folder;
afterEach(() => {
  folder.remove();
});

const found = async (command: string, settings: EffectSettingsSource = {}): Promise<string[]> =>
  (await folder.effectOf(command, { settings: completeEffectSettings(settings) })).findings.map(({ rule }) => rule);

const DAY = 24 * 60 * 60;
const at = (days: number, command: string): string => {
  const date = `${Math.floor(Date.now() / 1000) - days * DAY} +0000`;
  return `GIT_AUTHOR_DATE='${date}' GIT_COMMITTER_DATE='${date}' ${command}`;
};
const commit = (name: string): string => `echo ${name} >> README.md && git commit -qam ${name}`;
const commits = (count: number): string => Array.from({ length: count }, (_, n) => commit(`c${n}`)).join(' && ');

/** A branch that is merged, one that isn't, a tag of each kind, and ten commits. */
const BRANCHES = `git branch merged && ${commits(10)} && git tag v1 HEAD~6 && git tag -a v2 -m v2 HEAD~6 &&
  git checkout -q -b other HEAD~3 && ${commit('other')} && git checkout -q main`;

const LOOSE = 'find .git/objects -path "*/[0-9a-f][0-9a-f]/*" -type f';
const NEW_ROOT = 'c=$(git commit-tree $(git hash-object -t tree -w /dev/null) -m x)';
/** Logs of the same length that name a single commit. */
const FORGED_LOGS = `for f in $(find .git/logs -type f); do n=$(stat -c %s $f);
  yes "$c $c a <a@example.org> $(date +%s) +0000	commit: x" | head -c $n > $f || true; done`;

describe('an effect on a repository with branches', () => {
  beforeEach(() => {
    folder = repository(30, true);
    folder.run(BRANCHES);
  });

  it.each([
    ['deletes the references', 'rm -rf .git/refs'],
    ['rewrites every object to one byte', `for f in $(${LOOSE}); do chmod u+w $f; printf x > $f; done`],
    [
      'rewrites every object to another object',
      `for f in $(${LOOSE}); do chmod u+w $f; printf "blob 0\\0" | pigz -z > $f 2>/dev/null || printf y > $f; done`,
    ],
    [
      'deletes objects beside a false pack',
      `${LOOSE} -delete; mkdir -p .git/objects/pack; printf "no pack" > .git/objects/pack/pack-1.pack`,
    ],
    [
      'deletes objects beside an emptied pack with its index',
      'git gc -q; for f in .git/objects/pack/*.pack; do chmod u+w $f; : > $f; done',
    ],
    [
      'overwrites its head, its references and its index',
      `echo "ref: refs/heads/none" > .git/HEAD; for f in main other merged;
  do printf "%040d\\n" 0 > .git/refs/heads/$f; done; printf x > .git/index`,
    ],
    ['overwrites its index', 'printf x > .git/index'],
    ['overwrites its head', 'printf x > .git/HEAD'],
    [
      'moves all references to one commit, and forges the logs',
      `${NEW_ROOT}; for f in heads/main heads/other heads/merged tags/v1 tags/v2; do echo $c > .git/refs/$f; done;
  ${FORGED_LOGS}`,
    ],
    [
      'moves all references to one commit, and deletes the logs',
      `${NEW_ROOT}; for f in heads/main heads/other heads/merged; do echo $c > .git/refs/$f; done; rm -rf .git/logs`,
    ],
    [
      'replaces history, and prunes',
      `${NEW_ROOT}; git for-each-ref --format="%(refname)" | grep -v main | xargs -n1 git update-ref -d;
  echo $c > .git/refs/heads/main; ${FORGED_LOGS}; git gc -q --prune=now`,
    ],
    [
      'goes back, and lets the logs expire',
      `git reset -q --hard HEAD~5 && git reflog expire --expire=now --expire-unreachable=now --all &&
  git gc -q --prune=now`,
    ],
    [
      'goes back, and lets the logs expire alone',
      'git reset -q --hard HEAD~5 && git reflog expire --expire=now --expire-unreachable=now --all',
    ],
    [
      'begins anew on an orphan, and prunes',
      `git checkout -q --orphan new && git commit -qm new && git branch -q -D main other merged &&
  git tag -d v1 v2 && git reflog expire --expire=now --all && git gc -q --prune=now`,
    ],
    [
      'moves a branch by a log of the past',
      `${NEW_ROOT}; rm -r .git/logs; ${at(400, 'git update-ref --create-reflog refs/heads/main $c')}`,
    ],
    [
      'hides packed references behind new ones',
      `git pack-refs --all; ${NEW_ROOT}; mkdir -p .git/refs/heads; echo $c > .git/refs/heads/main;
  echo $c > .git/refs/heads/other; rm -r .git/logs .git/refs/tags; sed -i "/tags/d" .git/packed-refs`,
    ],
    ['takes one object that a commit needs', 'rm -f .git/objects/$(git rev-parse HEAD~4^{tree} | sed "s#^..#&/#")'],
  ])('that %s is found', async (_, command) => {
    expect(await found(command)).toContain('effect.history');
  });

  it('that deletes objects which another effect listed in a false pack is found', async () => {
    folder.run(
      `git clone -q --bare . ../x$$ && cd ../x$$ && git gc -q && mv objects/pack ${folder.path}/kept &&
  cd - >/dev/null && rm -rf ../x$$`,
    );
    const plant = `mkdir -p .git/objects/pack; cp kept/*.idx .git/objects/pack/; for f in kept/*.pack;
  do head -c $(stat -c %s $f) /dev/zero > .git/objects/pack/$(basename $f); done; rm -rf kept`;
    expect(await found(plant)).toEqual([]);
    expect(await found(`${LOOSE} -delete`)).toEqual(['effect.history']);
  });

  it('that references packed before are hidden behind new files is found', async () => {
    folder.run('git pack-refs --all');
    expect(await found(`${NEW_ROOT}; echo $c > .git/refs/heads/main; rm -r .git/logs`)).toEqual(['effect.history']);
    folder.run('git gc -q && rm -rf .git/logs');
    expect(await found('git update-ref -d refs/heads/main; git update-ref -d refs/heads/other')).toEqual([
      'effect.history',
    ]);
  });

  it.each([
    ['a deleted branch that was not merged', 'git branch -q -D other'],
    ['deleted tags', 'git tag -d v1 v2'],
    ['an amended commit', 'git commit -q --amend -m other'],
    ['a rebase', 'git checkout -q other && git rebase -q main || git rebase --abort'],
    ['a reset to the commit before', 'git reset -q --hard HEAD~1'],
    ['a stash that is dropped', 'echo x >> README.md && git stash -q && git stash drop -q'],
    ['git gc', 'git gc -q'],
    ['git gc that prunes what was just made', `${commit('more')} && git add -A && git gc -q --prune=now`],
    ['git gc that prunes what an amendment left', 'git commit -q --amend -m other && git gc -q --prune=now'],
    ['git repack', 'git gc -q && git repack -adq'],
    ['packed references', 'git pack-refs --all'],
    [
      'a fetch',
      `git clone -q . dist/copy && (cd dist/copy && echo y >> README.md && git commit -qam y) &&
  git fetch -q dist/copy main:fetched`,
    ],
    ['git init in a new folder', 'mkdir sub && cd sub && git init -q'],
    ['a clone into a folder', 'git clone -q . copy'],
    ['a work tree', 'git worktree add -q dist/tree other && git worktree remove dist/tree'],
    ['a renamed branch', 'git branch -m other another'],
    ['a detached head, and back', `git checkout -q --detach && ${commit('loose')} && git checkout -q main`],
    ['a bisection', 'git bisect start && git bisect bad && git bisect good HEAD~5 && git bisect reset'],
    ['a merge', 'git merge -q -s ours other'],
    ['a forced move of a branch', 'git branch -f other main'],
    ['filter-branch', 'git filter-branch -f --msg-filter "cat; echo more" HEAD~2..HEAD'],
    ['a log that is gone, whose commits are not', 'rm .git/logs/refs/heads/main'],
    ['a commit of the past', at(500, 'git commit -q --allow-empty -m old')],
  ])('of %s is no finding', async (_, command) => {
    expect(await found(command)).toEqual([]);
  });

  it('that removes a work tree which another effect added is no finding', async () => {
    folder.run('git worktree add -q dist/tree other');
    expect(await found('git worktree remove dist/tree')).toEqual([]);
  });
});

describe('an effect on a repository of last year', () => {
  beforeEach(() => {
    folder = repository(30, false);
    folder.run(`git init -q -b main && git add . && ${at(200, 'git commit -qm first')}`);
    for (const n of [190, 180]) folder.run(`echo ${n} >> README.md && ${at(n, `git commit -qam c${n}`)}`);
    folder.run(
      `${at(170, 'git checkout -q -b side')} && echo s >> README.md && ${at(160, 'git commit -qam side')} &&
  ${at(150, 'git checkout -q main')}`,
    );
  });

  it('of git gc, which lets old logs expire, is no finding', async () => {
    folder.run(at(140, 'git commit -q --amend -m amended'));
    expect(await found('git gc -q')).toEqual([]);
  });

  it('that deletes a branch which only an expired log names is found', async () => {
    expect(await found('git branch -q -D side')).toEqual(['effect.history']);
  });

  it('that overwrites references whose logs have expired is found', async () => {
    expect(await found(`${NEW_ROOT}; echo $c > .git/refs/heads/main; echo $c > .git/refs/heads/side`)).toEqual([
      'effect.history',
    ]);
  });
});

describe('files that git keeps', () => {
  beforeEach(() => {
    folder = repository(30, true);
  });

  it('are kept where a commit holds them', async () => {
    expect(await found('git rm -rfq src')).toEqual([]);
    expect(await found('git checkout -q HEAD -- src && git rm -rfq src && echo left > left')).toEqual([]);
  });

  it('are lost where they were only ever staged', async () => {
    folder.run(
      `mkdir draft && for n in $(seq 20);
  do fill "words of draft number $n that nobody has committed" 20 > draft/$n.md; done`,
    );
    expect(await found('git add -A -f && git rm -rfq draft && echo gone > note.txt')).toContain('effect.lost_many');
  });

  it('are kept by a stash, and by a branch that was left', async () => {
    folder.run('for f in src/part0/*.js; do fill "words of an hour that nobody has committed yet" 60 > "$f"; done');
    expect(await found('git stash -q')).toEqual([]);
    expect(
      await found('git stash pop -q && git checkout -q -b wip && git commit -qam wip && git checkout -q main'),
    ).toEqual([]);
  });

  it('are lost where what keeps them goes in the same effect', async () => {
    folder.run(
      `mkdir draft && for n in $(seq 20);
  do fill "words of draft number $n that nobody has committed" 20 > draft/$n.md; done`,
    );
    expect(await found('git add draft && git stash -q && git stash drop -q')).toContain('effect.lost_many');
  });
});
