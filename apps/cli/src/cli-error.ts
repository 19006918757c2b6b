// SPDX-License-Identifier: Apache-2.0
import { FAULTS, isFaultCode } from '@writ/contract';

/** Exit statuses. docs/reference/cli.md documents them, so a number never gets another meaning. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** the call waits for a person, or still runs */
  held: 3,
  /** the call, or the decision on it, was refused */
  refused: 4,
  notFound: 5,
  /** no key, one that isn't valid, or one whose role doesn't allow this */
  notAllowed: 6,
  /** nothing happened, and it may succeed later */
  unavailable: 7,
  /** a change was sent, and nobody knows whether it happened: the answer got lost, or leaves it open */
  unknown: 8,
} as const;

/**
 * Whether a fault says that Writ refused what was asked, by the rules, the token or a person. The table of faults gives
 * all of these the status 403 or 423; other meanings of 403 concern the caller's key or address.
 */
export const isRefusal = (code: string): boolean =>
  isFaultCode(code) && [403, 423].includes(FAULTS[code].status) && !/^(?:auth|request)[.]/.test(code);

/** Answers of a proxy that stands before Writ: they say nothing about what happened behind it. */
const OF_PROXIES: ReadonlySet<number> = new Set([408, 502, 503, 504]);

/**
 * The exit status for a fault that ended a request, by its code and the status of the answer. INVARIANT (never twice):
 * 7 says that nothing happened, so a script may repeat the command. A request that only reads has changed nothing.
 */
export function exitOfFault(code: string, status: number, onlyReads: boolean): number {
  if (isRefusal(code)) return EXIT.refused;
  const retry = isFaultCode(code) ? FAULTS[code].retry : OF_PROXIES.has(status) ? 'same-key' : 'never';
  if (retry === 'later') return EXIT.unavailable;
  if (retry === 'same-key') {
    if (!onlyReads) return EXIT.unknown;
    return status === 500 ? EXIT.failed : EXIT.unavailable;
  }
  return { 401: EXIT.notAllowed, 403: EXIT.notAllowed, 404: EXIT.notFound }[status] ?? EXIT.failed;
}

/** Failures before the request left: there was no connection to send it on. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // `fetch` itself refuses ports of other protocols, and says so in a message alone.
  'bad port',
]);

/** The exit status for a request without an answer. `cause` is the error of `fetch`. */
export function exitWithoutAnswer(cause: unknown, onlyReads: boolean): number {
  const { code, message } = ((cause as { cause?: unknown } | null)?.cause ?? {}) as NodeJS.ErrnoException;
  return onlyReads || [code, message].some((one) => NOT_SENT.has(one ?? '')) ? EXIT.unavailable : EXIT.unknown;
}

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
