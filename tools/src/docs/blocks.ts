// SPDX-License-Identifier: Apache-2.0

const CLOSING = '<!-- end of generated -->';
const openingOf = (name: string): string => `<!-- generated: ${name} -->`;

/**
 * Puts the content between a document's markers with that name, `<!-- generated: NAME -->` and `<!-- end of generated
 * -->`, each on its own line. @throws Error where the document has no such markers.
 */
export function replaceBlock(document: string, name: string, content: string): string {
  const opening = openingOf(name);
  const start = document.indexOf(`${opening}\n`);
  const end = document.indexOf(CLOSING, start);
  if (start === -1 || end === -1) throw new Error(`the document has no block \`${name}\``);
  return `${document.slice(0, start)}${opening}\n\n${content}\n\n${document.slice(end)}`;
}
