// SPDX-License-Identifier: Apache-2.0
import { paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import type { Reply } from '../run-schemas.ts';
import { indented } from './describe-call.ts';

/**
 * What a reply has beside its text, for people who look at a dialect: the envelope as the model wrote it, what of it
 * could not be read, and what was ignored or changed. Empty for a reply in a provider's own format. All of it is
 * attacker-controlled.
 */
export function replyLines({ text, written, problems = [], notes = [], calls }: Reply): string[] {
  const warnings = [...notes, ...calls.flatMap(({ show }) => show?.warnings ?? [])];
  return [
    ...(written === undefined || written.trim() === text.trim()
      ? []
      : [paint.dim(`as the model wrote it:\n${indented(written)}`)]),
    ...problems.map((problem) => paint.red(`problem: ${visibleLine(problem)}`)),
    ...calls.flatMap(({ id, problem }) =>
      problem === undefined ? [] : [paint.red(`problem of ${visibleLine(id)}: ${visibleLine(problem)}`)],
    ),
    ...warnings.map((warning) => paint.yellow(`warning: ${visibleLine(warning)}`)),
  ];
}
