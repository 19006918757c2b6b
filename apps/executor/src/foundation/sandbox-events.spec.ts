// SPDX-License-Identifier: Apache-2.0
import type { SandboxEvent } from '@writ/sandbox-host';
import { startTelemetry } from '@writ/telemetry';
import { sandboxEvents, watchWarmPools } from './sandbox-events.ts';

const image = 'sha256:1';
const error = new Error('quota');

describe('a sandbox event', () => {
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

  it('for an acquired container is counted and logged at debug level', async () => {
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

  it('for a started or failed container records the duration', async () => {
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

  it('does not change the gauge of warm pools', async () => {
    watchWarmPools(telemetry.meter, { poolCounts: { ready: 3, starting: 1 } });
    const metrics = await telemetry.metricsText();
    expect(metrics).toContain('writ_sandbox_pool_containers{state="ready"} 3');
    expect(metrics).toContain('writ_sandbox_pool_containers{state="starting"} 1');
  });

  it('for a problem is counted and logged as a warning, and for a recovery as info', async () => {
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
