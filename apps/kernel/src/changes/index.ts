// SPDX-License-Identifier: Apache-2.0
export { ChangesController } from './changes.controller.ts';
export { Changes, contentDigest, type Changed, type ChangeRecord } from './changes.ts';
export { delegationRevoked, RecordChange } from './record-change.ts';
