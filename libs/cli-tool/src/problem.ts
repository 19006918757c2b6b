// SPDX-License-Identifier: Apache-2.0

/** One thing that is wrong with a file of tools. */
export interface ToolProblem {
  /** JSON pointer (RFC 6901) of the place in it */
  readonly pointer: string;
  readonly message: string;
  /** what to do about it; empty where the message says it all */
  readonly help: string;
}

export const problemAt = (pointer: string, message: string, help = ''): ToolProblem => ({ pointer, message, help });
