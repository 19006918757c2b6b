// SPDX-License-Identifier: Apache-2.0
export { KillContainer } from './kill-container.ts';
export { ReadContainerLogs } from './read-container-logs.ts';
export { PeekedController } from './peeked.controller.ts';
export { Containers } from './containers.ts';
export { ContainersController } from './containers.controller.ts';
