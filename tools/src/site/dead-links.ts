// SPDX-License-Identifier: Apache-2.0
// Checks every link of the built site: between pages, to headings, pictures, scripts and styles.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A dead link of a page: the page's path below the site's root, and the address. */
export interface DeadLink {
  readonly page: string;
  readonly href: string;
}

const TAG = /<(?:a|img|link|script|source)\b[^>]*>/g;
const ADDRESS = /\s(?:href|src)="([^"]*)"/g;
const ANCHOR = /\s(?:id|name)="([^"]*)"/g;

const decodeEntities = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** A base for the site's addresses, which is never requested. */
const ORIGIN = 'http://site.invalid';

/**
 * Lists the dead links of a site.
 *
 * @param folder the built site
 * @param base the site's path on its server, with a slash at either end
 */
export const deadLinksOf = (folder: string, base: string): DeadLink[] => {
  const pages = globSync('**/*.html', { cwd: folder }).sort();
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (page: string): ReadonlySet<string> => {
    const found =
      anchors.get(page) ??
      new Set([...(texts.get(page) ?? '').matchAll(ANCHOR)].map(([, id = '']) => decodeEntities(id)));
    anchors.set(page, found);
    return found;
  };
  const isDead = (page: string, href: string): boolean => {
    const url = new URL(href, `${ORIGIN}${base}${page}`);
    // The service of the site serves the API's pages too.
    if (url.origin !== ORIGIN || url.pathname === `${base}api/`) return false;
    if (!url.pathname.startsWith(base)) return true;
    const path = decodeURIComponent(url.pathname.slice(base.length)).replace(/(^|\/)$/, '$1index.html');
    const anchor = decodeURIComponent(url.hash.slice(1));
    return !existsSync(join(folder, path)) || (anchor !== '' && !anchorsOf(path).has(anchor));
  };
  return [...texts].flatMap(([page, text]) => {
    const hrefs = new Set(
      [...text.matchAll(TAG)].flatMap(([tag]) =>
        [...tag.matchAll(ADDRESS)].map(([, href = '']) => decodeEntities(href)),
      ),
    );
    return [...hrefs].filter((href) => isDead(page, href)).map((href) => ({ page, href }));
  });
};
