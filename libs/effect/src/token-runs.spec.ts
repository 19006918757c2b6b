// SPDX-License-Identifier: Apache-2.0
// ADR 0099 has figures for more sources and more transformations.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareContents } from './compare-contents.ts';
import { commonRuns } from './token-runs.ts';

const read = (directory: string, ending: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(directory, name), 'latin1'));
const SOURCES = read(import.meta.dirname, '.ts');
const DOCS = join(import.meta.dirname, '../../../docs');
const GUIDES = ['tutorials', 'how-to', 'reference', 'explanation'].flatMap((part) => read(join(DOCS, part), '.md'));
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

type To = (text: string) => string;
/** How many of the texts are lost: less than a fifth of their words is left, or less than 0.15 of their order. */
function shareLost(texts: readonly string[], to: To): number {
  const lost = texts.filter((text) => {
    const { kept, ordered } = compareContents(bytes(text), bytes(to(text)));
    return kept < 0.2 || ordered < 0.15;
  });
  return lost.length / texts.length;
}

function commonest(text: string, count: number): ReadonlySet<string> {
  const counts = Map.groupBy(text.match(/[A-Za-z_]\w*/g) ?? [], (name) => name);
  return new Set(
    [...counts]
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, count)
      .map(([name]) => name),
  );
}
const renamed =
  (count: number): To =>
  (text) => {
    const names = commonest(text, count);
    return text.replaceAll(/[A-Za-z_]\w*/g, (name) =>
      names.has(name) ? `other${[...name].reverse().join('')}` : name,
    );
  };
const sortedBy = (text: string, parted: RegExp, by: string): string => text.split(parted).sort().join(by);
const KEYWORDS =
  /^(?:const|let|function|return|if|for|of|new|import|from|export|type|interface|class|readonly|private|async|await)$/;

const HARMLESS: readonly (readonly [name: string, to: To])[] = [
  ['its commonest name is another', renamed(1)],
  ['its ten commonest words are others', renamed(10)],
  [
    'its names are written with underscores',
    (text) => text.replaceAll(/[a-z][a-zA-Z]*/g, (name) => name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)),
  ],
  ['semicolons are left out', (text) => text.replaceAll(/;$/gm, '')],
  ['quotes are others', (text) => text.replaceAll("'", '"')],
  ['it stands on one line', (text) => text.replaceAll(/\s+/g, ' ')],
  ['each word stands on a line', (text) => text.replaceAll(/\s+/g, '\n')],
  [
    'lines are wrapped, with trailing commas',
    (text) => text.replaceAll(/([\w'])\s*\)/g, '$1,\n)').replaceAll(/([{(])/g, '$1\n'),
  ],
  ['lines end with CRLF', (text) => text.replaceAll('\n', '\r\n')],
  ['tabs stand for spaces', (text) => text.replaceAll('  ', '\t')],
  ['it has a header', (text) => `// SPDX-License-Identifier: Apache-2.0\n${text}`],
  ['its lines are sorted', (text) => sortedBy(text, /\n/, '\n')],
  ['its paragraphs stand the other way round', (text) => text.split('\n\n').reverse().join('\n\n')],
  [
    'its comments are in another language',
    (text) =>
      text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, (comment) =>
        comment.replaceAll(/[a-z]+/gi, (word) => `${[...word].reverse().join('')}en`),
      ),
  ],
  ['each parameter has a type', (text) => text.replaceAll(/([(,] ?)(\w+)(?=[,)])/g, '$1$2: Value')],
];
const GARBLES: readonly (readonly [name: string, to: To])[] = [
  ['its words are sorted', (text) => sortedBy(text, /\s+/, '\n')],
  ['its words stand the other way round', (text) => text.split(/\s+/).reverse().join(' ')],
  [
    'its words are counted',
    (text) =>
      [...Map.groupBy(text.match(/\w+/g) ?? [], (word) => word)]
        .map(([word, all]) => `${all.length} ${word}`)
        .join('\n'),
  ],
  ['all names are one', (text) => text.replaceAll(/[A-Za-z_]\w*/g, (name) => (KEYWORDS.test(name) ? name : 'x'))],
];

describe('of real texts', () => {
  it.each(HARMLESS)('fewer than one in twenty is lost where %s', (_, to) => {
    expect(shareLost(SOURCES, to)).toBeLessThan(0.05);
    expect(shareLost(GUIDES, to)).toBeLessThan(0.05);
  });

  it.each(GARBLES)('more than a quarter is lost where %s', (_, to) => {
    expect(shareLost(SOURCES, to)).toBeGreaterThan(0.25);
    expect(shareLost(GUIDES, to)).toBeGreaterThan(0.25);
  });

  it('more than a quarter of sources is lost where all punctuation is blank; prose is not', () => {
    const blanked: To = (text) => text.replaceAll(/[^\w\s]/g, ' ');
    expect(shareLost(SOURCES, blanked)).toBeGreaterThan(0.25);
    // A guide that consists of configurations is no prose.
    expect(shareLost(GUIDES, blanked)).toBeLessThan(0.05);
  });

  it('none is like another by three quarters, and each is like itself', () => {
    for (const texts of [SOURCES, GUIDES]) {
      const likeness = texts.map((text, n) => commonRuns(bytes(text), bytes(texts.at(n - 1) ?? ''))?.alike ?? 0);
      expect(Math.max(...likeness)).toBeLessThan(0.75);
      for (const text of texts) expect(commonRuns(bytes(text), bytes(text))).toEqual({ ordered: 1, alike: 1 });
    }
  });
});

it('a list of words that is sorted keeps its lines', () => {
  const list = Array.from({ length: 200 }, (_, n) => `word${(n * 7_919) % 200}`);
  expect(commonRuns(bytes(list.join('\n')), bytes(list.toSorted().join('\n')))?.ordered).toBe(1);
});

it.each(['a ', 'a,', 'a\n', '\n', '_', 'ab,c d\n'])(
  'takes little time and room for 16 MiB of `%j`, and finds them equal',
  (unit) => {
    const long = Buffer.alloc(16 * 1024 * 1024, unit);
    const begun = process.cpuUsage();
    expect([null, 1]).toContain(commonRuns(long, long)?.ordered ?? null);
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1e6).toBeLessThan(6);
  },
);

it('a long text is compared by a sample of its runs, with the same result', () => {
  const long = bytes(
    SOURCES.join('\n')
      .repeat(8)
      .replaceAll(/name/g, (name, at: number) => `${name}${at}`),
  );
  const half = long.subarray(0, long.byteLength / 2);
  const { ordered, alike } = commonRuns(long, half) ?? { ordered: 0, alike: 0 };
  expect(long.byteLength).toBeGreaterThan(1024 * 1024);
  for (const share of [ordered, alike]) expect(Math.abs(share - 0.5)).toBeLessThan(0.02);
});
