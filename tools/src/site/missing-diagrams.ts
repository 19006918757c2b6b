// SPDX-License-Identifier: Apache-2.0
// Compares the diagrams of the documents with those of the site as it was built.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPage, type Pages } from './pages.ts';

const SOURCE = /^```mermaid$/gm;
const DRAWN = /<div class="diagram"><svg /g;

const countIn = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

/** Lists the documents whose page has fewer or more diagrams than the document, or isn't there. */
export const missingDiagrams = (checkout: string, folder: string, pages: Pages): string[] =>
  [...pages]
    .filter(([source, place]) => {
      const file = join(folder, place.replace(/\.md$/, '.html'));
      const html = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return countIn(readPage(checkout, source), SOURCE) !== countIn(html, DRAWN);
    })
    .map(([source]) => source);
