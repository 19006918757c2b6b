// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

/** A problem of a document that somebody sent, with its place. */
export const Problem = Type.Object(
  {
    pointer: Type.String({ description: 'JSON pointer (RFC 6901) of the place in what was sent' }),
    message: Type.String(),
    help: Type.String({ description: 'what to do about it; empty where the message says it all' }),
  },
  { additionalProperties: false },
);
export type Problem = Static<typeof Problem>;

export const problemAt = (pointer: string, message: string, help = ''): Problem => ({ pointer, message, help });

/** Problems of a part, with their places in the whole. */
export const problemsWithin = (pointer: string, problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, pointer: `${pointer}${problem.pointer}` }));
