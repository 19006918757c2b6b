// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseFromPeer, PeekEvent, type PeekedEvent } from '@writ/contract';
import type { Outputs } from '../outputs/outputs.ts';

/** Says what comes out of a container that runs here; of others their executors do. */
export class Peeks {
  readonly #outputs: Outputs;
  readonly #executorId: string;
  readonly #publish: (event: PeekedEvent) => void;

  constructor(outputs: Outputs, executorId: string, publish: (event: PeekedEvent) => void) {
    this.#outputs = outputs;
    this.#executorId = executorId;
    this.#publish = publish;
  }

  asked({ container_id, ask_id }: PeekEvent): void {
    const seen = this.#outputs.read(container_id);
    if (seen !== null) this.#publish({ v: 1, ask_id, executor_id: this.#executorId, ...seen });
  }
}

@Controller()
export class PeekController {
  constructor(private readonly peeks: Peeks) {}

  @EventPattern('peek')
  peek(@Payload() payload: unknown): void {
    this.peeks.asked(parseFromPeer(PeekEvent, payload));
  }
}
