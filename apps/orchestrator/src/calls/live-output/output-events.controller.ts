// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { OutputEvent, parseFromPeer } from '@writ/contract';
import { OutputFeeds } from './output-feeds.ts';

/** Receives the output of running calls that somebody follows. */
@Controller()
export class OutputEventsController {
  constructor(private readonly feeds: OutputFeeds) {}

  @EventPattern('output')
  receive(@Payload() event: unknown): void {
    this.feeds.receive(parseFromPeer(OutputEvent, event));
  }
}
