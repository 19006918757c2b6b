// SPDX-License-Identifier: Apache-2.0
export { openPermit, PERMIT_SKEW_MS, sealPermit, verifyPermit } from './permit.ts';
