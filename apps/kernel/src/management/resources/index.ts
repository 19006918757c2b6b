// SPDX-License-Identifier: Apache-2.0
export { ResourcesController } from './resources.controller.ts';
export { Resources } from './resources.ts';
