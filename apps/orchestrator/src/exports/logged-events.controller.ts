// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { LoggedEvent, parseMessage } from '@writ/contract';
import { opened } from '../support/opened.ts';
import { ExportHub } from './export-hub.ts';

const Heard = opened(LoggedEvent);

/** Hears that logs grew, of every tenant. */
@Controller()
export class LoggedEventsController {
  constructor(private readonly hub: ExportHub) {}

  @EventPattern('logged')
  heard(@Payload() event: unknown): void {
    this.hub.grew(parseMessage(Heard, event).tenant_id);
  }
}
