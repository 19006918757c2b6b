// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { DefaultTheme, UserConfig } from 'vitepress';
import { packageFolders } from '../build/bundled-packages.ts';
import { documentPaths } from '../docs/prose.ts';
import { adaptMarkdown, slugify } from './markdown.ts';
import { makeSidebars } from './navigation.ts';
import { addressOf, findPages, type Pages } from './pages.ts';
import { readSettings, type SiteSettings } from './settings.ts';

/** The links in the top bar: the index's sections are in the sidebar. */
const barOf = (pages: Pages, base: string): DefaultTheme.NavItem[] => {
  const entry = (text: string, source: string): DefaultTheme.NavItem[] => {
    const place = pages.get(source);
    return place === undefined ? [] : [{ text, link: addressOf(place) }];
  };
  return [
    ...entry('Operations', 'docs/operations/README.md'),
    ...entry('Architecture', 'ARCHITECTURE.md'),
    ...entry('Decisions', 'docs/adr/README.md'),
    ...entry('Glossary', 'GLOSSARY.md'),
    // Only a running Writ serves it beside the site.
    ...(base === SERVED_AT ? [{ text: 'API', link: '/api/', target: '_self' }] : []),
  ];
};

/** The path of the site on a running Writ. */
const SERVED_AT = '/docs/';

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g;

/**
 * Moves a page's inline scripts into files of the site: the pages' content security policy allows none. They stay
 * blocking, since they choose the colours before the first paint.
 */
export const moveScripts = (html: string, base: string, write: (name: string, text: string) => void): string =>
  html.replaceAll(INLINE_SCRIPT, (_whole, text: string) => {
    const name = `assets/inline.${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`;
    write(name, text);
    return `<script src="${base}${name}"></script>`;
  });

type Plugin = NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number];

/** Saves the list of packages in the site's scripts, beside the site. */
const notePackages = (checkout: string, outDir: string): Plugin => ({
  name: 'site-packages',
  // Code that only renders the pages at build time is not shipped.
  apply: (_config, { isSsrBuild = false }) => !isSsrBuild,
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    const paths = modules.map((id) => relative(checkout, id.replace(/^\0/, '')));
    writeFileSync(`${outDir}.packages.json`, JSON.stringify(packageFolders(checkout, paths)));
  },
});

/** The site's VitePress configuration. */
export const siteConfiguration = (
  checkout: string,
  { base, repository, outDir }: SiteSettings = readSettings(checkout, process.env),
): UserConfig<DefaultTheme.Config> => {
  const pages = findPages(checkout);
  return {
    title: 'Writ',
    description: 'Runs the tool calls of AI agents under a policy kernel, with signed receipts',
    base,
    // Otherwise browsers request an icon from the server's root.
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    srcDir: checkout,
    srcExclude: ['**/dist/**', ...documentPaths(checkout).filter((path) => !pages.has(path))],
    outDir,
    cacheDir: join(checkout, '.writ', 'cache', 'vitepress'),
    rewrites: Object.fromEntries(pages),
    // tools/src/site/dead-links.ts checks the built pages' links, with anchors and pictures.
    ignoreDeadLinks: true,
    metaChunk: true,
    // The pages' policy allows no inline style.
    appearance: { disableTransition: false },
    markdown: { attrs: { disable: true }, anchor: { slugify }, config: adaptMarkdown({ checkout, pages, repository }) },
    vite: { plugins: [notePackages(checkout, outDir)] },
    themeConfig: {
      nav: barOf(pages, base),
      sidebar: makeSidebars(checkout, pages) as DefaultTheme.Sidebar,
      outline: [2, 3],
      search: { provider: 'local' },
      docFooter: { prev: false, next: false },
      externalLinkIcon: true,
    },
    transformHtml: (html) =>
      moveScripts(html, base, (name, text) => {
        mkdirSync(join(outDir, 'assets'), { recursive: true });
        writeFileSync(join(outDir, name), text);
      }),
  };
};
