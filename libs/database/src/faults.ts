// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/**
 * SQLSTATE classes and codes which mean that the server can't serve now and that the statement had no effect:
 * connection exceptions, insufficient resources, operator intervention (shutdown, crash, starting up), statement and
 * lock timeouts, read-only standby. https://www.postgresql.org/docs/17/errcodes-appendix.html
 */
const UNAVAILABLE_STATES = /^(08...|53...|57P0[1-5]|57014|55P03|25P03|25006)$/;
/** Socket errors of Node that mean the same. */
const UNAVAILABLE_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);
/** Messages of `pg` without a code, when a connection is lost or none becomes free. */
const UNAVAILABLE_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error)/;

/** The SQLSTATE or socket code of an error, or an empty text. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Answers whether the error means that the database could not be reached or could not serve. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  const message = (error as { message?: unknown } | null)?.message;
  return (
    UNAVAILABLE_STATES.test(code) ||
    UNAVAILABLE_SOCKET.has(code) ||
    (typeof message === 'string' && UNAVAILABLE_TEXT.test(message))
  );
}

/**
 * Answers whether the transaction lost to another one and may be run again from its start: serialisation failure or
 * deadlock.
 */
export function isContention(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/**
 * SQLSTATE classes of a refused statement without other consequences: errors that our schemas' functions raise (`WR`,
 * `P0`), invalid data, a constraint, a lost race. After any other error the connection may be unusable: it keeps a plan
 * that no longer fits, for example.
 */
const REFUSAL_STATES = /^(WR|P0|22|23|40)/;

/** Answers whether the server refused the statement, and the connection can serve the next one. */
export function isRefusal(error: unknown): boolean {
  return REFUSAL_STATES.test(codeOf(error));
}

/** The name of the unique, foreign-key or check constraint that the statement violated, or null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  const name = (error as { constraint?: unknown } | null)?.constraint;
  return codeOf(error).startsWith('23') && typeof name === 'string' ? name : null;
}

/**
 * Maps an error of the driver to its fault: `database.unavailable` if the database could not serve, `overloaded` if a
 * transaction kept losing to others. Any other error (a fault, a bug in a statement) is returned unchanged.
 */
export function faultOf(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (isUnavailable(error)) return new Fault('database.unavailable', undefined, { cause: error });
  if (isContention(error)) return new Fault('overloaded', 'the transaction kept losing to others', { cause: error });
  return error;
}
