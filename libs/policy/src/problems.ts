// SPDX-License-Identifier: Apache-2.0

/** A problem or an oddity of a policy set. */
export interface PolicyProblem {
  /** JSON pointer (RFC 6901) of its position in the document; `/cedar` for problems in the rules' text */
  readonly pointer: string;
  /** position in the rules' text, from 1; null for all others */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  /** the remedy; empty if the message suffices */
  readonly help: string;
}

/** An invalid policy set, with all its problems. */
export class PolicySetError extends Error {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(problems.map(problemText).join('; '));
    this.name = 'PolicySetError';
    this.problems = problems;
  }
}

/**
 * A problem in one line: `3:13: message: help` for a position in the rules, `/ttl/approval_ms: message` for one in the
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
