// SPDX-License-Identifier: Apache-2.0

/** One problem of a script. */
export interface Problem {
  /** JSON pointer (RFC 6901) of the position in the script */
  readonly pointer: string;
  readonly message: string;
}

/** The same with its position in the text, counted from 1. */
export interface LocatedProblem extends Problem {
  readonly line: number;
  readonly column: number;
}

export const problemAt = (pointer: string, message: string): Problem => ({ pointer, message });
