// SPDX-License-Identifier: Apache-2.0
export { type NatsAddress } from './connect.ts';
export { workLanesOf, type WorkLanes } from './lanes.ts';
export { NatsBus, natsBus, type NatsBusOptions } from './nats-bus.ts';
export { processBus, type ProcessBusOptions } from './process-bus.ts';
export { allPermissions, inboxPrefixOf, permissionsOf, type Permissions } from './permissions.ts';
export { natsServerConfig, type NatsServerSettings } from './server-config.ts';
