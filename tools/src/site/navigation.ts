// SPDX-License-Identifier: Apache-2.0
// The navigation of the site. The index page determines its entries and their order.
import { posix } from 'node:path';
import { addressOf, INDEX, plain, readPage, targetOf, titleOf, type Pages } from './pages.ts';

/** An entry of the sidebar, in VitePress' format. */
export interface Entry {
  readonly text: string;
  /** absolute, below the site's root */
  readonly link?: string;
  readonly items?: readonly Entry[];
  readonly collapsed?: boolean;
}

/** A section of an index page: links, in groups with the paragraph before each list as title. */
interface Section {
  readonly title: string;
  readonly groups: readonly { readonly title: string | null; readonly links: readonly Link[] }[];
}
interface Link {
  readonly text: string;
  readonly href: string;
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

const linksIn = (text: string): Link[] =>
  [...text.matchAll(LINK)].map(([, label = '', href = '']) => ({ text: plain(label), href }));

/** The first link of each list item. An item that begins with text is no entry. */
const listLinks = (block: string): Link[] =>
  block
    .split(/^[-*] +/m)
    .filter((item) => item.startsWith('['))
    .flatMap((item) => linksIn(item).slice(0, 1));

/** The links in the first cell of each row. */
const tableLinks = (block: string): Link[] =>
  block.split('\n').flatMap((row) => {
    const [, first = '', second = ''] = row.split('|');
    const links = linksIn(first);
    // A bare number is no title: the decision is in the next cell.
    return links.map(({ text, href }) => ({ text: /^\d+$/.test(text) ? `${text}. ${plain(second)}` : text, href }));
  });

const sectionOf = (title: string, body: string): Section => {
  const groups: { title: string | null; links: Link[] }[] = [];
  let name: string | null = null;
  const paragraphs: string[] = [];
  for (const block of body.split(/\n{2,}/).map((text) => text.trim())) {
    if (/^[-*] /.test(block)) groups.push({ title: name, links: listLinks(block) });
    else if (block.startsWith('|')) groups.push({ title: name, links: tableLinks(block) });
    else paragraphs.push(block);
    name = block.endsWith(':') ? plain(block.slice(0, -1)) : null;
  }
  // A section without lists uses the links in its sentences. The page's introduction is ignored.
  return {
    title,
    groups: groups.length > 0 || title === '' ? groups : [{ title: null, links: linksIn(paragraphs.join('\n')) }],
  };
};

/** Parses an index page. The part before the first second-level heading has an empty title. */
export const parseIndex = (text: string): Section[] =>
  text
    .replaceAll(/^(`{3,})[^]*?^\1 *$/gm, '')
    .split(/^## +/m)
    .map((part, index) => {
      const end = index === 0 ? 0 : part.indexOf('\n');
      return sectionOf(index === 0 ? '' : plain(part.slice(0, end)), part.slice(Math.max(end, 0)));
    });

/** Folders whose pages have their own sidebar without an index page. */
const LISTED = ['docs/errors'] as const;

/** The sidebars of a site, by the pages' address prefix. */
export type Sidebars = Readonly<Record<string, readonly Entry[]>>;

const folderOf = (address: string): string => address.slice(0, address.lastIndexOf('/') + 1);

/** Builds one sidebar: the entries of index pages, each page once. */
class SidebarMaker {
  readonly #checkout: string;
  readonly #pages: Pages;
  readonly #named = new Set<string>();

  constructor(checkout: string, pages: Pages) {
    this.#checkout = checkout;
    this.#pages = pages;
  }

  /** The entries of an index page, in its order and under its headings. Collapsed ones can be opened. */
  named(source: string, collapsed: boolean): Entry[] {
    return parseIndex(readPage(this.#checkout, source)).flatMap(({ title, groups }) => {
      const entries = groups.flatMap((group) => {
        const items = group.links.flatMap((link) => this.#entryOf(source, link));
        return group.title === null || items.length === 0 ? items : [{ text: group.title, items, collapsed: false }];
      });
      return title === '' || entries.length === 0 ? entries : [{ text: title, items: entries, collapsed }];
    });
  }

  /** The remaining pages, by title. */
  others(isOne: (source: string) => boolean): Entry[] {
    return [...this.#pages.keys()]
      .filter((source) => !this.#named.has(source) && isOne(source))
      .map((source) => this.entry(source));
  }

  entry(source: string, text = titleOf(readPage(this.#checkout, source), source)): Entry {
    this.#named.add(source);
    return { text, link: addressOf(this.#pages.get(source) as string) };
  }

  /** Nothing for a link to no page, or to an earlier entry. A folder without an index gives all its pages. */
  #entryOf(source: string, { text, href }: Link): Entry[] {
    const target = targetOf(source, href);
    if (target === undefined) return [];
    const page = [target.path, `${target.path}/README.md`].find((path) => this.#pages.has(path));
    if (page !== undefined) return this.#named.has(page) ? [] : [this.entry(page, text)];
    const items = this.others((path) => posix.dirname(path) === target.path);
    return items.length === 0 ? [] : [{ text, items, collapsed: true }];
  }
}

/**
 * The sidebars of a checkout's site: one for each folder with an index page or a complete list, and the index's for all
 * other pages. Each page contains its sidebar, so a complete one would be most of the site's size.
 */
export const makeSidebars = (checkout: string, pages: Pages): Sidebars => {
  const back: Entry = { text: 'All documentation', link: '/' };
  const indexes = [...pages].filter(([, place]) => place.endsWith('/index.md')).map(([source]) => source);
  const folders = [
    ...indexes.map((source) => {
      const maker = new SidebarMaker(checkout, pages);
      const [{ text, link }, named] = [maker.entry(source), maker.named(source, true)];
      const prefix = addressOf(pages.get(source) as string);
      const rest = maker.others((path) => folderOf(addressOf(pages.get(path) as string)) === prefix);
      return { prefix, entries: [back, { text, link, items: [...named, ...rest], collapsed: false }] };
    }),
    ...LISTED.map((folder) => {
      const items = new SidebarMaker(checkout, pages).others((path) => posix.dirname(path) === folder);
      return { prefix: folderOf(items[0]?.link ?? '/'), entries: [back, { text: 'Errors', items, collapsed: false }] };
    }),
  ].filter(({ prefix }) => prefix !== '/');
  const isApart = (source: string): boolean =>
    folders.some(({ prefix }) => addressOf(pages.get(source) as string).startsWith(prefix));
  return {
    ...Object.fromEntries(folders.map(({ prefix, entries }) => [prefix, entries])),
    '/': mainSidebar(new SidebarMaker(checkout, pages), pages, isApart),
  };
};

/** The sections of the index, followed by the remaining pages. */
const mainSidebar = (maker: SidebarMaker, pages: Pages, isApart: (source: string) => boolean): Entry[] => {
  const front = [...pages].find(([, place]) => place === 'index.md')?.[0];
  if (front !== undefined) maker.entry(front);
  const parts = pages.has(INDEX) ? maker.named(INDEX, false) : [];
  const [error] = maker.others((source) => posix.dirname(source) === LISTED[0]).slice(0, 1);
  const others = maker.others((source) => source.includes('/') && !isApart(source));
  return [
    ...parts,
    {
      text: 'The project',
      items: [
        ...maker.others((source) => !source.includes('/')),
        ...(error === undefined ? [] : [{ ...error, text: 'Errors' }]),
      ],
      collapsed: false,
    },
    { text: 'Other pages', items: others, collapsed: true },
  ].filter(({ items }) => items === undefined || items.length > 0);
};
