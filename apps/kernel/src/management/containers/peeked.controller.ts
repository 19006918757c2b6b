// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseFromPeer, PeekedEvent } from '@writ/contract';
import { ReadContainerLogs } from './read-container-logs.ts';

@Controller()
export class PeekedController {
  readonly #readLogs: ReadContainerLogs;

  constructor(readLogs: ReadContainerLogs) {
    this.#readLogs = readLogs;
  }

  @EventPattern('peeked')
  receive(@Payload() payload: unknown): void {
    this.#readLogs.receive(parseFromPeer(PeekedEvent, payload));
  }
}
