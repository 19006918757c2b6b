// SPDX-License-Identifier: Apache-2.0
import type { SandboxEvent, SandboxEventListener } from '@writ/sandbox-host';
import type { Logger, Meter } from '@writ/telemetry';

/** Events of normal operation, logged as info. */
const NORMAL_EVENTS: ReadonlySet<SandboxEvent['type']> = new Set<SandboxEvent['type']>(['swept', 'engine.back']);

/**
 * A listener that counts sandbox events. It logs problems as warnings, and normal events that are not part of every
 * call as info. Acquisitions are logged at debug level only, since every call has one and their lines would hide all
 * others.
 */
export function sandboxEvents(logger: Logger, meter: Meter): SandboxEventListener {
  const acquisitions = meter.counter('writ.sandbox.acquisitions');
  const starts = meter.histogram('writ.sandbox.start.duration');
  const events = meter.counter('writ.sandbox.events');
  return (event) => {
    switch (event.type) {
      case 'pool.hit':
      case 'pool.miss':
        acquisitions.add(1, { pool: event.type === 'pool.hit' ? 'hit' : 'miss' });
        return logger.debug({ event }, 'sandbox');
      case 'container.started':
      case 'container.start_failed':
        starts.record(event.ms / 1_000, { outcome: event.type === 'container.started' ? 'ready' : 'failed' });
        return logger.debug({ event }, 'sandbox');
      default:
        events.add(1, { event: event.type });
        return NORMAL_EVENTS.has(event.type) ? logger.info({ event }, 'sandbox') : logger.warn({ event }, 'sandbox');
    }
  };
}

/** Reports the warm pools of a sandbox as gauges. */
export function watchWarmPools(
  meter: Meter,
  sandbox: { readonly poolCounts: { readonly ready: number; readonly starting: number } },
): void {
  meter.observe(['writ.sandbox.pool.containers'], (observe) => {
    const { ready, starting } = sandbox.poolCounts;
    observe('writ.sandbox.pool.containers', ready, { state: 'ready' });
    observe('writ.sandbox.pool.containers', starting, { state: 'starting' });
  });
}
