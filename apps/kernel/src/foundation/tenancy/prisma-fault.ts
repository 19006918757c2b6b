// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/**
 * Prisma's codes, with the SQLSTATE that the driver has for the same error.
 * https://www.prisma.io/docs/orm/reference/error-reference
 */
const STATES: Readonly<Record<string, string>> = {
  P1001: '08006',
  P1002: '08006',
  P1008: '57014',
  P1017: '08006',
  P2002: '23505',
  P2003: '23503',
  P2024: '53300',
  P2028: '53300',
  P2034: '40001',
};

interface PrismaError {
  readonly code?: unknown;
  readonly meta?: {
    readonly driverAdapterError?: {
      readonly cause?: { readonly originalCode?: unknown; readonly originalMessage?: unknown };
    };
  };
}

/**
 * The error as the driver would have thrown it: the database's message, with its SQLSTATE as `code`. One table then
 * decides which errors are worth another try and which mean that the database is unavailable. Faults and errors without
 * an SQLSTATE are returned unchanged.
 */
export function driverErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error;
  const { code, meta } = error as PrismaError;
  const { originalCode: original, originalMessage: originalText } = meta?.driverAdapterError?.cause ?? {};
  const state = typeof original === 'string' ? original : STATES[String(code)];
  return state === undefined
    ? error
    : Object.assign(
        new Error(typeof originalText === 'string' ? originalText : 'the database refused a query', { cause: error }),
        { code: state },
      );
}
