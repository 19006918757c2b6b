// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { LoggedEvent, parseFromPeer } from '@writ/contract';
import { ExportHub } from './export-hub.ts';

/** Receives events about logs that grew, of every tenant. */
@Controller()
export class LoggedEventsController {
  constructor(private readonly hub: ExportHub) {}

  @EventPattern('logged')
  receive(@Payload() event: unknown): void {
    this.hub.publishGrowth(parseFromPeer(LoggedEvent, event).tenant_id);
  }
}
