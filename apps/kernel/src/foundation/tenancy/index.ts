// SPDX-License-Identifier: Apache-2.0
export { callIn } from './call-in.ts';
export { requireFound, agentFilterOf, requireId, requireRole } from './caller.ts';
export { newestFirst, rowsAfter } from './keyset.ts';
export { plainRow, type PlainRow } from './plain-row.ts';
export { workspaceSizes, keptOutputBytes, withQuota, type CountedWorkspaces, type IsCounted } from './quota.ts';
export { driverErrorOf } from './prisma-fault.ts';
export { Tenancy, type Rows } from './tenancy.ts';
