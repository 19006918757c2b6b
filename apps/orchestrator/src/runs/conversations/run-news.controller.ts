// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseFromPeer, RunUpdate } from '@writ/contract';
import { RunHub } from './run-hub.ts';

/** Receives messages about runs of every tenant, from all replicas. */
@Controller()
export class RunNewsController {
  constructor(private readonly hub: RunHub) {}

  @EventPattern('run')
  receive(@Payload() news: unknown): void {
    this.hub.publish(parseFromPeer(RunUpdate, news));
  }
}
