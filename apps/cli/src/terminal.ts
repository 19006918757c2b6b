// SPDX-License-Identifier: Apache-2.0
import Table from 'cli-table3';
import pc from 'picocolors';
import { visible, visibleLine } from './visible.ts';

/** Colours for a person at a terminal; never in a pipe or a file, even where CI variables request them. */
export const paint = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

/** A table without borders; cells are attacker-controlled. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const none = {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  };
  // The library's own colours ignore NO_COLOR, so only ours are used.
  const table = new Table({
    head: head.map((text) => paint.bold(text)),
    chars: none,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(row.map(visibleLine).map(paintState));
  return table.toString().replaceAll(/ +$/gm, '');
}

/** Names and values, one pair a line; a value of several lines is indented. */
export function fieldsOf(fields: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown
    .map(
      ([name, value]) =>
        `${paint.dim(name.padEnd(width))}  ${paintState(visible(String(value)).replaceAll('\n', `\n${' '.repeat(width + 2)}`))}`,
    )
    .join('\n');
}

const PAINTS: Readonly<Record<string, (text: string) => string>> = {
  ok: paint.green,
  committed: paint.green,
  no_op: paint.green,
  approved: paint.green,
  rolled_back: paint.yellow,
  refused: paint.red,
  denied: paint.red,
  error: paint.red,
  ambiguous: paint.red,
  revoked: paint.red,
  held: paint.magenta,
  pending: paint.magenta,
  admitted: paint.cyan,
  dispatched: paint.cyan,
  performing: paint.cyan,
  performed: paint.cyan,
};

/** Colours a text that is exactly a state. */
export const paintState = (text: string): string => PAINTS[text]?.(text) ?? text;

/** A moment in UTC, to the second. */
export const momentOf = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;
