// SPDX-License-Identifier: Apache-2.0

/** What a step failed of, in words that a model may read. */
export class StepError extends Error {
  /** What the step had to say before it failed. */
  readonly output: string;
  /** Another attempt would end the same way. */
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

/** A rule forbids it: no attempt helps. */
export const refused = (message: string): StepError => new StepError(message, { isFinal: true });
