// SPDX-License-Identifier: Apache-2.0
export { ShellRegistry } from './shell-registry.ts';
export { ShellsController } from './shells.controller.ts';
