// SPDX-License-Identifier: Apache-2.0
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** Returns whether the call ran before it was held: its end is then no refusal any more. */
export const hasRun = ({ operation }: Pick<HeldCall, 'operation'>): boolean => operation.attempt > 0;
