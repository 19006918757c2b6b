// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { OperationEvent, parseFromPeer } from '@writ/contract';
import { Outcomes } from './outcomes.ts';

/** Receives other replicas' events about operations; this replica doesn't receive its own. */
@Controller()
export class OutcomesController {
  readonly #outcomes: Outcomes;

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes;
  }

  @EventPattern('operation')
  handle(@Payload() payload: unknown): void {
    this.#outcomes.changedElsewhere(parseFromPeer(OperationEvent, payload).operation_id);
  }
}
