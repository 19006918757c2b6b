// SPDX-License-Identifier: Apache-2.0
import type { SandboxEvent } from '@writ/sandbox-host';
import { startTelemetry } from '@writ/telemetry';
import { sandboxEvents, watchWarmPools } from './sandbox-events.ts';

const image = 'sha256:1';
const error = new Error('quota');

describe('what sandboxes report', () => {
  const lines: { level: string; event?: { type: string } }[] = [];
  const telemetry = startTelemetry({
    service: 'executor',
    version: '0',
    destination: {
      write: (line) => {
        lines.push(JSON.parse(line) as (typeof lines)[number]);
      },
    },
  });
  const report = sandboxEvents(telemetry.logger('debug'), telemetry.meter);
  afterAll(() => telemetry.shutdown());

  it('is no warning where a container was had, and counted', async () => {
    for (const type of ['pool.hit', 'pool.hit', 'pool.miss'] as const) report({ type, image });
    expect(lines.map(({ level, event }) => `${level} ${event?.type ?? ''}`)).toEqual([
      'debug pool.hit',
      'debug pool.hit',
      'debug pool.miss',
    ]);
    const metrics = await telemetry.metricsText();
    expect(metrics).toContain('writ_sandbox_acquisitions_total{pool="hit"} 2');
    expect(metrics).toContain('writ_sandbox_acquisitions_total{pool="miss"} 1');
  });

  it('is timed where a container was started, or could not be', async () => {
    lines.length = 0;
    for (const [type, ms] of [
      ['container.started', 400],
      ['container.started', 200],
      ['container.start_failed', 3_000],
    ] as const)
      report({ type, image, ms });
    expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug', 'debug']);
    const metrics = await telemetry.metricsText();
    expect(metrics).toMatch(/^writ_sandbox_start_duration_seconds_sum\{outcome="ready"\} 0\.6/m);
    expect(metrics).toContain('writ_sandbox_start_duration_seconds_count{outcome="failed"} 1');
  });

  it('shows the warm pools', async () => {
    watchWarmPools(telemetry.meter, { warmth: { ready: 3, starting: 1 } });
    const metrics = await telemetry.metricsText();
    expect(metrics).toContain('writ_sandbox_pool_containers{state="ready"} 3');
    expect(metrics).toContain('writ_sandbox_pool_containers{state="starting"} 1');
  });

  it('is a warning where somebody should look, unless it is good news, and counted', async () => {
    lines.length = 0;
    const events: readonly SandboxEvent[] = [
      { type: 'engine.lost', error },
      { type: 'engine.back' },
      { type: 'engine.quota', error },
      { type: 'engine.refused', error },
      { type: 'pool.refill_failed', image, error },
      { type: 'container.not_removed', id: 'c', error },
      { type: 'swept', containers: 1 },
    ];
    for (const event of events) report(event);
    expect(lines.map(({ level, event }) => `${level} ${event?.type ?? ''}`)).toEqual([
      'warn engine.lost',
      'info engine.back',
      'warn engine.quota',
      'warn engine.refused',
      'warn pool.refill_failed',
      'warn container.not_removed',
      'info swept',
    ]);
    const metrics = await telemetry.metricsText();
    for (const { type } of events) expect(metrics).toContain(`writ_sandbox_events_total{event="${type}"} 1`);
    expect(metrics).not.toContain('event="other"');
  });
});
