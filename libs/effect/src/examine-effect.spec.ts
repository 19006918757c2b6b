// SPDX-License-Identifier: Apache-2.0
import type { EffectExamination } from './examine-effect.ts';
import { Folder, repository } from './folder.contract.ts';
import { completeEffectSettings, type EffectSettingsSource } from './settings.ts';

let folder: Folder;
afterEach(() => {
  folder.remove();
});

const rulesOf = ({ findings }: EffectExamination): string[] => findings.map(({ rule }) => rule);
const found = async (command: string, settings: EffectSettingsSource = {}): Promise<string[]> =>
  rulesOf(await folder.effectOf(command, { settings: completeEffectSettings(settings) }));

describe.each([true, false])('an effect on a workspace of 60 files, with git: %s', (git) => {
  beforeEach(() => {
    folder = repository(60, git);
  });

  it('that deletes all of it is never permitted, with its repository or without', async () => {
    const { findings } = await folder.effectOf('find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +');
    expect(findings[0]).toEqual({
      rule: 'effect.emptied_workspace',
      mode: 'no_go',
      size: 61,
      message: 'deletes all 61 files of the workspace',
    });
  });

  it.each([
    ['deletes its sources', 'rm -rf src'],
    ['deletes its sources by another program', 'find src -type f | xargs rm'],
    ['empties its sources', 'for f in $(find src -type f); do : > "$f"; done'],
    ['leaves one line of each', 'for f in $(find src -type f); do head -c 40 "$f" > x && mv x "$f"; done'],
    [
      'writes other words over all of them',
      'for f in $(find src -type f); do fill "nothing of what was here stays" 40 > "$f"; done',
    ],
    ['replaces them by directories', 'for f in $(find src -type f); do rm "$f" && mkdir "$f"; done'],
    ['moves them into output that is made again', 'mkdir -p dist && mv src dist/'],
    ['renames and cuts them', 'for f in $(find src -type f); do head -c 30 "$f" > "$f.locked"; rm "$f"; done'],
  ])('that %s is found', async (_, command) => {
    expect(await found(command)).toContain('effect.lost_many');
  });

  it('reports how many files it deletes, empties and gives the same content, and of how many', async () => {
    const { findings } = await folder.effectOf(
      'rm src/part0/*.js; for f in src/part1/*.js; do : > "$f"; done; for f in src/part2/*.js; do fill "nothing of what was here stays" 40 > "$f"; done',
    );
    expect(findings.map(({ message, size }) => [message, size])).toEqual([
      ['deletes 10, empties 10, gives the same content to 10 of 61 files', 30],
    ]);
  });

  it('that overwrites text with binary content is found', async () => {
    expect(await found('for f in src/part0/*.js; do head -c 900 /dev/zero > "$f"; done')).toContain(
      'effect.binary_over_text',
    );
  });

  it('that gives all files another extension is found, although no content is lost', async () => {
    expect(await found('for f in $(find src -type f); do mv "$f" "$f.locked"; done')).toEqual(['effect.renamed_many']);
  });

  it('of a few files among many, or of one, is no finding', async () => {
    expect(await found('uniq /dev/null src/part0/module0.js')).toEqual([]);
    expect(await found('rm src/part0/module0.js src/part1/module10.js')).toEqual([]);
    expect(
      await found('rm -rf src/part0/module1.js src/part0/module2.js src/part0/module3.js src/part0/module4.js'),
    ).toEqual([]);
  });
});

describe('an effect on a repository', () => {
  beforeEach(() => {
    folder = repository(60, true);
  });

  it.each([
    ['deletes the repository', 'rm -rf .git'],
    ['deletes its head', 'rm .git/HEAD'],
    ['deletes its objects', 'rm -rf .git/objects'],
    ['deletes a pack', 'git gc -q && true; rm -f .git/objects/pack/*'],
    ['deletes many loose objects', 'find .git/objects -type f -path "*/[0-9a-f][0-9a-f]/*" | head -30 | xargs rm -f'],
    ['cuts logs short that alone name a commit', 'rm -r .git/logs'],
  ])('that %s is found', async (name, command) => {
    if (name === 'deletes a pack') folder.run('git gc -q');
    if (name.startsWith('cuts'))
      folder.run('echo x >> README.md && git commit -qam second && git commit -q --amend -m other');
    expect(await found(command)).toEqual(['effect.history']);
  });

  it('that discards what was never committed is found', async () => {
    folder.run(
      'for f in $(find src -type f); do fill "words of an hour that nobody has committed yet" 60 > "$f"; done',
    );
    expect(await found('git checkout -q -f .')).toContain('effect.lost_many');
  });

  it('that forges an index, or an object of the right name, is found', async () => {
    expect(
      await found(
        'git rm -q -r --cached src && rm -rf src .git/objects/[0-9a-f][0-9a-f] && git gc -q 2>/dev/null || true',
      ),
    ).toContain('effect.lost_many');
    folder.remove();
    folder = repository(60, true);
    const forge =
      'for o in $(git ls-files -s src | cut -d" " -f2); do chmod u+w ".git/objects/${o:0:2}/${o:2}"; : > ".git/objects/${o:0:2}/${o:2}"; done; git rm -q -r --cached src; rm -rf src';
    expect(await found(forge)).toEqual(['effect.lost_many', 'effect.history']);
  });
});

it("a task class only tightens, and a tenant's own patterns count as regenerable", async () => {
  folder = repository(60, false);
  folder.run(
    'mkdir docs && for n in 1 2 3 4 5 6 7 8 9; do cp src/part0/module$n.js docs/$n.md; echo $n >> docs/$n.md; done',
  );
  expect(await found('rm -rf docs', { regenerable: ['docs/**'], lost_many: { few_share: 0.1 } })).toEqual([]);
  folder.run(
    'mkdir docs && for n in 1 2 3 4 5 6 7 8 9; do cp src/part0/module$n.js docs/$n.md; echo $n >> docs/$n.md; done',
  );
  expect(await found('rm -rf docs', { lost_many: { few_share: 0.1 } })).toEqual(['effect.lost_many']);
});
