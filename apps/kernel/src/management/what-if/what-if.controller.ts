// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type Backtest,
  type OperationExplanation,
  type PolicyReplay,
  type Simulation,
} from '@writ/contract';
import { BacktestPolicy } from './backtest.ts';
import { ExplainOperation } from './explain-operation.ts';
import { ReplayCalls } from './replay-calls.ts';
import { Simulate } from './simulate.ts';

/** Concurrent replays of one replica. Each keeps a processor busy for a part of a second, which calls need too. */
const REPLAYS_MAX = 2;
/** Backtests that one replica accepts: `BacktestPolicy` makes two pages at once, and the others wait. */
const BACKTESTS_MAX = 32;

@Controller()
export class WhatIfController {
  readonly #simulate: Simulate;
  readonly #backtest: BacktestPolicy;
  readonly #explain: ExplainOperation;
  readonly #replay: ReplayCalls;

  constructor(simulate: Simulate, backtest: BacktestPolicy, explain: ExplainOperation, replay: ReplayCalls) {
    this.#simulate = simulate;
    this.#backtest = backtest;
    this.#explain = explain;
    this.#replay = replay;
  }

  @MessagePattern('kernel.policy.simulate')
  async simulate(@Payload() payload: unknown): Promise<Simulation> {
    return await this.#simulate.run(parseMessage(KERNEL_REQUESTS['policy.simulate'], payload));
  }

  @MessagePattern('kernel.policy.backtest', { concurrencyMax: BACKTESTS_MAX })
  async backtest(@Payload() payload: unknown): Promise<Backtest> {
    return await this.#backtest.run(parseMessage(KERNEL_REQUESTS['policy.backtest'], payload));
  }

  @MessagePattern('kernel.policy.replay', { concurrencyMax: REPLAYS_MAX })
  async replay(@Payload() payload: unknown): Promise<PolicyReplay> {
    return await this.#replay.run(parseMessage(KERNEL_REQUESTS['policy.replay'], payload));
  }

  @MessagePattern('kernel.operation.explain')
  async explain(@Payload() payload: unknown): Promise<OperationExplanation> {
    return await this.#explain.run(parseMessage(KERNEL_REQUESTS['operation.explain'], payload));
  }
}
