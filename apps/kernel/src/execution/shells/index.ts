// SPDX-License-Identifier: Apache-2.0
export { readContainer } from './read-container.ts';
export { ShellRegistry } from './shell-registry.ts';
export { ShellsController } from './shells.controller.ts';
