// SPDX-License-Identifier: Apache-2.0

/**
 * What a person did at a question: typed, pressed ctrl-c, ended the input (ctrl-d), or nothing before the question was
 * taken back.
 */
export type Typed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' }
  | { readonly kind: 'withdrawn' };

export interface Asking {
  /** nobody sees what is typed, and it stands in no history */
  readonly hidden?: boolean;
  /** takes the question back */
  readonly signal?: AbortSignal;
}

/**
 * A person at a terminal. Implementations MUST give the terminal back as it was after each question. Callers MUST ask
 * one thing at a time.
 */
export interface Terminal {
  /** A line, without its end. What was typed before it was asked for counts. */
  readonly readLine: (prompt: string, asking?: Asking) => Promise<Typed>;
  /** One key, by its name; nothing of it is shown. */
  readonly readKey: (prompt: string, asking?: Asking) => Promise<Typed>;
}
