// SPDX-License-Identifier: Apache-2.0
import { startTelemetry, type Telemetry } from './index.ts';

let telemetry: Telemetry;
beforeAll(() => {
  telemetry = startTelemetry({ service: 'test', version: '0.0.0' });
});
afterAll(() => telemetry.shutdown());

const longest = async (metric = 'nodejs_eventloop_delay_max_seconds'): Promise<number> => {
  const line = (await telemetry.metricsText()).split('\n').find((each) => each.startsWith(`${metric} `));
  return Number(line?.split(' ').at(-1));
};
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

it('metrics report how long the event loop was blocked since they were last collected', async () => {
  await pause(30);
  await longest();
  await pause(30);
  const until = performance.now() + 300;
  while (performance.now() < until) {
    /* blocks the event loop */
  }
  await pause(30);
  expect(await longest()).toBeGreaterThan(0.25);
  await pause(30);
  expect(await longest()).toBeLessThan(0.25);
});

describe("the metric of the event loop's work", () => {
  const WORK = 'writ_event_loop_work_max_seconds';

  it('is the processor time of one turn', async () => {
    await longest(WORK);
    const until = process.threadCpuUsage().user + 200_000;
    while (process.threadCpuUsage().user < until) {
      /* computes */
    }
    await pause(30);
    expect(await longest(WORK)).toBeGreaterThan(0.19);
    await pause(30);
    expect(await longest(WORK)).toBeLessThan(0.19);
  });

  it('excludes the time in which other programs have the processor', async () => {
    await longest(WORK);
    // The thread sleeps, like one that gets no processor.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await pause(30);
    expect(await longest(WORK)).toBeLessThan(0.1);
  });

  it('is not the sum of many short turns', async () => {
    await longest(WORK);
    const end = performance.now() + 300;
    while (performance.now() < end) {
      const until = performance.now() + 3;
      while (performance.now() < until) {
        /* computes */
      }
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(await longest(WORK)).toBeLessThan(0.1);
  });
});

it("metrics of the process and of V8 carry OpenTelemetry's names, with units as Prometheus has them", async () => {
  const text = await telemetry.metricsText();
  for (const sample of [
    /^nodejs_eventloop_utilization_ratio 0?\.?\d/m,
    /^nodejs_eventloop_time_seconds_total\{nodejs_eventloop_state="active"\} \d/m,
    /^process_cpu_time_seconds_total\{cpu_mode="user"\} \d/m,
    /^process_memory_usage_bytes \d{7}/m,
    /^process_uptime_seconds \d/m,
    /^v8js_memory_heap_used_bytes\{v8js_heap_space_name="old_space"\} \d{6}/m,
  ])
    expect(text).toMatch(sample);
});
