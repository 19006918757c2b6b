// SPDX-License-Identifier: Apache-2.0
import { BaseRpcContext } from '@nestjs/microservices';
import type { BusHeaders, BusMessage } from '@writ/bus';

/** What a controller receives beside the payload: `@Ctx() context: BusContext`. */
export class BusContext extends BaseRpcContext<[BusMessage]> {
  get subject(): string {
    return this.args[0].subject;
  }

  get headers(): BusHeaders {
    return this.args[0].headers;
  }

  /** Epoch milliseconds after which the requester no longer waits for the answer; null for an event. */
  get deadline(): number | null {
    return this.args[0].deadline;
  }
}
