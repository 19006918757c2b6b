// SPDX-License-Identifier: Apache-2.0
export { Approvals } from './approvals.ts';
export { DecideController } from './decide.controller.ts';
export { Decide } from './decide.ts';
export { Readmission, type ReadmissionParts } from './readmission.ts';
