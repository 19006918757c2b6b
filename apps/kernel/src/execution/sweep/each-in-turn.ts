// SPDX-License-Identifier: Apache-2.0

/**
 * Acts on each of the rows that a sweep found, one after the other. A failure keeps no other from its turn.
 *
 * @param what names them in the error, in the plural
 * @returns the results of those that did not fail
 * @throws AggregateError once all had their turn, where one failed
 */
export async function eachInTurn<T, R>(found: readonly T[], what: string, act: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const errors: unknown[] = [];
  for (const one of found) {
    await act(one).then(
      (result) => done.push(result),
      (error: unknown) => errors.push(error),
    );
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `${String(errors.length)} of ${String(found.length)} ${what}`);
  return done;
}
