// SPDX-License-Identifier: Apache-2.0
// Every query of every dashboard and alert, run by a real Prometheus that scrapes the real services under a small mixed
// load. `WRIT_DASHBOARD_SECONDS` prolongs the load. `WRIT_DASHBOARD_DATA` names a file for the answers, from which
// `tools/src/dashboards/plot.ts` draws pictures.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  openFakeInternet,
  startStack,
  type FakeInternet,
  type Stack,
  type World,
} from '@writ/stack';
import { freePort, repositoryRoot, WireServer } from '@writ/testing';
import { parse } from 'yaml';
import { CALLING_REPLY, MixedLoad, openReceiver, REPLY, writeModels } from './mixed-load.ts';
import { prometheusProgram, PrometheusServer, type Series } from './prometheus-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

const SCRAPE_SECONDS = 2;
const LOAD_SECONDS = Number(process.env['WRIT_DASHBOARD_SECONDS'] ?? 45);
/** The window of a rate: several scrapes, on a machine that may delay some. */
const RATE = '20s';
const STEP_SECONDS = 5;
/** Panels about events that don't happen under this load, so they are empty. */
const EMPTY: ReadonlySet<string> = new Set([]);

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string; readonly instant?: boolean }[];
}
interface Dashboard {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const root = repositoryRoot();
const DASHBOARDS = readdirSync(join(root, 'deploy/grafana/dashboards')).sort();
const dashboardOf = (file: string): Dashboard =>
  JSON.parse(readFileSync(join(root, 'deploy/grafana/dashboards', file), 'utf8')) as Dashboard;
const ALERTS = (
  parse(readFileSync(join(root, 'deploy/prometheus/rules/writ-alerts.yaml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  }
).groups.flatMap(({ rules }) => rules);

const program = prometheusProgram();
const there = describe.skipIf(program === undefined);
const WHERE = program === undefined ? ' (skipped: there is no `prometheus`; Debian: apt-get install prometheus)' : '';

there(`with a real Prometheus${WHERE}`, () => {
  let folder: string;
  let model: WireServer;
  let receiver: Server;
  let fakeInternet: FakeInternet;
  let witness: ChildProcess;
  let stack: Stack;
  let world: World;
  let prometheus: PrometheusServer;
  let span: { from: number; to: number; step: number };
  const answers: Record<string, unknown> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writ-dashboards-'));
    model = await new WireServer().open();
    model.script = ({ body }) =>
      (body['messages'] as { role: string }[]).at(-1)?.role === 'tool' ? REPLY : CALLING_REPLY;
    const hooks = await openReceiver();
    receiver = hooks.server;
    fakeInternet = await openFakeInternet((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('outside');
    });
    const cosigns = await prepareWitness(folder);
    stack = await startStack({
      programs: { executor: [fakeInternet.program] },
      env: {
        executor: fakeInternet.env,
        ledger: { WRIT_WITNESSES_FILE: cosigns.file },
        orchestrator: {
          WRIT_WEBHOOK_ALLOW: hooks.place,
          WRIT_MODELS_FILE: writeModels(folder, model.url),
          WRIT_RATE_PER_SECOND: '10000',
          WRIT_RATE_BURST: '10000',
        },
      },
    });
    witness = cosigns.serve(
      (JSON.parse(readFileSync(stack.keys.publicKeysFile, 'utf8')) as { log_keys: [string] }).log_keys[0],
    );
    const targets = Object.fromEntries(
      Object.values(stack.services).map(({ name, env }) => [name, [`127.0.0.1:${env['WRIT_OPS_PORT'] ?? ''}`]]),
    );
    prometheus = await PrometheusServer.start(program!, targets, SCRAPE_SECONDS);
    world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'old/b.txt': 'two\n' } });
    const load = await MixedLoad.of(world, hooks.place);
    const from = Date.now() / 1_000;
    await load.run(LOAD_SECONDS);
    await eventually('every service was scraped', async () => (await prometheus.jobsUp()).length === 4);
    span = { from, to: Date.now() / 1_000, step: STEP_SECONDS };
  });
  afterAll(async () => {
    await prometheus?.stop();
    await stack?.stop();
    witness?.kill('SIGKILL');
    fakeInternet?.close();
    receiver?.close();
    await model?.close();
    const file = process.env['WRIT_DASHBOARD_DATA'];
    if (file !== undefined) writeFileSync(file, JSON.stringify({ span, answers }));
    rmSync(folder, { recursive: true, force: true });
  });

  const asked = (expr: string): string =>
    expr.replaceAll('$__rate_interval', RATE).replaceAll('$tenant', world.tenantId);

  it.each(DASHBOARDS)('no panel of %s fails or is empty', async (file) => {
    const { title, panels } = dashboardOf(file);
    const shown: { title: string; type: string; series: { legend: string; values: Series['values'] }[] }[] = [];
    const bad: string[] = [];
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      const series: { legend: string; values: Series['values'] }[] = [];
      for (const { expr, legendFormat, instant } of panel.targets ?? []) {
        try {
          const found =
            instant === true ? await prometheus.now(asked(expr)) : await prometheus.range(asked(expr), span);
          series.push(
            ...found
              .filter(hasFigure)
              .map(({ metric, values }) => ({ legend: legendOf(legendFormat, metric), values })),
          );
        } catch (error) {
          bad.push(`${panel.title}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      if (series.length === 0 && !EMPTY.has(`${file} ${panel.title}`))
        bad.push(
          `${panel.title} is empty: ${panel.targets?.map(({ expr }) => asked(expr)).join('; ') ?? 'it asks nothing'}`,
        );
      shown.push({ title: panel.title, type: panel.type, series });
    }
    answers[file] = { title, panels: shown };
    expect(bad).toEqual([]);
  });

  it.each(ALERTS.map(({ alert, expr }) => [alert, expr] as const))(
    'the query of the alert %s has an answer',
    async (_alert, expr) => {
      await expect(prometheus.now(asked(expr))).resolves.toBeInstanceOf(Array);
    },
  );

  it('Prometheus evaluates every rule without an error', async () => {
    const rules = await eventually('every rule was evaluated', async () => {
      const all = await prometheus.rules();
      return all.every(({ health }) => health !== 'unknown') ? all : null;
    });
    expect(rules.length).toBeGreaterThan(50);
    expect(
      rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${lastError ?? ''}`),
    ).toEqual([]);
  });

  it('a healthy system under load raises no critical alert beyond what the load causes', async () => {
    const firing = await prometheus.now('ALERTS{alertstate="firing", severity="critical"}');
    expect(firing.map(({ metric }) => metric['alertname'])).toEqual([]);
  });
});

/** Whether a reader sees anything: a quantile of no samples is NaN. */
const hasFigure = ({ values }: Series): boolean => values.some(([, value]) => Number.isFinite(Number(value)));

const legendOf = (format: string, metric: Series['metric']): string =>
  format === '__auto'
    ? Object.values(metric).join(' ')
    : format.replaceAll(/\{\{(\w+)\}\}/g, (_all, label: string) => metric[label] ?? '');

/** A witness of the CLI, and the file that names it. */
async function prepareWitness(
  folder: string,
): Promise<{ readonly file: string; readonly serve: (logKey: string) => ChildProcess }> {
  const cli = join(root, 'apps/cli/dist/main.js');
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' };
  const [dir, port] = [join(folder, 'witness'), await freePort()];
  const { stdout } = spawnSync(process.execPath, [cli, 'witness', 'key', '--dir', dir, '--name', 'witness.test/w1'], {
    encoding: 'utf8',
    env,
  });
  const file = join(folder, 'witnesses.json');
  writeFileSync(
    file,
    JSON.stringify({ witnesses: [{ url: `http://127.0.0.1:${String(port)}/`, key: stdout.trimEnd() }] }),
  );
  return {
    file,
    serve: (logKey) =>
      spawn(process.execPath, [cli, 'witness', 'serve', '--dir', dir, '--log', logKey, '--port', String(port)], {
        env,
        stdio: 'ignore',
      }),
  };
}
