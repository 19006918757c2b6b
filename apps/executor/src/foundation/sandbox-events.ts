// SPDX-License-Identifier: Apache-2.0
import type { SandboxEvent, SandboxEventListener } from '@writ/sandbox-host';
import type { Logger, Meter } from '@writ/telemetry';

/** What is as it should be. */
const GOOD: ReadonlySet<SandboxEvent['type']> = new Set<SandboxEvent['type']>(['swept', 'engine.back']);

/**
 * A listener that counts what happens to containers, and logs what isn't part of every call: as a warning where
 * somebody should look. How a container was had is counted alone, since every call has one and a line for each would
 * hide all others.
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
        return GOOD.has(event.type) ? logger.info({ event }, 'sandbox') : logger.warn({ event }, 'sandbox');
    }
  };
}

/** Shows the warm pools of a sandbox. */
export function watchWarmPools(
  meter: Meter,
  sandbox: { readonly warmth: { readonly ready: number; readonly starting: number } },
): void {
  meter.observe(['writ.sandbox.pool.containers'], (observe) => {
    const { ready, starting } = sandbox.warmth;
    observe('writ.sandbox.pool.containers', ready, { state: 'ready' });
    observe('writ.sandbox.pool.containers', starting, { state: 'starting' });
  });
}
