// SPDX-License-Identifier: Apache-2.0
// For any use of git: an effect that leaves a repository incomplete, or commits without a name, is a finding, and no
// other effect is.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { repository, type Folder } from './folder.contract.ts';
import type { PastEffect } from './window.ts';

const LOOSE = 'find .git/objects -path "*/[0-9a-f][0-9a-f]/*" -type f | sort';
const ORDINARY: readonly ((n: number) => string)[] = [
  (n) => `echo ${n} >> README.md; git commit -qam c${n}`,
  (n) => `echo ${n} >> src/part0/module${n % 4}.js; git add -A; git commit -qm c${n}`,
  (n) => `echo ${n} >> README.md; git commit -q --amend -am a${n}`,
  (n) => `git checkout -q -b b${n}`,
  (n) => `git branch b${n % 3} HEAD~1`,
  (n) => `git checkout -q -f b${n % 3}`,
  () => 'git checkout -q -f main',
  () => 'git checkout -q --detach',
  (n) => `git merge -q --no-edit -X ours b${n % 3} || git merge --abort`,
  (n) => `git rebase -q b${n % 3} || git rebase --abort`,
  (n) => `git reset -q --hard HEAD~${1 + (n % 3)}`,
  (n) => `echo ${n} >> README.md; git stash -q`,
  () => 'git stash pop -q',
  () => 'git stash drop -q',
  () => 'git gc -q',
  () => 'git repack -adq',
  () => 'git pack-refs --all',
  (n) => `git tag -a t${n} -m t${n}`,
  () => 'git tag | xargs git tag -d',
  (n) => `git worktree add -q dist/w${n} main~1; git worktree list`,
  (n) => `git worktree remove -f dist/w${n}`,
  () => 'git prune --expire=now',
  () => 'git gc -q --prune=now',
  (n) => `echo ${n} > staged${n}; git add -A`,
];
const FORGET = 'git reflog expire --expire=now --expire-unreachable=now --all';
const HARMFUL: readonly ((n: number) => string)[] = [
  (n) => `git branch -q -D b${n % 3}`,
  () => FORGET,
  (n) => `git reset -q --hard HEAD~${1 + (n % 2)}; ${FORGET}`,
  () => 'git for-each-ref --format="delete %(refname)" refs/heads | git update-ref --stdin',
  () => 'rm -rf .git/logs',
  () => 'git checkout -q --orphan orphan; git commit -qm orphan; git branch -q -D main',
  (n) => `${LOOSE} | sed -n "${1 + n}p;${2 + n * 2}p" | xargs -r rm -f`,
  () => 'rm -rf .git/objects/pack/*',
  (n) => `git update-ref refs/heads/main $(git rev-parse main~${1 + (n % 2)})`,
];

const some = (commands: readonly ((n: number) => string)[], minLength: number) =>
  fc.array(
    fc.tuple(fc.constantFrom(...commands), fc.nat(5)).map(([command, n]) => `{ ${command(n)}; } || true`),
    { minLength, maxLength: 3 },
  );

/** Harmless commands first, and then harmful ones as well. */
const steps = fc.tuple(some(ORDINARY, 1), some(HARMFUL, 0)).map((parts) => parts.flat());

const git = (folder: Folder, args: readonly string[], input = ''): string =>
  execFileSync('git', [...args], {
    cwd: folder.path,
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });

/** The objects that references, heads and logs name, without stashes: a series may drop its own. */
function named(folder: Folder): string[] {
  // Packed references that newer ones override name nothing.
  const names = git(folder, ['for-each-ref', '--format=%(objectname) %(refname)'])
    .split('\n')
    .filter((line) => !line.endsWith(' refs/stash'))
    .flatMap((line) => line.match(NAME) ?? []);
  const look = (at: string): void => {
    for (const name of readdirSync(join(folder.path, at))) {
      const path = `${at}/${name}`;
      if (statSync(join(folder.path, path)).isDirectory()) {
        if (!/^\.git\/(?:objects|hooks|refs)$/.test(path)) look(path);
      } else if (/^\.git\/(?:worktrees\/[^/]+\/)?(?:HEAD$|logs\/)/.test(path) && !path.endsWith('refs/stash')) {
        names.push(...(readFileSync(join(folder.path, path), 'latin1').match(NAME) ?? []));
      }
    }
  };
  look('.git');
  return [...new Set(names)].filter((name) => !/^0+$/.test(name));
}
const NAME = /\b[0-9a-f]{40}\b/g;

/** The commits that are reachable from any of these. */
const commitsOf = (folder: Folder, names: readonly string[]): Set<string> =>
  new Set(
    git(folder, ['rev-list', '--ignore-missing', '--stdin'], `${names.join('\n')}\n`)
      .split('\n')
      .filter((line) => line !== ''),
  );

function isWhole(folder: Folder): boolean {
  try {
    git(folder, ['fsck', '--connectivity-only', '--no-dangling']);
    return true;
  } catch {
    return false;
  }
}

function commitsBelow(folder: Folder): Set<string> | null {
  try {
    return commitsOf(folder, named(folder));
  } catch {
    return null;
  }
}

describe('all sequences of git commands', () => {
  let original: Folder;
  beforeAll(() => {
    original = repository(10, true);
    original.run(
      `for n in 0 1 2 3; do echo $n >> README.md; git commit -qam c$n; done; git branch b0 HEAD~1;
  git checkout -q -b b1 HEAD~2; echo b >> package.json; git commit -qam b1; git checkout -q main`,
    );
  });
  afterAll(() => original.remove());

  it('an effect is a finding exactly where the repository is incomplete, or commits have no name', async () => {
    let [harmful, harmless] = [0, 0];
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        const folder = original.copy();
        try {
          const past: PastEffect[] = [];
          for (const command of commands) {
            const before = commitsBelow(folder);
            const { findings } = await folder.effectOf(command, { past: [...past] });
            past.push({ changes: folder.made, isApproved: false });
            const after = commitsBelow(folder);
            const isHarm =
              before === null || after === null || !isWhole(folder) || [...before].some((name) => !after.has(name));
            expect([
              command,
              findings.filter(({ rule }) => rule === 'effect.history').length > 0,
              findings.map(({ message }) => message),
            ]).toEqual([command, isHarm, expect.anything()]);
            if (isHarm) harmful += 1;
            else harmless += 1;
            // A broken repository proves nothing about the next step.
            if (isHarm) break;
          }
        } finally {
          folder.remove();
        }
      }),
      {
        numRuns: 20,
        examples: [
          [[`git reset -q --hard HEAD~2; ${FORGET}`]],
          [['echo 0 >> README.md; git stash -q', `git reset -q --hard HEAD~1; ${FORGET}`]],
        ],
      },
    );
    // Both kinds must occur, or nothing was tested.
    expect(Math.min(harmful, harmless)).toBeGreaterThan(0);
  });
});
