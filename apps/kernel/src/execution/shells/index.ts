// SPDX-License-Identifier: Apache-2.0
export { ShellBook } from './shell-book.ts';
export { ShellsController } from './shells.controller.ts';
