// SPDX-License-Identifier: Apache-2.0
// The configuration of Prometheus and Grafana in deploy/compose.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { ALERTS } from '../dashboards/alerts.ts';
import { readExpression } from '../dashboards/promql.ts';
import { RECORDINGS } from '../dashboards/slos.ts';
import { checkout } from '../setup.ts';
import { SERVICES } from '../supervisor/services.ts';
import { COMPOSE_FOLDER, composeFile, composeText } from './compose-file.ts';

interface PrometheusConfig {
  readonly global: unknown;
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly {
    readonly job_name: string;
    readonly dns_sd_configs?: readonly { readonly names: readonly string[]; readonly port: number }[];
    readonly relabel_configs?: readonly { readonly target_label: string }[];
  }[];
}

const { services } = composeFile('compose.yaml');
const ours = parse(composeText('prometheus/prometheus.yml')) as PrometheusConfig;
const ofOneHost = parse(readFileSync(join(checkout, 'deploy/prometheus/prometheus.yaml'), 'utf8')) as PrometheusConfig;

/** The file in the checkout behind a container's path, by its mounts. */
function inCheckout(service: string, path: string): string {
  const mounts = (services[service]?.volumes ?? []).map((volume) => volume.split(':'));
  const [from = '', to = ''] = mounts.find(([, at = '']) => path.startsWith(`${at}/`)) ?? [];
  return join(COMPOSE_FOLDER, from, path.slice(to.length));
}

const rulesRead = ours.rule_files.flatMap((pattern) => globSync(inCheckout('prometheus', pattern))).sort();

/** Alerts that never fire on Compose, by the variable that it doesn't set; deploy/compose/README.md lists them. */
const SILENT: Readonly<Record<string, string>> = {
  WritWitnessFork: 'WRIT_WITNESSES_FILE',
  WritWitnessSilent: 'WRIT_WITNESSES_FILE',
};

describe("Compose's Prometheus", () => {
  it('starts with the mounted file', () => {
    const flags = services['prometheus']?.command as readonly string[];
    const file = flags.map((flag) => /^--config\.file=(.+)$/.exec(flag)?.[1]).find((path) => path !== undefined) ?? '';
    expect(inCheckout('prometheus', file)).toBe(join(COMPOSE_FOLDER, 'prometheus/prometheus.yml'));
  });

  it('reads every rule that the chart installs', () => {
    const chart = globSync(join(checkout, 'helm/writ/files/rules/*')).sort();
    expect(chart.length).toBeGreaterThan(1);
    expect(rulesRead.map((path) => basename(path))).toEqual(chart.map((path) => basename(path)));
    const texts = (paths: readonly string[]): string[] => paths.map((path) => readFileSync(path, 'utf8'));
    expect(texts(rulesRead)).toEqual(texts(chart));
  });

  it('scrapes the four services like deploy/prometheus/prometheus.yaml: same interval, one job each', () => {
    const [scrape] = ours.scrape_configs;
    expect(ours.global).toEqual(ofOneHost.global);
    expect(scrape?.dns_sd_configs?.flatMap(({ names }) => names).sort()).toEqual([...SERVICES].sort());
    expect(scrape?.relabel_configs).toEqual([{ source_labels: ['__meta_dns_name'], target_label: 'job' }]);
    expect(ofOneHost.scrape_configs.map(({ job_name }) => job_name).sort()).toEqual([...SERVICES].sort());
  });

  it.each(SERVICES)('finds metrics of %s at its address', (name) => {
    const [discovery] = ours.scrape_configs[0]?.dns_sd_configs ?? [];
    const there = { WRIT_OPS_HOST: '0.0.0.0', WRIT_OPS_PORT: String(discovery?.port) };
    expect(services[name]?.environment).toMatchObject(there);
  });

  // Instruments have the same labels everywhere; labels that a Kubernetes monitor adds are missing here.
  it.each([
    ...ALERTS.map(({ alert, expr }) => [alert, expr] as const),
    ...RECORDINGS.map(({ record, labels, expr }) => [`${record} ${labels['slo'] ?? ''}`, expr] as const),
  ])('the rule %s uses no label that only Kubernetes adds', (_name, expr) => {
    const { selectors, grouping } = readExpression(expr);
    const labels = [...selectors.flatMap((each) => each.labels), ...grouping];
    const kubernetes = /^(?:namespace|pod|container|service|node|endpoint|cluster)$/;
    expect(labels.filter((label) => kubernetes.test(label))).toEqual([]);
  });

  it.each(Object.entries(SILENT))('%s never fires without %s, and the README documents it', (alert, variable) => {
    expect(ALERTS.map((each) => each.alert)).toContain(alert);
    expect(composeText('compose.yaml')).not.toContain(variable);
    expect(composeText('README.md')).toContain(`\`${alert}\``);
  });
});

it('no alert is defined twice in the repository, beside the copies of the chart', () => {
  const files = globSync('{deploy,helm,docker,tests,examples,docs}/**/*.{yaml,yml}', { cwd: checkout }).filter(
    (path) => !path.startsWith('helm/writ/files/rules/'),
  );
  const defined = files.flatMap((path) =>
    [...readFileSync(join(checkout, path), 'utf8').matchAll(/^\s*-?\s*alert: (\w+)/gm)].map(([, name = '']) => name),
  );
  expect(defined.sort()).toEqual(ALERTS.map(({ alert }) => alert).sort());
});

describe("Compose's Grafana", () => {
  const script = join(COMPOSE_FOLDER, 'grafana/make-password.mjs');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'writ-grafana-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const passwordMade = (): string => {
    const ended = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    expect(ended).toMatchObject({ status: 0, stdout: '', stderr: '' });
    return readFileSync(join(folder, 'password'), 'utf8');
  };

  it('reads its password from a file that an earlier step creates', () => {
    const { environment = {}, volumes = [] } = services['grafana'] ?? {};
    expect(Object.keys(environment)).not.toContain('GF_SECURITY_ADMIN_PASSWORD');
    expect(environment['GF_SECURITY_ADMIN_PASSWORD__FILE']).toBe('/etc/writ/grafana/password');
    expect(volumes).toContain('grafana-password:/etc/writ/grafana:ro');
    const [, path = '', at = ''] = services['grafana-password']?.command ?? [];
    expect([path, at]).toEqual(['/var/lib/writ/keys/ca', '']);
    expect(services['grafana-password']?.volumes).toContain(`grafana-password:${path}`);
  });

  it('gets a 192-bit password once, readable by its own user', () => {
    const password = passwordMade();
    expect(password).toMatch(/^[\w-]{32}$/);
    expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o444);
    expect(passwordMade()).toBe(password);
  });
});
