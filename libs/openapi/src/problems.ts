// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '@writ/contract';

/** What of a document could not be had exactly. Its pointer leads into the options where `of` says so. */
export interface ImportProblem extends Problem {
  readonly of: 'document' | 'options';
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
