// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/**
 * Prisma's codes that say in its own words what the driver says by an SQLSTATE.
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
 * The error as the driver would have thrown it: in the database's words, with its SQLSTATE as `code`, so that what is
 * worth another try and what is the database's absence are told by one table. Faults and what has no SQLSTATE come back
 * as they are.
 */
export function driverErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error;
  const { code, meta } = error as PrismaError;
  const { originalCode: original, originalMessage: said } = meta?.driverAdapterError?.cause ?? {};
  const state = typeof original === 'string' ? original : STATES[String(code)];
  return state === undefined
    ? error
    : Object.assign(new Error(typeof said === 'string' ? said : 'the database refused a query', { cause: error }), {
        code: state,
      });
}
