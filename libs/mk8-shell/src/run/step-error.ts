// SPDX-License-Identifier: Apache-2.0

/** Why a step failed, in a text that a model may read. */
export class StepError extends Error {
  /** The output of the step before it failed. */
  readonly output: string;
  /** Another attempt would fail in the same way. */
  readonly isFinal: boolean;

  constructor(
    message: string,
    { output = '', isFinal = false, ...options }: ErrorOptions & { output?: string; isFinal?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'StepError';
    this.output = output;
    this.isFinal = isFinal;
  }
}

/** A rule forbids it: a retry doesn't help. */
export const refused = (message: string): StepError => new StepError(message, { isFinal: true });
