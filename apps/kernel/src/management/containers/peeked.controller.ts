// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseFromPeer, PeekedEvent } from '@writ/contract';
import { Peek } from './peek.ts';

@Controller()
export class PeekedController {
  readonly #peek: Peek;

  constructor(peek: Peek) {
    this.#peek = peek;
  }

  @EventPattern('peeked')
  heard(@Payload() payload: unknown): void {
    this.#peek.heard(parseFromPeer(PeekedEvent, payload));
  }
}
