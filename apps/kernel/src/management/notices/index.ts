// SPDX-License-Identifier: Apache-2.0
export { Notices } from './notices.ts';
export { NoticesController } from './notices.controller.ts';
