// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { OperationEvent, parseFromPeer } from '@writ/contract';
import { Outcomes } from './outcomes.ts';

/** What other replicas say of operations; this one's own events don't come back to it. */
@Controller()
export class OutcomesController {
  readonly #outcomes: Outcomes;

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes;
  }

  @EventPattern('operation')
  heard(@Payload() payload: unknown): void {
    this.#outcomes.changedElsewhere(parseFromPeer(OperationEvent, payload).operation_id);
  }
}
