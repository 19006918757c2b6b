// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { OperationEvent, parseMessage } from '@writ/contract';
import { opened } from '../support/opened.ts';
import { EventHub } from './event-hub.ts';
import { OperationWatch } from './operation-watch.ts';

const Heard = opened(OperationEvent);

/** Hears what happens to operations, of every tenant. */
@Controller()
export class OperationEventsController {
  constructor(private readonly watch: OperationWatch, private readonly hub: EventHub) {}

  @EventPattern('operation')
  heard(@Payload() event: unknown): void {
    const heard = parseMessage(Heard, event);
    this.watch.heard(heard.operation_id, heard.state);
    this.hub.heard(heard);
  }
}
