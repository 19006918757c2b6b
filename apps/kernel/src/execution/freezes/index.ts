// SPDX-License-Identifier: Apache-2.0
export { freezeRecord, ownerByCall, ownerOf, type Frozen, type Owner } from './freeze-record.ts';
export { stopFrozen } from './stop-frozen.ts';
