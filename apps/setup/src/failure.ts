// SPDX-License-Identifier: Apache-2.0

/** Something that whoever installs Writ has to change: shown as it is, without a stack. */
export class Failure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Failure';
  }
}

/** What an unexpected error says, with its causes. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message =
    error instanceof AggregateError && error.message === '' ? error.errors.map(reasonOf).join(', ') : error.message;
  return error.cause === undefined ? message : `${message}: ${reasonOf(error.cause)}`;
}
