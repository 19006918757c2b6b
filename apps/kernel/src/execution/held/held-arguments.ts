// SPDX-License-Identifier: Apache-2.0
import type { StoredArguments } from '../../judging/judgement/index.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** The stored arguments of a held call, decoded from the base64 of its row. */
export const storedArgumentsOf = ({ args, args_ref }: Pick<HeldCall, 'args' | 'args_ref'>): StoredArguments => ({
  args: args === null ? null : Buffer.from(args, 'base64'),
  args_ref,
});
