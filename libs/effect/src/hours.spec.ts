// SPDX-License-Identifier: Apache-2.0
// Five hours of ordinary work, as an agent does it call by call, without commits of git unless stated. None of it may
// need an approval.
import { repository, type Folder } from './folder.contract.ts';
import { completeEffectSettings } from './settings.ts';

/** Writes a source of that many lines with words that occur in no other one. */
const WRITE =
  'write() { mkdir -p "$(dirname "$1")"; for ((line = 0; line < $2; line += 1)); do echo "export const $3_$line = (input_$3, option_$line) => $3.call_$line(input_$3)"; done > "$1"; }; ';
const module = (n: number): string => `src/part${Math.floor(n / 10)}/module${n}.js`;

const HOURS: readonly (readonly [name: string, calls: readonly string[]])[] = [
  [
    'a feature: new modules, edits of those that use them, tests, notes that are deleted again',
    [
      ...[0, 1, 2, 3].map((n) => `${WRITE} write src/feature/step${n}.js 20 feature${n}`),
      ...[0, 1, 2, 3, 4, 5].map(
        (n) => `sed -i "1i import { feature${n % 4}_0 } from '../feature/step${n % 4}.js'" ${module(n)}`,
      ),
      ...[0, 1, 2, 3].map((n) => `${WRITE} write test/step${n}.spec.js 12 spec${n}`),
      'echo "notes on what to do next" > NOTES.md',
      `${WRITE} write src/feature/step1.js 25 other1`,
      `${WRITE} write src/feature/step2.js 25 other2`,
      'rm src/feature/step3.js test/step3.spec.js',
      'rm NOTES.md',
      'sed -i "s/1.0.0/1.1.0/" package.json',
    ],
  ],
  [
    'a refactoring that splits modules, rewrites others and deletes what is left over',
    [
      ...[0, 1].flatMap((n) => [
        `head -6 ${module(n)} > src/part0/first${n}.js`,
        `tail -6 ${module(n)} > src/part0/second${n}.js`,
        `rm ${module(n)}`,
      ]),
      ...[2, 3, 4, 5, 10, 11, 12].map((n) => `${WRITE} write ${module(n)} 14 rewritten${n}`),
      ...[6, 7, 8, 9].map((n) => `sed -i "s/first/left/g; s/second/right/g" ${module(n)}`),
      ...[6, 7].map((n) => `mv ${module(n)} src/part0/renamed${n}.js`),
      ...[6, 7].map((n) => `sed -i "s/left/start/g" src/part0/renamed${n}.js`),
      'rm src/part0/first0.js',
      'cat src/part0/second0.js >> src/part0/second1.js && rm src/part0/second0.js',
    ],
  ],
  [
    'a migration to another language, file by file',
    [
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].flatMap((n) => {
        const to = module(n).replace('.js', '.ts');
        return [
          `mv ${module(n)} ${to}`,
          `sed -i "s/(first, second)/(first: Value, second: Value): number/; 1i import type { Value } from './value.ts'" ${to}`,
        ];
      }),
      'echo "export interface Value { field: number }" > src/part0/value.ts',
      'echo "{\\"compilerOptions\\":{\\"strict\\":true}}" > tsconfig.json',
    ],
  ],
  [
    'repairs: try, look, go back, try otherwise',
    [
      ...[0, 1, 2].flatMap((n) => [
        `cp ${module(n)} /tmp/writ-kept-$PPID-${n} && ${WRITE} write ${module(n)} 8 tried${n}`,
        `git checkout -q ${module(n)}`,
        `sed -i "3,5d" ${module(n)}`,
        `sed -i "1i // repaired" ${module(n)}`,
      ]),
      'echo "console.log(1)" > debug.js',
      'echo "console.log(2)" > debug2.js',
      'rm debug.js debug2.js',
      'git stash -q',
      'git stash pop -q',
      'rm -f /tmp/writ-kept-*',
      'sed -i "s/sample/example/" README.md',
      'git commit -qam repaired',
    ],
  ],
  [
    'a clean-up with commits: dead modules go, others are generated or formatted anew',
    [
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `git rm -q ${module(n)} && git commit -qm "remove module${n}"`),
      'find src -name "*.js" | xargs sed -i "s/; }/;\\n}/; s/{ return/{\\n  return/"',
      'git commit -qam format',
      ...[8, 9, 10].map((n) => `${WRITE} write ${module(n)} 15 anew${n}; git add -A; git commit -qm "rewrite ${n}"`),
      'mkdir -p src/api && for n in $(seq 30); do echo "// @generated" > src/api/$n.js; echo "export const a$n = 1" >> src/api/$n.js; done',
      'rm -r src/api',
    ],
  ],
];

describe.each([24, 60])('an hour on a repository of %i files is permitted:', (count) => {
  let folder: Folder;
  beforeEach(() => {
    folder = repository(count, true);
  });
  afterEach(() => {
    folder.remove();
  });

  it('and would need approval if each rewritten file counted in full', async () => {
    const [, calls] = HOURS[1] ?? ['', []];
    const examined = await folder.seriesOf(calls, completeEffectSettings({ lost_series: { factor: 1 } }));
    expect(examined.some(({ findings }) => findings.length > 0)).toBe(count === 24);
  });

  it.each(HOURS)('%s', async (_, calls) => {
    const examined = await folder.seriesOf(calls);
    expect(
      examined.flatMap(({ findings }, at) => findings.map(({ rule, message }) => [calls[at], rule, message])),
    ).toEqual([]);
  });
});
