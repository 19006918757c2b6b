// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { detailsOf, type Assessment, type Assessor } from './assessor.ts';
import type { Line } from './lines.ts';

const TOO_LONG = {
  code: 'command.too_long',
  message: `a command has at most ${LIMITS.commandBytes.max} bytes`,
} as const;

/** An answer to something that is no command: as if refused, with what is wrong. */
export interface Wrong extends Assessment {
  readonly error: { readonly code: string; readonly message: string };
}

/** What is wrong with a text that is to be a command; undefined if nothing is. */
export function problemOf(text: string): { readonly code: string; readonly message: string } | undefined {
  if (text.trim() === '') return { code: 'command.empty', message: 'there is no command in it' };
  if (text.includes('\0')) return { code: 'command.nul', message: "a command can't hold a NUL character" };
  if (Buffer.byteLength(text) > LIMITS.commandBytes.max) return TOO_LONG;
  return undefined;
}

const PROBLEMS = {
  too_long: TOO_LONG,
  not_utf8: { code: 'command.not_utf8', message: "the line isn't UTF-8" },
} as const;

/**
 * The answer to one line; what can't be a command is refused, never skipped, so that answers and lines stay in step.
 */
export function answerTo(
  line: Line,
  assess: Assessor,
  { cwd, explain }: { readonly cwd?: string; readonly explain?: boolean } = {},
): Assessment | Wrong {
  const error = 'wrong' in line ? PROBLEMS[line.wrong] : problemOf(line.text);
  if (error) return { risk_score: 1, risk_basis: [], category: 'admin', autonomy_mode: 'no_go', error };
  const explained = assess((line as { text: string }).text, cwd);
  return explain === true ? { ...explained.assessment, ...detailsOf(explained) } : explained.assessment;
}
