// SPDX-License-Identifier: Apache-2.0
export {
  openFunctionPermit,
  openPermit,
  PERMIT_SKEW_MS,
  sealFunctionPermit,
  sealPermit,
  verifyPermit,
} from './permit.ts';
