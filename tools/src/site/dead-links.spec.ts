// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deadLinksOf } from './dead-links.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-site-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const dead = (): string[] => deadLinksOf(folder, '/docs/').map(({ page, href }) => `${page}: ${href}`);

test('links to pages, to headings of pages, to files and to other sites are alive', () => {
  write('style.css', '');
  write('index.html', '<h1 id="a-title">A</h1>');
  write(
    'how-to/a.html',
    '<link href="/docs/style.css"><a href="../index.html#a-title"></a><a href="/docs/"></a><a href="#b&amp;c"></a><p id="b&amp;c">' +
      '<a href="https://example.org/x"></a><a href="mailto:a@example.org"></a>',
  );
  expect(dead()).toEqual([]);
});

test('links to a page, a heading, a picture and a script that are not there are dead', () => {
  write(
    'index.html',
    '<a href="gone.html">x</a><a class="y" href="#gone"></a><img src="/docs/gone.png"><script src="/docs/gone.js"></script>' +
      '<a href="a.html#gone"></a><a href="/elsewhere.html"></a>',
  );
  write('a.html', '<h1 id="there"></h1>');
  expect(dead().map((line) => line.replace('index.html: ', ''))).toEqual([
    'gone.html',
    '#gone',
    '/docs/gone.png',
    '/docs/gone.js',
    'a.html#gone',
    '/elsewhere.html',
  ]);
});

test('a link to the pages of the API is alive, which a running Writ serves beside the site', () => {
  write('index.html', '<a href="/docs/api/">API</a><a href="/docs/api/gone.html"></a>');
  expect(dead()).toEqual(['index.html: /docs/api/gone.html']);
});
