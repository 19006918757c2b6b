// SPDX-License-Identifier: Apache-2.0

/** An error that a person must resolve before the set-up can continue. Shown without a stack. */
export class SetupError extends Error {
  /** Lines below the message: the command to type, or the end of a log. */
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = [], cause?: unknown) {
    super(message, { cause });
    this.name = 'SetupError';
    this.details = details;
  }
}
