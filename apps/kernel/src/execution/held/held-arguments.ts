// SPDX-License-Identifier: Apache-2.0
import type { KeptArguments } from '../../judging/judgement/index.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** What is kept of a held call's arguments, out of the base64 that its row came in. */
export const keptOf = ({ args, args_ref }: Pick<HeldCall, 'args' | 'args_ref'>): KeptArguments => ({
  args: args === null ? null : Buffer.from(args, 'base64'),
  args_ref,
});
