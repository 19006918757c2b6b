// SPDX-License-Identifier: Apache-2.0
export { ResourceGrants } from './resource-grants.ts';
export { ResourcesController } from './resources.controller.ts';
export { Resources } from './resources.ts';
