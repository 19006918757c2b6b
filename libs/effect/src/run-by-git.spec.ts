// SPDX-License-Identifier: Apache-2.0
// Programs that git is made to run: git really runs each of them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Folder, repository } from './folder.contract.ts';

let folder: Folder;
let original: Folder;
beforeAll(() => {
  original = repository(20, true);
});
afterAll(() => {
  original.remove();
});
beforeEach(() => {
  folder = original.copy();
});
afterEach(() => {
  folder.remove();
});

const found = async (command: string): Promise<string[]> =>
  (await folder.effectOf(command)).findings.map(({ rule }) => rule);
const messageOf = async (command: string): Promise<string | undefined> =>
  (await folder.effectOf(command)).findings[0]?.message;

/** Each creates a file `ran` beside the workspace's own when git runs what it wrote. */
const RUN_BY_GIT: readonly (readonly [name: string, command: string, then: string])[] = [
  [
    'a hook',
    'printf "#!/bin/sh\ntouch ran\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
    'git commit -q --allow-empty -m x',
  ],
  [
    'a directory of hooks that is a link',
    'mkdir tools; printf "#!/bin/sh\ntouch ran\n" > tools/pre-commit; chmod +x tools/pre-commit; rm -rf .git/hooks; ln -s ../tools .git/hooks',
    'git commit -q --allow-empty -m x',
  ],
  [
    'a common directory elsewhere',
    'git init -q --bare tools/g; cp -r .git/objects .git/refs tools/g/; cp .git/config tools/g/config; printf "[core]\nbare = false\nfsmonitor = \\"touch ran; false\\"\n" >> tools/g/config; ' +
      'rm -rf tools/g/hooks; echo ../tools/g > .git/commondir',
    'git status',
  ],
  [
    'a `.git` file that leads to a repository elsewhere',
    'git init -q --bare tools/g; rm -rf tools/g/hooks; printf "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ../../src\nfsmonitor = \\"touch ../ran; touch ran; false\\"\n" > tools/g/config; ' +
      'echo "gitdir: ../tools/g" > src/.git',
    'cd src && git status',
  ],
  [
    'a repository without a `.git`',
    'mkdir docs; git init -q --bare b; mv b/HEAD b/objects b/refs docs/; rm -rf b; ' +
      'printf "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = \\"touch ran ../ran; false\\"\n" > docs/config',
    'cd docs && git status',
  ],
  [
    'the configuration of a work tree',
    'git config extensions.worktreeConfig true; mkdir -p out; git worktree add -q out/t; printf "[core]\nfsmonitor = \\"touch ../../ran; false\\"\n" > .git/worktrees/t/config.worktree',
    'cd out/t && git status',
  ],
];

describe('a program that git is made to run', () => {
  it.each(RUN_BY_GIT)('is found, and git does run it: %s', async (_, command, then) => {
    expect(await found(command)).toContain('effect.runs_later');
    try {
      execFileSync('bash', ['-c', then], {
        cwd: folder.path,
        env: {
          PATH: process.env['PATH'],
          HOME: folder.path,
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_CONFIG_SYSTEM: '/dev/null',
          GIT_AUTHOR_NAME: 'a',
          GIT_AUTHOR_EMAIL: 'a@example.org',
          GIT_COMMITTER_NAME: 'a',
          GIT_COMMITTER_EMAIL: 'a@example.org',
        },
        stdio: 'ignore',
      });
    } catch {
      // The output doesn't matter: either it ran something or not.
    }
    expect(existsSync(join(folder.path, 'ran'))).toBe(true);
  });

  it('is found in the call that completes a repository, whichever part it adds', async () => {
    folder.run('mkdir -p docs/objects docs/refs; printf "[core]\nfsmonitor = ./x\n" > docs/config');
    expect(await found('echo "ref: refs/heads/main" > docs/HEAD')).toEqual(['effect.runs_later']);
    folder.run('mkdir -p other/objects other/refs; echo "ref: refs/heads/main" > other/HEAD');
    expect(await found('printf "[core]\nsshCommand = ./x\n" > other/config')).toEqual(['effect.runs_later']);
    expect(await found('mkdir -p other/hooks; echo x > other/hooks/pre-push')).toEqual(['effect.runs_later']);
    folder.run('mkdir third; echo "ref: refs/heads/main" > third/HEAD');
    expect(await found('echo ../other > third/commondir')).toEqual(['effect.runs_later']);
  });

  it('is found in the directory from which the repository takes its hooks', async () => {
    expect(await found('mkdir githooks; echo x > githooks/pre-commit')).toEqual([]);
    folder.run('rm -r githooks; git config core.hooksPath ./tools/../githooks');
    expect(await found('mkdir githooks; echo x > githooks/pre-commit; echo x > githooks/README')).toEqual([
      'effect.runs_later',
    ]);
    expect(await messageOf('echo y > githooks/pre-commit; echo y > githooks/README')).toBe(
      'writes `githooks/pre-commit`, which runs when git is used',
    );
  });

  it.each([
    ['an alias of a shell', 'git config alias.x "!rm -rf src"'],
    ['a monitor of files', 'git config core.fsmonitor ./run.sh'],
    ['another directory of hooks', 'git config core.hooksPath hooks'],
    ['a driver of merges', 'git config merge.mine.driver "run %A"'],
    ['a configuration that is read beside', 'git config include.path ../more'],
    ['a line that is no configuration', 'echo "=!x" >> .git/config'],
    ['a configuration that is a link', 'cp .git/config c; rm .git/config; ln -s ../c .git/config'],
    ['a `.git` that is a link', 'mkdir s; ln -s ../.git s/.git'],
    [
      'a hook of a submodule whose name is that of output',
      'mkdir -p .git/modules/dist/hooks; echo x > .git/modules/dist/hooks/post-checkout',
    ],
    [
      "a configuration of a submodule with a name like git's",
      'mkdir -p .git/modules/logs/refs; printf "[core]\npager = ./x\n" > .git/modules/logs/refs/config',
    ],
    ['a hook, in capitals', 'mkdir -p s/.GIT/Hooks; echo x > s/.GIT/Hooks/PRE-COMMIT'],
    ['a hook, with a final dot', 'mkdir -p s/.git./hooks; echo x > "s/.git./hooks/pre-commit"'],
    ['a hook, by a short name', 'mkdir -p s/git~1/hooks; echo x > s/git~1/hooks/pre-commit'],
  ])('is found: %s', async (_, command) => {
    expect(await found(command)).toEqual(['effect.runs_later']);
  });
});
