// SPDX-License-Identifier: Apache-2.0

/** What of a document could not be had exactly, with its place and what to do. */
export interface ImportProblem {
  /** JSON pointer (RFC 6901) into the document; into the options where it begins with `/options` and `of` says so */
  readonly pointer: string;
  readonly of: 'document' | 'options';
  readonly message: string;
  readonly help: string;
}

/** A place of the document that can't be had exactly: what needs it is left out. */
export class Unusable extends Error {
  readonly problem: ImportProblem;

  constructor(pointer: string, message: string, help = '', of: ImportProblem['of'] = 'document') {
    super(message);
    this.name = 'Unusable';
    this.problem = { pointer, of, message, help };
  }
}

/** The result of a reading, or the problem that kept it from one. */
export function attempt<T>(read: () => T): { readonly value: T } | { readonly problem: ImportProblem } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Unusable) return { problem: error.problem };
    throw error;
  }
}
