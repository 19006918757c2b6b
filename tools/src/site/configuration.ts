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

/** The parts of the bar at the top: the sections of the index have theirs in the sidebar. */
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
    // Served beside the site by a running Writ, and by nothing else.
    ...(base === SERVED_AT ? [{ text: 'API', link: '/api/', target: '_self' }] : []),
  ];
};

/** Where a running Writ serves the site. */
const SERVED_AT = '/docs/';

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g;

/**
 * Moves the scripts of a page into files of the site: the policy of the pages allows none that stand in a page. They
 * block as before, since they choose the colours before anything is shown.
 */
export const moveScripts = (html: string, base: string, write: (name: string, text: string) => void): string =>
  html.replaceAll(INLINE_SCRIPT, (_whole, text: string) => {
    const name = `assets/inline.${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`;
    write(name, text);
    return `<script src="${base}${name}"></script>`;
  });

type Plugin = NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number];

/** Writes down the packages of the scripts that the site's readers get, beside the site. */
const notePackages = (checkout: string, outDir: string): Plugin => ({
  name: 'site-packages',
  // What renders the pages while they are built goes nowhere.
  apply: (_config, { isSsrBuild = false }) => !isSsrBuild,
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    const paths = modules.map((id) => relative(checkout, id.replace(/^\0/, '')));
    writeFileSync(`${outDir}.packages.json`, JSON.stringify(packageFolders(checkout, paths)));
  },
});

/** VitePress' configuration of the site. */
export const siteConfiguration = (
  checkout: string,
  { base, repository, outDir }: SiteSettings = readSettings(checkout, process.env),
): UserConfig<DefaultTheme.Config> => {
  const pages = findPages(checkout);
  return {
    title: 'Writ',
    description: 'Runs the tool calls of AI agents under a policy kernel, with signed receipts',
    base,
    // Browsers would ask the server's root for a picture otherwise.
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    srcDir: checkout,
    srcExclude: ['**/dist/**', ...documentPaths(checkout).filter((path) => !pages.has(path))],
    outDir,
    cacheDir: join(checkout, '.writ', 'cache', 'vitepress'),
    rewrites: Object.fromEntries(pages),
    // tools/src/site/dead-links.ts follows the links of the pages as they were built, anchors and pictures included.
    ignoreDeadLinks: true,
    metaChunk: true,
    // A style that is made in a page would be against its policy.
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
