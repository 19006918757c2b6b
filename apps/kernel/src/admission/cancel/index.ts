// SPDX-License-Identifier: Apache-2.0
export { CancelController } from './cancel.controller.ts';
export { Cancel } from './cancel.ts';
