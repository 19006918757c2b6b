// SPDX-License-Identifier: Apache-2.0
import { isFaultCode } from '@writ/contract';

/** Exit statuses: success, refused or failed, and wrong usage. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Ends the program with one line on stderr: `error <code>: what, where, what to do`. */
export class CliError extends Error {
  readonly code: string;
  readonly exit: number;

  constructor(code: string, message: string, exit: number = EXIT.failed, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.code = code;
    this.exit = exit;
  }
}

/** An error of the command line: the caller has to type something else. */
export const usage = (message: string): CliError => new CliError('usage', message, EXIT.usage);

/** The page of a fault code, from the root of the checkout; null for this program's own errors. */
export const pageOf = (code: string): string | null => (isFaultCode(code) ? `docs/errors/${code}.md` : null);

/** The end of an error's line: the page to read, for codes that have one. */
export const seePage = (code: string): string => (pageOf(code) === null ? '' : `; see ${pageOf(code) ?? ''}`);
