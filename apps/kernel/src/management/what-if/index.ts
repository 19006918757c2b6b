// SPDX-License-Identifier: Apache-2.0
export { BacktestPolicy } from './backtest.ts';
export { ExplainOperation } from './explain-operation.ts';
export { RecordedCalls } from './recorded-calls.ts';
export { RecordedEffects } from './recorded-effects.ts';
export { ReplayCalls } from './replay-calls.ts';
export { Simulate } from './simulate.ts';
export { WhatIfController } from './what-if.controller.ts';
