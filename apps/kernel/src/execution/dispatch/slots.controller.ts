// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseFromPeer, SlotsEvent } from '@writ/contract';
import { Dispatcher } from './dispatcher.ts';

@Controller()
export class SlotsController {
  readonly #dispatcher: Dispatcher;

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  @EventPattern('slots')
  handle(@Payload() payload: unknown): void {
    this.#dispatcher.slotsReported(parseFromPeer(SlotsEvent, payload));
  }
}
