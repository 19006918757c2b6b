// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { codeOf, runStatement, UNAWAITED, type Pool } from '@writ/database';

/** What kernel.decide_again raises: what was decided on no longer holds, and nothing was written. */
const AGAIN = 'WR001';
/** An operation id that another tenant's call has. */
const TAKEN = 'WR002';
/** What a head's move would hold is beyond a quota: the message says what. */
const QUOTA = 'WR003';
/** A quota stands, and what it bounds isn't counted. */
const UNCOUNTED = 'WR004';
const NAME = /^[a-z_]+$/;

/**
 * The value of an SQL function that is one transaction: it sets the tenant itself and is sent as one prepared
 * statement.
 * @throws Fault `workspace.quota`, and what the database throws
 */
export function callKernel<T>(pool: Pool, name: string, args: readonly unknown[]): Promise<T> {
  return called<T>(pool, name, args, true);
}

/** As `callKernel`, but for its COMMIT, which waits for no disk: for what is done again where it is lost. */
export function callKernelUnawaited<T>(pool: Pool, name: string, args: readonly unknown[]): Promise<T> {
  return called<T>(pool, name, args, false);
}

async function called<T>(pool: Pool, name: string, args: readonly unknown[], isAwaited: boolean): Promise<T> {
  if (!NAME.test(name)) throw new Error(`\`${name}\` is no name of a function`);
  const text = `SELECT kernel.${name}(${args.map((_, index) => `$${String(index + 1)}`).join(', ')}) AS value${isAwaited ? '' : ` FROM ${UNAWAITED}`}`;
  try {
    const { rows } = await runStatement<{ value: T }>(pool, {
      name: `kernel.${name}/${String(args.length)}${isAwaited ? '' : '/unawaited'}`,
      text,
      values: [...args],
    });
    return (rows[0] as { value: T }).value;
  } catch (error) {
    throw quotaFault(error);
  }
}

/** Answers whether the statement refused because the operation id is another tenant's. */
export function isTaken(error: unknown): boolean {
  return codeOf(error) === TAKEN;
}

/** Answers whether the statement refused because the facts moved since they were read. */
export function isAgain(error: unknown): boolean {
  return codeOf(error) === AGAIN;
}

/**
 * Null where a statement that brings a decision was refused because the tool was changed since it was judged: nothing
 * was written. For statements that nothing else refuses in this way.
 */
export async function unlessToolChanged<T>(statement: Promise<T>): Promise<T | null> {
  try {
    return await statement;
  } catch (error) {
    if (isAgain(error)) return null;
    throw error;
  }
}

/**
 * Answers whether what moved is the key that the call was to be sealed under: no call is admitted under it any more.
 */
export function isKeyRetired(error: unknown): boolean {
  return isAgain(error) && error instanceof Error && error.message.endsWith(': payload_key');
}

/**
 * Answers whether a head's move was refused because nobody has counted yet what a quota bounds: nothing was written.
 */
export function isUncounted(error: unknown): boolean {
  return codeOf(error) === UNCOUNTED;
}

/** `workspace.quota` where that is what the statement refused, in its words; anything else as it is. */
export function quotaFault(error: unknown): unknown {
  return codeOf(error) === QUOTA && error instanceof Error
    ? new Fault('workspace.quota', error.message, { cause: error })
    : error;
}
