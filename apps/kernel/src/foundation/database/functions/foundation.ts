// SPDX-License-Identifier: Apache-2.0
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/foundation` that the kernel calls. */
export const foundationFunctions = {
  nowMs: kernelFunction<number>()('kernel.now_ms', {}, { returns: 'value' }),
} as const;
