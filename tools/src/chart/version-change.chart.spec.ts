// SPDX-License-Identifier: Apache-2.0
// The objects that another chart version replaces, where nothing else changes.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESSES } from '@writ/contract';
import { chartTools, describeChart, exampleFile, SMALL } from './chart.contract.ts';
import { CHART, renderObjects, type KubeObject } from './render.ts';

const LASTING = ['nats', 'postgres'];

describeChart('another version of the chart', () => {
  let chart: string;
  beforeAll(() => {
    chart = join(mkdtempSync(join(tmpdir(), 'writ-chart-')), 'writ');
    cpSync(CHART, chart, { recursive: true });
    const file = join(chart, 'Chart.yaml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace(/^version: .+$/m, 'version: 9.9.9')
        .replace(/^appVersion: .+$/m, 'appVersion: 9.9.9'),
    );
  });
  afterAll(() => {
    rmSync(join(chart, '..'), { recursive: true });
  });

  /** The pod templates of workloads, by component. */
  const templatesOf = (objects: readonly KubeObject[]): Map<string, unknown> =>
    new Map(
      objects
        .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
        .map(({ metadata, spec }) => [
          metadata.labels!['app.kubernetes.io/component']!,
          (spec as { template: unknown }).template,
        ]),
    );

  test('replaces the four services, and neither Postgres nor NATS, which every call needs', () => {
    const options = { helm: chartTools().helm, files: [exampleFile(SMALL)] };
    const before = templatesOf(renderObjects(options));
    const after = templatesOf(renderObjects({ ...options, chart }));
    const replaced = [...before.keys()].filter(
      (name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)),
    );
    expect([...before.keys()].sort()).toEqual([...PROCESSES, ...LASTING].sort());
    expect(replaced.sort()).toEqual([...PROCESSES].sort());
  });
});
