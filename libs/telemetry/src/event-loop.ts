// SPDX-License-Identifier: Apache-2.0
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

/** Milliseconds between two looks. What is measured is how much later than that one came. */
const LOOK_MS = 10;
const NS = 1e9;

/**
 * Makes metrics of what holds up the event loop of this process, since somebody last asked for the metrics. The delay, as
 * 99th percentile and maximum, is what others wait for: the work of the loop, and the machine's other programs. The work is
 * the processor time that the loop's thread used between two looks, at most: of the loop alone. Answers what ends the looking.
 */
export function watchEventLoop(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
  const description = 'how long the event loop was held up since the metrics were last asked for';
  const gauge = meter.createObservableGauge('writ_event_loop_delay_seconds', { description });
  const beyond = (ns: number): number => Math.max(0, ns - LOOK_MS * 1e6) / NS;
  gauge.addCallback((result) => {
    result.observe(delay.count === 0 ? 0 : beyond(delay.percentile(99)), { quantile: '0.99' });
    result.observe(delay.count === 0 ? 0 : beyond(delay.max), { quantile: 'max' });
    delay.reset();
  });
  delay.enable();
  const endWork = watchWork(meter);
  return () => {
    delay.disable();
    endWork();
  };
}

/** Work that is cut into turns adds up to one look's time at most, so what is longer is longer than a turn may be. */
function watchWork(meter: Meter): () => void {
  let longest = 0;
  let last = usedSeconds();
  const look = setInterval(() => {
    const now = usedSeconds();
    longest = Math.max(longest, now - last);
    last = now;
  }, LOOK_MS);
  // Nothing stays alive for being looked at.
  look.unref();
  const description = 'the most processor time that the event loop used at once since the metrics were last asked for';
  meter.createObservableGauge('writ_event_loop_work_seconds', { description }).addCallback((result) => {
    result.observe(longest, { quantile: 'max' });
    longest = 0;
  });
  return () => { clearInterval(look); };
}

/** Processor time of this thread: others of the process, as those of the worker pool, aren't part of it. */
function usedSeconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
}
