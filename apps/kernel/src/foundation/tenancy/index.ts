// SPDX-License-Identifier: Apache-2.0
export { callIn } from './call-in.ts';
export { found, onlyAgentOf, requireId, requireRole } from './caller.ts';
export { newestFirst, rowsAfter } from './keyset.ts';
export { plainRow, type PlainRow } from './plain-row.ts';
export { heldIn, outputsHeld, withQuota, type Counted, type IsCounted } from './quota.ts';
export { driverErrorOf } from './prisma-fault.ts';
export { Tenancy, type Rows } from './tenancy.ts';
