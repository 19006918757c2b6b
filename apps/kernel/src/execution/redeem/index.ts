// SPDX-License-Identifier: Apache-2.0
export { RedeemController } from './redeem.controller.ts';
export { Redeem, type RedeemOptions } from './redeem.ts';
