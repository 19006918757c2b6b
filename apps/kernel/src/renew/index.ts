// SPDX-License-Identifier: Apache-2.0
export { Renew, type RenewOptions } from './renew.ts';
