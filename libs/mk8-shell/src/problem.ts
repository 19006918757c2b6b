// SPDX-License-Identifier: Apache-2.0

/** One thing that is wrong with a script. */
export interface Problem {
  /** JSON pointer (RFC 6901) of the place in the script */
  readonly pointer: string;
  readonly message: string;
}

/** The same with its place in the text, both counted from 1. */
export interface LocatedProblem extends Problem {
  readonly line: number;
  readonly column: number;
}

export const problemAt = (pointer: string, message: string): Problem => ({ pointer, message });

/** A member's name as a part of a JSON pointer. */
export const pointerPart = (name: string | number): string => String(name).replaceAll('~', '~0').replaceAll('/', '~1');
