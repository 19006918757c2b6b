// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { LoggedEvent, parseFromPeer } from '@writ/contract';
import { ExportHub } from './export-hub.ts';

/** Hears that logs grew, of every tenant. */
@Controller()
export class LoggedEventsController {
  constructor(private readonly hub: ExportHub) {}

  @EventPattern('logged')
  heard(@Payload() event: unknown): void {
    this.hub.grew(parseFromPeer(LoggedEvent, event).tenant_id);
  }
}
