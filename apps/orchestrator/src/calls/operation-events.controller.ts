// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { OperationEvent, parseFromPeer } from '@writ/contract';
import { EventHub } from './event-hub.ts';
import { OperationWatch } from './operation-watch.ts';

/** Receives the events of operations of every tenant. */
@Controller()
export class OperationEventsController {
  constructor(
    private readonly watch: OperationWatch,
    private readonly hub: EventHub,
  ) {}

  @EventPattern('operation')
  receive(@Payload() event: unknown): void {
    const operationEvent = parseFromPeer(OperationEvent, event);
    this.watch.publish(operationEvent.operation_id, operationEvent.state);
    this.hub.publish(operationEvent);
  }
}
