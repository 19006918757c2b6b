// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseFromPeer, PeekEvent, WatchEvent, type PeekedEvent } from '@writ/contract';
import type { LiveOutputs } from '../outputs/live-outputs.ts';
import { WatchedOutputs } from '../outputs/watched-outputs.ts';

/**
 * Answers requests for the live output of a container that runs in this executor. Other executors answer for theirs.
 */
export class LiveOutputReader {
  readonly #outputs: LiveOutputs;
  readonly #executorId: string;
  readonly #publish: (event: PeekedEvent) => void;

  constructor(outputs: LiveOutputs, executorId: string, publish: (event: PeekedEvent) => void) {
    this.#outputs = outputs;
    this.#executorId = executorId;
    this.#publish = publish;
  }

  answer({ container_id, ask_id }: PeekEvent): void {
    const seen = this.#outputs.read(container_id);
    if (seen !== null) this.#publish({ v: 1, ask_id, executor_id: this.#executorId, ...seen });
  }
}

@Controller()
export class LiveOutputController {
  constructor(
    private readonly reader: LiveOutputReader,
    private readonly watched: WatchedOutputs,
  ) {}

  @EventPattern('peek')
  readOutput(@Payload() payload: unknown): void {
    this.reader.answer(parseFromPeer(PeekEvent, payload));
  }

  @EventPattern('watch')
  watch(@Payload() payload: unknown): void {
    this.watched.watch(parseFromPeer(WatchEvent, payload));
  }
}
