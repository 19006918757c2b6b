// SPDX-License-Identifier: Apache-2.0

export const code = (text: string): string => `\`${text}\``;

/** A Markdown table. A pipe in a cell would end it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const WIDTH = 120;

/** A Markdown list, wrapped as Prettier wraps it. */
export function list(items: readonly string[]): string {
  return items.map((item) => wrapped(`- ${item}`)).join('\n');
}

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = `  ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
