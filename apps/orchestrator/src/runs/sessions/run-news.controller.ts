// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseFromPeer, RunNews } from '@writ/contract';
import { RunHub } from './run-hub.ts';

/** Hears what is told of runs, of every tenant and whichever replica drives them. */
@Controller()
export class RunNewsController {
  constructor(private readonly hub: RunHub) {}

  @EventPattern('run')
  heard(@Payload() news: unknown): void {
    this.hub.heard(parseFromPeer(RunNews, news));
  }
}
