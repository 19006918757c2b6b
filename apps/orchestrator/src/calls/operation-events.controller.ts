// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { OperationEvent, parseFromPeer } from '@writ/contract';
import { EventHub } from './event-hub.ts';
import { OperationWatch } from './operation-watch.ts';

/** Hears what happens to operations, of every tenant. */
@Controller()
export class OperationEventsController {
  constructor(
    private readonly watch: OperationWatch,
    private readonly hub: EventHub,
  ) {}

  @EventPattern('operation')
  heard(@Payload() event: unknown): void {
    const heard = parseFromPeer(OperationEvent, event);
    this.watch.heard(heard.operation_id, heard.state);
    this.hub.heard(heard);
  }
}
