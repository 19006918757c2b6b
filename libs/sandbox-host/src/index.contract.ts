// SPDX-License-Identifier: Apache-2.0
export { backPressureContract, type OutputTraits } from './back-pressure.contract.ts';
export { hostileContract, type HostileTraits, type HostileUnderTest } from './hostile.contract.ts';
export { LIMITS, runIn, SIZE, textOf, until } from './runs.contract.ts';
