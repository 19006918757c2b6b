// SPDX-License-Identifier: Apache-2.0
// Forty things that people do to repositories every day. With the shipped settings at most one of them may need an
// approval; none does. The sizes that are always examined are small. `WRIT_BENIGN_FILES=5000` adds one and prints the
// durations of the examinations.
import { repository, type Folder } from './folder.contract.ts';

/** Those of the second list need a repository. */
const EVERYWHERE: readonly (readonly [name: string, command: string])[] = [
  [
    'npm ci',
    'rm -rf node_modules && mkdir -p node_modules/a node_modules/b && echo 1 > node_modules/a/index.js && echo 2 > node_modules/b/index.js',
  ],
  ['a build', 'rm -rf dist && mkdir dist && for n in $(seq 40); do echo "var a$n" > dist/$n.js; done'],
  ['a clean', 'rm -rf dist coverage node_modules'],
  ['prettier over everything', 'find src -name "*.js" | xargs sed -i "s/; }/;\\n}/; s/{ return/{\\n  return/"'],
  ['tabs for spaces', 'find src -name "*.js" | xargs sed -i "s/  /\\t/g"'],
  ['CRLF line endings', 'find src -name "*.js" | xargs sed -i "s/$/\\r/"'],
  ['code generation', 'mkdir -p src/api && for n in $(seq 30); do echo "export const a$n = 1;" > src/api/$n.js; done'],
  ['code generation anew', 'rm -rf generated && mkdir generated && echo "two of another kind" > generated/client.js'],
  ['deleting generated code', 'rm -rf generated'],
  ['jest -u', 'mkdir -p src/__snapshots__ && echo x > src/__snapshots__/a.snap && rm src/__snapshots__/a.snap'],
  ['renaming a package', 'git mv src lib 2>/dev/null || mv src lib'],
  ['renaming a directory deep within', 'mv src/part0 src/core'],
  ['renaming an identifier everywhere', 'find src -name "*.js" | xargs sed -i "s/first/left/g"'],
  [
    'moving with changed imports',
    'mkdir -p src/moved && for f in src/part0/*.js; do sed "1i import x from \\"./x.js\\";" "$f" > "src/moved/$(basename $f)"; rm "$f"; done',
  ],
  ['a licence header everywhere', 'find src -name "*.js" | xargs sed -i "1i // SPDX-License-Identifier: Apache-2.0"'],
  ['a bump of the version', 'sed -i "s/1.0.0/1.1.0/" package.json'],
  ['a new lock file', 'for n in $(seq 400); do echo "\\"package-$n\\": \\"$n.0.0\\","; done > package-lock.json'],
  ['a lock file made anew', 'seq 400 > package-lock.json && seq 500 900 > package-lock.json'],
  ['deleting one file', 'rm src/part0/module0.js'],
  ['deleting two files', 'rm README.md src/part0/module0.js'],
  ['emptying the change log', 'echo "# Changes" > CHANGELOG.md && : > CHANGELOG.md'],
  ['a backup beside each file', 'for f in src/part0/*.js; do cp "$f" "$f.bak"; echo "// new" > "$f"; done'],
  ['an archive', 'tar czf sources.tgz src'],
  ['unpacking an archive over itself', 'tar czf x.tgz src && tar xzf x.tgz && rm x.tgz'],
  ['a virtual environment', 'mkdir -p .venv/bin && echo x > .venv/bin/activate && rm -rf .venv'],
  [
    'caches of Python',
    'mkdir -p src/__pycache__ && echo x > src/__pycache__/a.pyc && find . -name __pycache__ -exec rm -rf {} +',
  ],
  ['a translation of comments', 'find src -name "*.js" | xargs sed -i "1i // ein Kommentar in einer anderen Sprache"'],
  ['executable bits', 'chmod +x src/part0/*.js'],
];
const WITH_GIT: readonly (readonly [name: string, command: string])[] = [
  ['a commit', 'echo x >> README.md && git commit -qam second'],
  ['a checkout of another branch', 'git checkout -q other'],
  ['a merge', 'git merge -q other'],
  ['a rebase', 'git checkout -q work && git rebase -q other'],
  ['a stash', 'for f in $(find src -name "*.js" | head -40); do : > "$f"; done; git add -A; git stash -q'],
  ['a stash that comes back', 'echo x >> README.md && git stash -q && git stash pop -q'],
  ['a hard reset to another commit', 'git reset -q --hard other'],
  ['git gc', 'git gc -q'],
  ['git gc with everything packed anew', 'git gc -q && git repack -adq'],
  ['git clean of output', 'git clean -fdXq'],
  ['a deleted branch', 'git branch -q -D other'],
  ['git rm of a directory that is kept by a commit', 'git rm -rq src/part0 && git commit -qm less'],
  ['an amended commit', 'echo x >> README.md && git add . && git commit -q --amend -m other'],
  ['git init anew', 'git init -q'],
  ['a bisection', 'git bisect start -q 2>/dev/null; git bisect reset -q 2>/dev/null || true'],
  ['a cherry-pick', 'git cherry-pick -n other~0 >/dev/null 2>&1 || git cherry-pick --abort'],
  ['a work tree', 'git worktree add -q dist/tree other && git worktree remove dist/tree'],
  ['a tag', 'git tag v1'],
];

/**
 * A branch in which half of the sources are deleted and the others have another content, and one with a commit of its
 * own.
 */
const BRANCHES = `git checkout -q -b other && git rm -q $(git ls-files src | awk 'NR % 2') && for f in $(git ls-files src); do fill "another text for this branch of the repository" 30 > "$f"; done
git commit -qam other && git checkout -q main && git checkout -q -b work && echo "# more" >> README.md && git commit -qam work && git checkout -q main`;

/** A larger repository, which CONTRIBUTING.md describes: ADR 0099 has its figures. */
const MORE_FILES = Number(process.env['WRIT_BENIGN_FILES'] ?? 0);
const SIZES: readonly (readonly [count: number, git: boolean])[] = [
  [10, true],
  [10, false],
  [200, true],
  ...(MORE_FILES > 0 ? [[MORE_FILES, true] as const] : []),
];

describe.each(SIZES)('on a repository of %i files, with git: %s, there is no finding about', (count, git) => {
  let [original, folder]: Folder[] = [];
  const took: number[] = [];
  beforeAll(() => {
    original = repository(count, git);
    if (git) original.run(BRANCHES);
  });
  afterAll(() => {
    original?.remove();
    if (MORE_FILES === 0) return;
    took.sort((a, b) => a - b);
    const [half, most] = [took[took.length >> 1], took.at(-1)].map((ms) => `${ms?.toFixed(1)} ms`);
    process.stdout.write(`${count} files: ${took.length} examined, p50 ${half}, max ${most}\n`);
  });
  beforeEach(() => {
    folder = original!.copy();
  });
  afterEach(() => {
    folder!.remove();
  });

  it.each(git ? [...EVERYWHERE, ...WITH_GIT] : EVERYWHERE)('%s', async (_, command) => {
    const { findings } = await folder!.effectOf(command);
    took.push(folder!.examinedMs);
    expect(findings).toEqual([]);
  });
});
