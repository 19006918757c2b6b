// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { chartTools, describeChart, EXAMPLES, exampleFile, objectsOf, PRODUCTION } from './chart.contract.ts';
import { chartFiles } from './generated.ts';
import { CHART, parseObjects, renderText } from './render.ts';
import { valueRows } from './values/table.ts';

/** Findings of kube-score that are intended, with the reason. */
const NOT_ASKED = {
  'container-image-pull-policy':
    'images are pinned; a pull at each start would make the registry part of every restart',
  'deployment-has-host-podantiaffinity': 'topology spread does it',
  'statefulset-has-host-podantiaffinity': 'topology spread does it',
  'deployment-replicas': 'an autoscaler counts them, or one is enough for a trial',
  'networkpolicy-targets-pod': 'the driver makes the pods of the sandboxes',
};

const run = (program: string, args: readonly string[], input?: string): { status: number | null; out: string } => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', input, maxBuffer: 64 * 1024 * 1024 });
  return { status, out: `${stdout}${stderr}` };
};

const conform = (manifests: string): { status: number | null; out: string } => {
  const { kubeconform, schemas } = chartTools();
  return run(
    kubeconform,
    ['-strict', '-schema-location', join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json')],
    manifests,
  );
};

const text = (example: string): string => renderText({ helm: chartTools().helm, files: [exampleFile(example)] });

test('generated files match the code: else run `node tools/with-node.mjs tools/src/chart/main.ts`', async () => {
  for (const { text: stands, made } of await chartFiles(checkout)) expect(stands).toBe(made);
});

test('every value of the chart is documented and known to its schema', () => {
  const rows = valueRows(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  expect(rows.length).toBeGreaterThan(200);
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Schema;
  expect(rows.filter(({ path }) => lookUp(schema, path.split('.')) === undefined)).toEqual([]);
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}
const lookUp = (schema: Schema | undefined, path: readonly string[]): Schema | undefined =>
  path.reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema);

describeChart('manifests of the chart', () => {
  test.each(EXAMPLES)('helm lint finds nothing in %s', (example) => {
    const { helm } = chartTools();
    const { status, out } = run(helm, ['lint', CHART, '--strict', '--values', exampleFile(example)]);
    expect(out).toContain('0 chart(s) failed');
    expect(status).toBe(0);
  });

  test.each(EXAMPLES)('every object of %s is valid by the schemas of Kubernetes', (example) => {
    expect(conform(text(example))).toEqual({ status: 0, out: '' });
  });

  test("the ExternalSecrets of the examples are valid by the operator's own definition", () => {
    const manifests = readFileSync(join(CHART, 'examples/external-secrets.yaml'), 'utf8');
    expect(conform(manifests)).toEqual({ status: 0, out: '' });
    expect(conform(manifests.replace('deletionPolicy', 'deletePolicy')).status).toBe(1);
  });

  test("the schemas refuse a field that Kubernetes doesn't know", () => {
    expect(
      conform('{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 1, potr: 2}]}}'),
    ).toMatchObject({ status: 1, out: expect.stringContaining('potr') as string });
    expect(
      conform(
        '{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: a}, spec: {triggers: [], scaleTargetRef: {nmae: x}}}',
      ).status,
    ).toBe(1);
  });

  test('the examples have every kind of object that the chart can render', () => {
    const kinds = new Set(EXAMPLES.flatMap((example) => objectsOf(example).map(({ kind }) => kind)));
    for (const kind of [
      'Ingress',
      'HTTPRoute',
      'HorizontalPodAutoscaler',
      'ScaledObject',
      'PodMonitor',
      'ServiceMonitor',
      'ValidatingAdmissionPolicy',
      'LimitRange',
    ])
      expect(kinds).toContain(kind);
  });

  test.each(EXAMPLES)('no object of %s comes twice', (example) => {
    const names = parseObjects(text(example)).map(
      ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('kube-score finds nothing unintended in a production installation', () => {
    const folder = mkdtempSync(join(tmpdir(), 'writ-score-'));
    const file = join(folder, 'manifests.yaml');
    writeFileSync(file, text(PRODUCTION));
    const ignored = Object.keys(NOT_ASKED).flatMap((name) => ['--ignore-test', name]);
    const { out } = run(chartTools().kubeScore, [
      'score',
      file,
      '--output-format',
      'ci',
      '--kubernetes-version',
      'v1.35',
      ...ignored,
    ]);
    rmSync(folder, { recursive: true });
    expect(out).toContain('[OK]');
    expect(out.split('\n').filter((line) => /^\[(WARNING|CRITICAL)\]/.test(line))).toEqual([]);
  });
});
