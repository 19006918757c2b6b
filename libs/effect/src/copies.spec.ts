// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import fc from 'fast-check';
import { Folder } from './folder.contract.ts';

/** The sources of this library and the guides: real texts, any two of which have much in common. */
const GUIDES = ['tutorials', 'how-to', 'reference', 'explanation'].map((part) =>
  join(import.meta.dirname, '../../../docs', part, '*.md'),
);
// One folder after another: some have a file of the same name, and then the last one stays.
const COPY_GUIDES = GUIDES.map((files) => `cp ${files} docs/`).join(' && ');
const SAMPLE = `mkdir src docs && cp ${import.meta.dirname}/*.ts src/ && ${COPY_GUIDES}`;
let folder: Folder;
afterEach(() => {
  folder.remove();
});

const found = async (command: string): Promise<string[]> =>
  (await folder.effectOf(command)).findings.map(({ rule }) => rule);

describe('an effect that gives many real files the content of one', () => {
  beforeEach(() => {
    folder = new Folder();
    folder.run(SAMPLE);
  });

  it.each([
    [
      'by a wrong variable',
      'for f in src/*.ts; do sed "s/readonly //g" src/later-paths.ts > out && cp out "$f"; done; rm out',
    ],
    [
      'by the longest of them',
      'big=$(ls -S src/*.ts | tail -n +1 | sed -n 1p); for f in src/*.ts; do cp "$big" out && mv out "$f"; done',
    ],
    ['by one that stays', 'for f in src/*.ts; do [ "$f" = src/later-paths.ts ] || cp src/later-paths.ts "$f"; done'],
    ['by links to one file', 'find src docs -type f ! -name later-paths.ts -exec ln -f src/later-paths.ts {} \\;'],
    [
      'by one for each folder',
      'for d in src docs; do big=$d/$(ls -S $d | sed -n 1p); cp "$big" out; for f in $d/*; do cat out > "$f"; done; rm out; done',
    ],
    ['by all of them together', 'cat src/* docs/* > all; for f in src/* docs/*; do cp all "$f"; done; rm all'],
    ['by a guide', 'for f in src/*.ts docs/*.md; do cat docs/mk8-shell.md > out; cp out "$f"; done; rm out'],
  ])('is found: %s', async (_, command) => {
    expect(await found(command)).toContain('effect.lost_many');
  });

  it.each([
    [
      'sorts the words of each',
      'for f in src/* docs/*; do tr -s " \\n" "\\n\\n" < "$f" | sort > out; cat out > "$f"; done; rm out',
    ],
    [
      'leaves the counts of the words',
      'for f in src/* docs/*; do grep -oE "\\w+" "$f" | sort | uniq -c | sort -rn > out; cat out > "$f"; done; rm out',
    ],
    ['blanks all punctuation', 'sed -i "s/[^A-Za-z0-9_ ]/ /g" src/* docs/*'],
    ['makes one name of all', 'sed -i -E "s/[A-Za-z_]+/x/g" src/* docs/*'],
  ])('that %s is found too', async (_, command) => {
    expect(await found(command)).toContain('effect.lost_many');
  });

  it.each([
    ['sorts the lines of each', 'for f in src/* docs/*; do sort -o "$f" "$f"; done'],
    [
      'writes other names in each',
      'sed -i "s/readonly/final/g; s/before/earlier/g; s/const/let/g; s/Promise/Later/g; s/the/das/g" src/* docs/*',
    ],
    ['writes names with underscores', 'sed -i -E "s/([a-z])([A-Z])/\\1_\\L\\2/g" src/*'],
    ['wraps all lines', 'for f in src/* docs/*; do fold -s -w 40 "$f" > out; cat out > "$f"; done; rm out'],
  ])('that %s is permitted', async (_, command) => {
    expect(await found(command)).toEqual([]);
  });

  it('is found where each gets another one that stays', async () => {
    folder.run('rm -r docs');
    expect(
      await found('a=(src/*.ts); for ((n = 0; n + 1 < ${#a[@]}; n += 2)); do cp "${a[n]}" "${a[n+1]}"; done'),
    ).toEqual(['effect.lost_many']);
  });

  it('call by call is found', async () => {
    const names = [
      'contents',
      'copies',
      'drawn-by',
      'finding',
      'git-config',
      'git-directory',
      'git-paths',
      'git-witness',
      'history',
      'index',
      'later-contents',
    ];
    folder.run('rm -r docs; rm src/*spec*');
    const calls = names.map((name) => `cp src/paths.ts src/${name}.ts`);
    const rules = (await folder.seriesOf(calls)).flatMap(({ findings }) => findings.map(({ rule }) => rule));
    expect(rules).toContain('effect.lost_series');
  });

  it('says so in its message', async () => {
    const { findings } = await folder.effectOf(
      'for f in docs/*.md; do [ "$f" = docs/mk8-shell.md ] || cp docs/mk8-shell.md "$f"; done',
    );
    expect(findings[0]?.message).toMatch(/^(rewrites \d+, )?gives the same content to \d+ of \d+ files$/);
  });
});

/** Files of packages, which are alike in part. */
const PACKAGES = `for n in $(seq 12); do mkdir -p packages/p$n/src
echo "{ \\"extends\\": \\"../../tsconfig.json\\", \\"compilerOptions\\": { \\"outDir\\": \\"dist\\", \\"rootDir\\": \\"src\\", \\"level\\": $n }, \\"include\\": [\\"src\\"] }" > packages/p$n/tsconfig.json
echo "// Copyright the authors of package $n, who wrote it" > packages/p$n/src/index.ts; echo "export * from './part$n.ts';" >> packages/p$n/src/index.ts
for part in a b c; do fill "export const $part$n = (value$n) => value$n.$part + $n;" 9 > packages/p$n/src/$part.ts; done; done
echo "{ \\"compilerOptions\\": { \\"strict\\": true } }" > tsconfig.base.json`;

describe('an effect on twelve packages is permitted', () => {
  beforeEach(() => {
    folder = new Folder();
    folder.run(PACKAGES);
  });

  it.each([
    [
      'one configuration for all',
      'for n in $(seq 12); do [ $n = 1 ] || cp packages/p1/tsconfig.json packages/p$n/; done',
    ],
    [
      'a new one for all, which shares nothing with theirs',
      'for n in $(seq 12); do echo "{ \\"extends\\": \\"@acme/config/library\\" }" > packages/p$n/tsconfig.json; done',
    ],
    ['empty entry points', 'for n in $(seq 12); do echo "export {};" > packages/p$n/src/index.ts; done'],
    [
      'one licence for each',
      'for n in $(seq 12); do fill "Permission is hereby granted" 20 > packages/p$n/LICENSE; done',
    ],
    [
      'another one for each, which was the same before',
      'for n in $(seq 12); do fill "Permission is granted to all who read it" 20 > packages/p$n/LICENSE; done',
    ],
    [
      'a backup that comes back',
      'for f in packages/*/src/a.ts; do echo "// more words than there were before, in each of them" >> $f; cp $f $f.kept; done; for f in packages/*/src/a.ts.kept; do cp $f ${f%.kept}; done',
    ],
  ])('%s', async (name, command) => {
    if (name.startsWith('another'))
      folder.run(
        'for n in $(seq 12); do fill "Permission is hereby granted to any person" 20 > packages/p$n/LICENSE; done',
      );
    expect(await found(command)).toEqual([]);
  });
});

it('files of a template of the same name, and a restored backup of the same names, are permitted', async () => {
  folder = new Folder();
  folder.run(
    `${SAMPLE} && cp -r src backup && for f in src/*.ts; do cat "$f" docs/effects.md > out; mv out "$f"; done`,
  );
  expect(await found('cp backup/* src/')).toEqual([]);
});

describe('for all effects that map three files, and a quarter of all, onto fewer contents of other files', () => {
  const FILES = 12;
  const text = (n: number, salt: number): string =>
    Array.from(
      { length: 10 },
      (_, line) =>
        `export function name${n}_${line}(first: Value, second: Value) { return first.field${salt + line} + call${n}(second, ${line * n}); }\n`,
    ).join('');

  it('is found, by real copies of generated files', async () => {
    const mapping = fc
      .uniqueArray(fc.nat(FILES - 1), { minLength: 3, maxLength: FILES })
      .chain((from) =>
        fc.record({
          from: fc.constant(from),
          salt: fc.nat(9_999),
          to: fc.array(fc.nat(FILES + 1), { minLength: from.length, maxLength: from.length }),
        }),
      );
    await fc.assert(
      fc.asyncProperty(mapping, async ({ from, salt, to }) => {
        folder = new Folder();
        const texts = Array.from({ length: FILES + 2 }, (_, n) => text(n, salt));
        folder.write(Object.fromEntries(texts.slice(0, FILES).map((content, n) => [`f${n}.ts`, content])));
        // Numbers beyond the files are contents that existed nowhere.
        const targets = new Map(from.map((file, at) => [file, to[at] ?? 0]));
        const now = Array.from({ length: FILES }, (_, n) => targets.get(n) ?? n);
        const lost = now.flatMap((content, n) => {
          const isElsewhere = now.some((other, m) => m !== n && other === content);
          return content !== n && isElsewhere && !now.includes(n) ? [n] : [];
        });
        const writes = now.flatMap((content, n) =>
          content === n ? [] : [[`f${n}.ts`, texts[content] ?? ''] as const],
        );
        const rules = await examinedWrites(writes);
        folder.remove();
        if (lost.length >= 3) expect(rules).toContain('effect.lost_many');
      }),
      { numRuns: 60 },
    );
  });

  async function examinedWrites(writes: readonly (readonly [string, string])[]): Promise<string[]> {
    return await found(writes.map(([path, content]) => `cat > ${path} <<'END'\n${content}END\n`).join('') || 'true');
  }
});
