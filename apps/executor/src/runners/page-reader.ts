// SPDX-License-Identifier: Apache-2.0
// The worker thread that parses an untrusted page. It runs and fetches nothing of the page, and only reads a tree of
// nodes.
import { parentPort, workerData } from 'node:worker_threads';
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';

/** More nodes than the longest article has. */
const NODES_MAX = 200_000;
/** Elements without readable text. */
const UNREAD = 'script, style, noscript, template, iframe, object, svg, head, title';

const { html } = workerData as { html: string };
// A page may omit its `html` element, and then this parser finds no document.
const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
const title = document.querySelector('title')?.textContent?.trim() || null;
const article = isProbablyReaderable(document)
  ? new Readability(document.cloneNode(true) as ConstructorParameters<typeof Readability>[0], {
      maxElemsToParse: NODES_MAX,
      charThreshold: 200,
    }).parse()
  : null;
const text = article?.textContent ?? plain();
parentPort?.postMessage({
  title: article?.title ?? title,
  text: text
    .replaceAll(/[ \t\u00A0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim(),
});

/** The visible text of a page that is no article. */
function plain(): string {
  for (const element of document.querySelectorAll(UNREAD)) element.remove();
  return document.body?.textContent ?? document.documentElement?.textContent ?? '';
}
