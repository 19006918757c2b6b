// SPDX-License-Identifier: Apache-2.0
export { ChangesController } from './changes.controller.ts';
export { Changes, contentDigest, type Changed, type ChangeRecord } from './changes.ts';
export { delegationRevoked } from './delegation-revoked.ts';
export { connectionEnded, endConnections, endConnectionsOfServer, endConnectionsOfTenant } from './end-connections.ts';
export { linkCredentials } from './link-credentials.ts';
export { RecordChange } from './record-change.ts';
export { revokeKey } from './revoke-key.ts';
