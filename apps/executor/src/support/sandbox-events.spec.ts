// SPDX-License-Identifier: Apache-2.0
import { startTelemetry } from '@writ/telemetry';
import { sandboxEvents } from './sandbox-events.ts';

describe('what sandboxes report', () => {
  const lines: { level: string; event?: { type: string } }[] = [];
  const telemetry = startTelemetry({ service: 'executor', version: '0', destination: { write: (line) => { lines.push(JSON.parse(line) as (typeof lines)[number]); } } });
  const report = sandboxEvents(telemetry.logger('debug'), telemetry.meter);
  afterAll(() => telemetry.shutdown());

  it('is no warning where a container was had, and counted', async () => {
    for (const type of ['pool.hit', 'pool.hit', 'pool.miss']) report({ type });
    expect(lines.map(({ level, event }) => `${level} ${event?.type ?? ''}`)).toEqual(['debug pool.hit', 'debug pool.hit', 'debug pool.miss']);
    const metrics = await telemetry.metricsText();
    expect(metrics).toContain('writ_sandbox_containers_total{pool="hit"} 2');
    expect(metrics).toContain('writ_sandbox_containers_total{pool="miss"} 1');
  });

  it('is a warning where somebody should look, unless it is good news', () => {
    lines.length = 0;
    for (const type of ['engine.lost', 'engine.back', 'pool.refill_failed', 'container.not_removed', 'swept']) report({ type });
    expect(lines.map(({ level, event }) => `${level} ${event?.type ?? ''}`)).toEqual(['warn engine.lost', 'info engine.back', 'warn pool.refill_failed', 'warn container.not_removed', 'info swept']);
  });
});
