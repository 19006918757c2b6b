// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Documents in the checkout's root that belong to the site, if they exist. */
const OF_THE_ROOT = [
  'README.md',
  'GLOSSARY.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
] as const;

/** The index page: the site's front page, and the source of the navigation. */
export const INDEX = 'docs/README.md';

/** Documents for operators in other folders. */
const BESIDE_CODE: Readonly<Record<string, string>> = {
  'helm/writ/README.md': 'operations/chart.md',
  'deploy/compose/README.md': 'operations/compose.md',
};

/** The pages of the site: path in the checkout → path on the site. Both are relative. */
export type Pages = ReadonlyMap<string, string>;

const placeOf = (source: string): string => {
  const openCall = BESIDE_CODE[source];
  if (openCall !== undefined) return openCall;
  if (!source.startsWith('docs/')) return `project/${source.toLowerCase()}`;
  return source.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md');
};

/** Finds the pages of a checkout. Without an index page, the README is the front page. */
export const findPages = (checkout: string): Pages => {
  const sources = globSync([...OF_THE_ROOT, 'docs/**/*.md', ...Object.keys(BESIDE_CODE)], { cwd: checkout }).sort();
  const front = sources.includes(INDEX) ? INDEX : 'README.md';
  return new Map(sources.map((source) => [source, source === front ? 'index.md' : placeOf(source)]));
};

/** The address of a page below the site's root: `/errors/deadline.html`, `/adr/` for an index page. */
export const addressOf = (place: string): string =>
  `/${place.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}`;

/** The title of a document: its first heading, as plain text. */
export const titleOf = (text: string, fallback: string): string => plain(/^# +(.+?) *#*$/m.exec(text)?.[1] ?? fallback);

/** The text of a Markdown line without its markup. */
export const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim();

export const readPage = (checkout: string, source: string): string => readFileSync(join(checkout, source), 'utf8');

/** The target of a document's link. */
export interface Target {
  /** relative to the checkout */
  readonly path: string;
  /** with its `#`, or empty */
  readonly anchor: string;
}

/**
 * Resolves a link of a document within the checkout.
 *
 * @returns undefined for other targets: other sites, mail, anchors of the same page, absolute paths
 */
export const targetOf = (source: string, href: string): Target | undefined => {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(href)) return undefined;
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  return { path: posix.join(posix.dirname(source), decodeURI(path)).replace(/\/$/, ''), anchor };
};
