// SPDX-License-Identifier: Apache-2.0
export { heardOutputContract, type HeardTraits } from './heard-output.contract.ts';
export { hostileContract, type HostileTraits, type HostileUnderTest } from './hostile.contract.ts';
export { LIMITS, runIn, SIZE, textOf, until } from './runs.contract.ts';
