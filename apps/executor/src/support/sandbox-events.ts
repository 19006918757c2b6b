// SPDX-License-Identifier: Apache-2.0
import type { Logger, Meter } from '@writ/telemetry';

/** What sandboxes report of themselves, as far as it matters here. */
export interface SandboxEvent { readonly type: string }

/** How a container was had: counted, since every call has one and a line for each would hide all others. */
const POOL: Readonly<Record<string, 'hit' | 'miss'>> = { 'pool.hit': 'hit', 'pool.miss': 'miss' };
/** What is as it should be. */
const GOOD: ReadonlySet<string> = new Set(['swept', 'engine.back']);

/** A listener that counts how containers are had, and logs the rest: as a warning where somebody should look. */
export function sandboxEvents(logger: Logger, meter: Meter): (event: SandboxEvent) => void {
  const containers = meter.createCounter('writ_sandbox_containers_total', { description: 'containers that calls were given, by whether one waited for them' });
  return (event) => {
    const pool = POOL[event.type];
    if (pool !== undefined) {
      containers.add(1, { pool });
      return logger.debug({ event }, 'sandbox');
    }
    return GOOD.has(event.type) ? logger.info({ event }, 'sandbox') : logger.warn({ event }, 'sandbox');
  };
}
