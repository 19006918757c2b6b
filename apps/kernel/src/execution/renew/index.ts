// SPDX-License-Identifier: Apache-2.0
export { RenewController } from './renew.controller.ts';
export { Renew, type RenewOptions } from './renew.ts';
