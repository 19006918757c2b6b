// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { detailsOf, type Assessment, type Assessor } from './assessor.ts';
import type { Line } from './lines.ts';

const TOO_LONG = {
  code: 'command.too_long',
  message: `a command has at most ${LIMITS.commandBytes.max} bytes`,
} as const;

/** The answer to text that is no command: a refusal with the problem. */
export interface RefusedLine extends Assessment {
  readonly error: { readonly code: string; readonly message: string };
}

/** The problem of a text that has to be a command; undefined where there is none. */
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
 * The answer to one line. Text that can't be a command is refused and never skipped, so answers and lines stay aligned.
 */
export function answerTo(
  line: Line,
  assess: Assessor,
  { cwd, explain }: { readonly cwd?: string; readonly explain?: boolean } = {},
): Assessment | RefusedLine {
  const error = 'problem' in line ? PROBLEMS[line.problem] : problemOf(line.text);
  if (error) return { risk_score: 1, risk_basis: [], category: 'admin', autonomy_mode: 'no_go', error };
  const explained = assess((line as { text: string }).text, cwd);
  return explain === true ? { ...explained.assessment, ...detailsOf(explained) } : explained.assessment;
}
