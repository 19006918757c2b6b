// SPDX-License-Identifier: Apache-2.0

/** A problem in a file of tools. */
export interface ToolProblem {
  /** JSON pointer (RFC 6901) of its position */
  readonly pointer: string;
  readonly message: string;
  /** the remedy; empty if the message suffices */
  readonly help: string;
}

export const problemAt = (pointer: string, message: string, help = ''): ToolProblem => ({ pointer, message, help });
