// SPDX-License-Identifier: Apache-2.0
import type { DriveParts } from '../runs/driving/drive-parts.ts';

/** Counts nothing. */
export const UNWATCHED: DriveParts['watch'] = { of: (model) => model, ended: () => undefined, took: () => undefined };
