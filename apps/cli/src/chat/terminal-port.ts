// SPDX-License-Identifier: Apache-2.0

/**
 * What happened at a question: the person typed, pressed ctrl-c, or ended the input (ctrl-d), or the question was
 * withdrawn first.
 */
export type TypedInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' }
  | { readonly kind: 'withdrawn' };

export interface QuestionOptions {
  /** the input is not echoed and is not added to the history */
  readonly hidden?: boolean;
  /** withdraws the question */
  readonly signal?: AbortSignal;
}

/**
 * A person at a terminal. Implementations MUST restore the terminal's mode after each question. Callers MUST ask one
 * question at a time.
 */
export interface Terminal {
  /** A line, without its line end. Input that was typed ahead counts. */
  readonly readLine: (prompt: string, asking?: QuestionOptions) => Promise<TypedInput>;
  /** One key, by its name; it is not echoed. */
  readonly readKey: (prompt: string, asking?: QuestionOptions) => Promise<TypedInput>;
}
