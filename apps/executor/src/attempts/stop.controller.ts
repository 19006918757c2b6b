// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { Running } from './running.ts';

/**
 * Hears that an attempt must stop now: cancelled, or its token revoked. A lost event costs the time to the next
 * renewal.
 */
@Controller()
export class StopController {
  constructor(private readonly running: Running) {}

  @EventPattern('stop')
  stop(@Payload() event: unknown): void {
    const operationId = (event as { operation_id?: unknown } | null)?.operation_id;
    if (typeof operationId === 'string') this.running.stop(operationId);
  }
}
