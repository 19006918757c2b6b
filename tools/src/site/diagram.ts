// SPDX-License-Identifier: Apache-2.0
// Draws the Mermaid diagrams of documents while the site is built, so that a page needs no script for them.
import { createHash } from 'node:crypto';
import { renderMermaidSVG } from 'beautiful-mermaid';

/** Mermaid wraps the lines of a quoted label, and this renderer doesn't. */
const LABEL_CHARS_MAX = 36;
const ID_CHARS = 8;

/** The labels in quotes, whose lines `<br/>` separates. */
const QUOTED = /"([^"]*)"/g;
const BREAK = '<br/>';

const wrapLine = (line: string): string =>
  line
    .split(' ')
    .reduce<string[]>((lines, word) => {
      const last = lines.at(-1);
      const longer = last === undefined ? word : `${last} ${word}`;
      return last === undefined || longer.length > LABEL_CHARS_MAX ? [...lines, word] : [...lines.slice(0, -1), longer];
    }, [])
    .join(BREAK);

const wrapLabels = (source: string): string =>
  source.replaceAll(QUOTED, (_whole, label: string) => `"${label.split(BREAK).map(wrapLine).join(BREAK)}"`);

/**
 * Draws a diagram. The style element and the colours are left out: the policy of the pages forbids the former, and
 * `docs/.vitepress/theme/diagrams.css` has both. Ids have a prefix, since a page may have several diagrams.
 *
 * @throws Error where the text is no diagram that the renderer supports
 */
export function drawDiagram(source: string): string {
  const prefix = createHash('sha256').update(source).digest('hex').slice(0, ID_CHARS);
  const svg = renderMermaidSVG(wrapLabels(source), { transparent: true, padding: 8 })
    .replace(/<style>[^]*?<\/style>\s*/, '')
    .replace(/^(<svg [^>]*?) style="[^"]*"/, '$1')
    .replaceAll(/ data-[a-z-]+="[^"]*"/g, '')
    .replaceAll(/\b(id="|url\(#)/g, `$1diagram-${prefix}-`)
    .replaceAll(/\s*\n\s*/g, '');
  return `<div class="diagram">${svg}</div>\n`;
}
