// SPDX-License-Identifier: Apache-2.0
export { ReadUsage } from './read-usage.ts';
export { RollUpUsage } from './roll-up-usage.ts';
export { UsageController } from './usage.controller.ts';
