// SPDX-License-Identifier: Apache-2.0
import type { Prose } from './prose.ts';

/** A line that opens or closes a fence of code, as in CommonMark (section 4.5). */
export interface Fence {
  readonly mark: '`' | '~';
  readonly count: number;
  /** the first word behind the marks, in lower case; empty if there is none */
  readonly language: string;
}

/** A byte order mark may stand before the first line. */
const MARKS = /^[\uFEFF \t]*(`{3,}|~{3,})/;
const FIRST_WORD = /^\S*/;

/** The fence that a line opens or closes; null for any other line. */
export function readFence(line: string): Fence | null {
  const [begun, marks = ''] = MARKS.exec(line) ?? [];
  if (begun === undefined) return null;
  const info = line.slice(begun.length).trim();
  const mark = marks.startsWith('~') ? '~' : '`';
  if (mark === '`' && info.includes('`')) return null;
  return { mark, count: marks.length, language: (FIRST_WORD.exec(info)?.[0] ?? '').toLowerCase() };
}

/** Whether the line closes the fence: by the same marks, at least as many, with nothing behind them. */
export const closesFence = (line: Fence, open: Fence): boolean =>
  line.language === '' && line.mark === open.mark && line.count >= open.count;

/** An open fence whose content is an example. */
export interface ExampleFence {
  readonly fence: Fence;
  /** the position of the first call in it; null if there is none yet */
  callAt: number | null;
  /** its text */
  readonly prose: Prose;
}
