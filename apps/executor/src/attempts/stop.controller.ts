// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { RunningAttempts } from './running-attempts.ts';

/**
 * Receives the event that an attempt must stop now: it was cancelled, or its token revoked. If an event is lost, the
 * next renewal stops the attempt.
 */
@Controller()
export class StopController {
  constructor(private readonly running: RunningAttempts) {}

  @EventPattern('stop')
  stop(@Payload() event: unknown): void {
    const operationId = (event as { operation_id?: unknown } | null)?.operation_id;
    if (typeof operationId === 'string') this.running.stop(operationId);
  }
}
