// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { OperationEvent, parseMessage } from '@writ/contract';
import { opened } from '../support/opened.ts';
import { OperationWatch } from './operation-watch.ts';

const Heard = opened(OperationEvent);

/** Hears what happens to operations, of every tenant. */
@Controller()
export class OperationEventsController {
  constructor(private readonly watch: OperationWatch) {}

  @EventPattern('operation')
  heard(@Payload() event: unknown): void {
    const { operation_id, state } = parseMessage(Heard, event);
    this.watch.heard(operation_id, state);
  }
}
