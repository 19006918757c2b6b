// SPDX-License-Identifier: Apache-2.0
// Verifiable statements of documents: links, tests, variables.
import { existsSync, globSync, readdirSync, readFileSync, type Dirent } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders that tools create in the checkout. */
const NOT_OURS = /(?:^|\/)(?:node_modules|dist|generated|\.writ|\.nx|\.git)$/;

const namesIn = (checkout: string): readonly Dirent[] =>
  readdirSync(checkout, { withFileTypes: true }).filter(({ name }) => !NOT_OURS.test(name));

/** Source files of the checkout, relative to it. */
export function sourcePaths(checkout: string): string[] {
  const pathsIn = (folder: string): string[] =>
    namesIn(join(checkout, folder)).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? pathsIn(path) : [path];
    });
  return pathsIn('').sort();
}

/** Every document for people, relative to the checkout. */
export const documentPaths = (checkout: string): string[] =>
  sourcePaths(checkout).filter((path) => path.endsWith('.md'));

const FENCED = /^( *)(`{3,})[^\n]*\n[^]*?^\1\2 *$/gm;
const CODE = /(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g;

/** The anchor of each heading, by GitHub's rules. */
export function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const slugs = [...text.replaceAll(FENCED, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, title = '']) => {
    const words = title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(words) ?? 0;
    seen.set(words, before + 1);
    return before === 0 ? words : `${words}-${before}`;
  });
  return new Set([...slugs, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)]);
}

/** Relative links of a document to a missing file or heading. */
export function deadLinks(checkout: string, path: string): string[] {
  const text = readFileSync(join(checkout, path), 'utf8')
    .replaceAll(FENCED, '')
    .replaceAll(CODE, (code) => code.replaceAll('](', ' '));
  const targets = [
    ...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
    ...text.matchAll(/^\[[^\]]+\]: +(\S+)/gm),
  ].map(([, target]) => target ?? '');
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [to = '', anchor] = target.split('#');
      const file = to === '' ? join(checkout, path) : join(checkout, dirname(path), decodeURI(to));
      if (!existsSync(file)) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
    });
}

/** Placeholders in a path: `<code>`, `…`. */
const ANY = /<[^>]*>|…/g;
/** Outputs of a build, and files of an operator. */
const MADE = /\/(?:dist|generated|node_modules)(?:\/|$)|^deploy\/compose\/(?:\.env|models|signed-roots)(?:\/|$)/;

/** Missing repository paths in a document's code: words that begin with one of its folders, and names of specs. */
export function missingPaths(
  checkout: string,
  path: string,
  sources: readonly string[] = sourcePaths(checkout),
): string[] {
  const folders = new Set(sources.filter((source) => source.includes('/')).map((source) => source.split('/')[0] ?? ''));
  const text = readFileSync(join(checkout, path), 'utf8').replaceAll(FENCED, '');
  const words = [...text.matchAll(CODE)]
    .flatMap(([, , code = '']) => code.split(/[\s=,;()'"]+/))
    .map((word) => word.replace(/(?::\d+.*|[.:/])$/, ''));
  return words.filter((word) => {
    // `x.spec.ts` stands for any spec.
    if (/^[\w./-]+\.(?:spec|contract)\.ts$/.test(word) && !word.startsWith('x.'))
      return !sources.some((source) => `/${source}`.endsWith(`/${word}`));
    if (!word.includes('/') || !folders.has(word.split('/')[0] ?? '') || MADE.test(word)) return false;
    const pattern = word.replaceAll(ANY, '*');
    if (/[*{[]/.test(pattern)) return globSync(pattern, { cwd: checkout }).length === 0;
    return !sources.some((source) => source === word || source.startsWith(`${word}/`));
  });
}

/** `` `FILE.spec.ts`: "name", "name" ``, and the same for a suite that several adapters share */
const NAMED_TESTS = /`([^`\s]+\.(?:spec|contract)\.ts)`: ((?:"[^"]+"(?:, )?)+)/g;
/** The names in a table or a list under `<!-- tests of: FILE.spec.ts -->`. */
const ROWS_OF_TESTS = /<!-- tests of: (\S+\.spec\.ts) -->\n\n((?:[|-].*\n)+)/g;

/** A formatter wraps paragraphs and list items; test names in them may span two lines. */
const unwrapped = (text: string): string => text.replaceAll(/(?<=\S)\n *(?=[^\s|#<*+-])/g, ' ');

/** Tests that a document names and that are missing in the file. */
export function missingTests(checkout: string, path: string): string[] {
  const text = unwrapped(readFileSync(join(checkout, path), 'utf8'));
  const named = [...text.matchAll(NAMED_TESTS), ...text.replaceAll(NAMED_TESTS, '').matchAll(ROWS_OF_TESTS)];
  return named.flatMap(([, file = '', names = '']) => {
    const spec = existsSync(join(checkout, file))
      ? readFileSync(join(checkout, file), 'utf8').replaceAll("\\'", "'")
      : '';
    return [...names.matchAll(/"([^"]+)"/g)].flatMap(([, name = '']) =>
      spec.includes(name) ? [] : [`${file}: ${name}`],
    );
  });
}

/** Sources that read or document environment variables. */
const READERS = [
  'apps/*/src/config.env.ts',
  'libs/nest-kit/src/common-environment.ts',
  'tools/src/start/environment.ts',
  'tools/src/supervisor/services.ts',
];

/** Names of variables that the code reads. */
export function variablesOf(checkout: string): string[] {
  const texts = READERS.flatMap((pattern) => globSync(pattern, { cwd: checkout })).map((path) =>
    readFileSync(join(checkout, path), 'utf8'),
  );
  const names = texts.flatMap(
    (text) => text.match(/\b(?:WRIT|OTEL|DOCKER|OPENAI|ANTHROPIC|GEMINI)_[A-Z][A-Z_]*[A-Z]\b/g) ?? [],
  );
  return [...new Set(names)].sort();
}
