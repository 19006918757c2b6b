// SPDX-License-Identifier: Apache-2.0
import { Parser } from 'htmlparser2';

/** What a reader does not see. */
const UNSEEN = new Set(['head', 'script', 'style', 'template', 'noscript', 'svg', 'object']);
/** What begins and ends a line. */
const BLOCKS = new Set(
  'address article aside blockquote dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header li main ol p pre section table tr ul'.split(
    ' ',
  ),
);

/** Open elements: mails have some sixty. The parser looks through all of them at each end tag that ends none. */
const DEPTH_MAX = 256;

/**
 * The text of an HTML document, a line for each block. Total: any text is HTML. Its time grows with the length alone:
 * what follows too many open elements is read without its tags.
 */
export function htmlText(html: string): string {
  const pieces: string[] = [];
  let [unseen, depth] = [0, 0];
  const parser = new Parser({
    onopentagname: (name) => {
      depth += 1;
      if (depth > DEPTH_MAX) parser.pause();
      if (UNSEEN.has(name)) unseen += 1;
      else if (BLOCKS.has(name) || name === 'br' || name === 'hr') pieces.push('\n');
      else if (name === 'td' || name === 'th') pieces.push(' ');
    },
    onclosetag: (name) => {
      depth -= 1;
      if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1);
      else if (BLOCKS.has(name)) pieces.push('\n');
    },
    ontext: (text) => {
      if (unseen === 0) pieces.push(text.replace(/\s+/g, ' '));
    },
  });
  parser.write(html);
  if (depth > DEPTH_MAX) return `${pieces.join('')}${html.slice(parser.endIndex + 1).replace(/<[^<>]*>/g, ' ')}`;
  parser.end();
  return pieces.join('');
}
