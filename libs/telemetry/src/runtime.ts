// SPDX-License-Identifier: Apache-2.0
import {
  constants,
  monitorEventLoopDelay,
  performance,
  PerformanceObserver,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Meter } from './instruments/index.ts';

/** Milliseconds between two looks. The measured delay is how much later than that a look came. */
const LOOK_MS = 10;
const NS = 1e9;
const US = 1e6;
const MS = 1e3;

/** Observes Node.js and this process. Returns a function that stops it. */
export function watchRuntime(meter: Meter): () => void {
  const ends = [watchDelay(meter), watchWork(meter), watchGarbage(meter)];
  watchUse(meter);
  watchProcess(meter);
  return () => {
    for (const end of ends) end();
  };
}

/** Delays of the event loop, caused by its own work or by other programs on the machine. */
function watchDelay(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
  const beyond = (ns: number): number => (delay.count === 0 ? 0 : Math.max(0, ns - LOOK_MS * 1e6) / NS);
  meter.observe(
    ['nodejs.eventloop.delay.p50', 'nodejs.eventloop.delay.p99', 'nodejs.eventloop.delay.max'],
    (observe) => {
      observe('nodejs.eventloop.delay.p50', beyond(delay.percentile(50)));
      observe('nodejs.eventloop.delay.p99', beyond(delay.percentile(99)));
      observe('nodejs.eventloop.delay.max', beyond(delay.max));
      delay.reset();
    },
  );
  delay.enable();
  return () => {
    delay.disable();
  };
}

/**
 * Measures the most processor time that the event loop's thread used between two looks. Work that is split into turns
 * adds at most one interval, so a longer value means a turn that was too long.
 */
function watchWork(meter: Meter): () => void {
  let longest = 0;
  let last = usedSeconds();
  const look = setInterval(() => {
    const now = usedSeconds();
    longest = Math.max(longest, now - last);
    last = now;
  }, LOOK_MS);
  // The timer must not keep the process alive.
  look.unref();
  meter.observe(['writ.event_loop.work.max'], (observe) => {
    observe('writ.event_loop.work.max', longest);
    longest = 0;
  });
  return () => {
    clearInterval(look);
  };
}

/** Processor time of this thread, without other threads of the process such as the worker pool. */
function usedSeconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US;
}

const GC_TYPES = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
} as const satisfies Record<number, string>;

function watchGarbage(meter: Meter): () => void {
  const durations = meter.histogram('v8js.gc.duration');
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const type =
        GC_TYPES[(entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail }).detail.kind ?? 0];
      if (type !== undefined) durations.record(entry.duration / MS, { 'v8js.gc.type': type });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    observer.disconnect();
  };
}

/** How busy the event loop is, and for how long. */
function watchUse(meter: Meter): void {
  let last = performance.eventLoopUtilization();
  meter.observe(['nodejs.eventloop.utilization', 'nodejs.eventloop.time'], (observe) => {
    const now = performance.eventLoopUtilization();
    observe('nodejs.eventloop.utilization', performance.eventLoopUtilization(now, last).utilization);
    observe('nodejs.eventloop.time', now.active / MS, { 'nodejs.eventloop.state': 'active' });
    observe('nodejs.eventloop.time', now.idle / MS, { 'nodejs.eventloop.state': 'idle' });
    last = now;
  });
}

function watchProcess(meter: Meter): void {
  meter.observe(
    ['process.cpu.time', 'process.memory.usage', 'process.uptime', 'v8js.memory.heap.limit', 'v8js.memory.heap.used'],
    (observe) => {
      const { user, system } = process.cpuUsage();
      observe('process.cpu.time', user / US, { 'cpu.mode': 'user' });
      observe('process.cpu.time', system / US, { 'cpu.mode': 'system' });
      observe('process.memory.usage', process.memoryUsage.rss());
      observe('process.uptime', process.uptime());
      for (const { space_name, space_size, space_used_size } of getHeapSpaceStatistics()) {
        observe('v8js.memory.heap.limit', space_size, { 'v8js.heap.space.name': space_name });
        observe('v8js.memory.heap.used', space_used_size, { 'v8js.heap.space.name': space_name });
      }
    },
  );
}
