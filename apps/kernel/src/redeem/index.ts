// SPDX-License-Identifier: Apache-2.0
export { Redeem, type RedeemOptions } from './redeem.ts';
