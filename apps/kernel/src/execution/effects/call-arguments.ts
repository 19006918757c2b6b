// SPDX-License-Identifier: Apache-2.0
import type { AttemptFacts } from '../attempts/index.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';

/**
 * The arguments of the attempt, in clear: as they were admitted, never as an executor reports them. Empty once they
 * were erased.
 */
export async function callArguments(
  reader: ArgumentsReader,
  { operation, args, args_ref }: Pick<AttemptFacts, 'operation' | 'args' | 'args_ref'>,
): Promise<Readonly<Record<string, unknown>>> {
  return (await reader.readAdmittedValue(operation, { args, args_ref })) ?? {};
}
