// SPDX-License-Identifier: Apache-2.0

/** One thing that is wrong with a policy set, or odd about it. */
export interface PolicyProblem {
  /** JSON pointer (RFC 6901) of the place in the document; `/cedar` for what is wrong in the rules' text */
  readonly pointer: string;
  /** place in the rules' text, from 1; null for everything else */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  /** what to do about it; empty where the message says it all */
  readonly help: string;
}

/** Something that can't be a policy set, with everything that is wrong with it. */
export class PolicySetError extends Error {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(problems.map(problemText).join('; '));
    this.name = 'PolicySetError';
    this.problems = problems;
  }
}

/**
 * A problem in one line: `3:13: message: help` for a place in the rules, `/ttl/approval_ms: message` for one in the
 * document.
 */
export function problemText({ pointer, line, column, message, help }: PolicyProblem): string {
  const place = line === null ? pointer || 'the document' : `${line}:${column}`;
  return `${place}: ${message}${help === '' ? '' : `: ${help}`}`;
}

/** A problem of the document at a pointer. */
export const problemOf = (pointer: string, message: string, help = ''): PolicyProblem => ({
  pointer,
  line: null,
  column: null,
  message,
  help,
});
