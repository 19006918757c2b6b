// SPDX-License-Identifier: Apache-2.0
import type { LabelsOf, Logger, Meter } from '@writ/telemetry';

/** What sandboxes report of themselves, as far as it matters here. */
export interface SandboxEvent { readonly type: string }

/** A container that was started, or couldn't be, and how long that took. */
interface StartEvent extends SandboxEvent { readonly type: 'container.started' | 'container.start_failed'; readonly ms: number }

/** How a container was had: counted, since every call has one and a line for each would hide all others. */
const POOL: Readonly<Record<string, 'hit' | 'miss'>> = { 'pool.hit': 'hit', 'pool.miss': 'miss' };
/** What is as it should be. */
const GOOD: ReadonlySet<string> = new Set(['swept', 'engine.back']);
const STARTS: Readonly<Record<string, 'ready' | 'failed'>> = { 'container.started': 'ready', 'container.start_failed': 'failed' };

/** A listener that counts what happens to containers, and logs what isn't part of every call: as a warning where somebody should look. */
export function sandboxEvents(logger: Logger, meter: Meter): (event: SandboxEvent) => void {
  const acquisitions = meter.counter('writ.sandbox.acquisitions');
  const starts = meter.histogram('writ.sandbox.start.duration');
  const events = meter.counter('writ.sandbox.events');
  return (event) => {
    const pool = POOL[event.type];
    if (pool !== undefined) acquisitions.add(1, { pool });
    const outcome = STARTS[event.type];
    if (outcome !== undefined) starts.record((event as StartEvent).ms / 1_000, { outcome });
    if (pool !== undefined || outcome !== undefined) return logger.debug({ event }, 'sandbox');
    // What the row doesn't name is counted as `other`.
    events.add(1, { event: event.type as LabelsOf<'writ.sandbox.events'>['event'] });
    return GOOD.has(event.type) ? logger.info({ event }, 'sandbox') : logger.warn({ event }, 'sandbox');
  };
}

/** Shows the warm pools of a sandbox. */
export function watchWarmPools(meter: Meter, sandbox: { readonly warmth: { readonly ready: number; readonly starting: number } }): void {
  meter.observe(['writ.sandbox.pool.containers'], (observe) => {
    const { ready, starting } = sandbox.warmth;
    observe('writ.sandbox.pool.containers', ready, { state: 'ready' });
    observe('writ.sandbox.pool.containers', starting, { state: 'starting' });
  });
}
