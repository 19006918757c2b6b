// SPDX-License-Identifier: Apache-2.0
import type { DriveParts } from '../runs/driving/drive-parts.ts';

/** Counts nothing. */
export const NO_METRICS: DriveParts['metrics'] = {
  of: (model) => model,
  ended: () => undefined,
  took: () => undefined,
};
