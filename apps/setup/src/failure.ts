// SPDX-License-Identifier: Apache-2.0

/** A problem that the operator has to fix: shown without a stack. */
export class Failure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Failure';
  }
}

/** The message of an unexpected error, with its causes. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message =
    error instanceof AggregateError && error.message === '' ? error.errors.map(reasonOf).join(', ') : error.message;
  return error.cause === undefined ? message : `${message}: ${reasonOf(error.cause)}`;
}
