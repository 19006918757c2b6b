// SPDX-License-Identifier: Apache-2.0
// The capacity model of docs/operations/sizing.md: formulas on measured costs, and on the defaults of code and chart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROCESSES, type Process } from '@writ/contract';
import { POOL_CONNECTIONS_MAX } from '@writ/database';
import { parse } from 'yaml';
import { variablesOfProcess } from '../chart/settings.ts';
import { code, table } from './table.ts';

const KIB = 1024;

/** Users of processor time for a call. */
const PAYERS = [...PROCESSES, 'postgres', 'nats'] as const;
type Payer = (typeof PAYERS)[number];

/** The cost of one call: milliseconds of processor time of each, and bytes that stay in the database. */
interface Cost {
  readonly ms: Readonly<Record<Payer, number>>;
  readonly bytes: number;
}

/**
 * Measured on two processors: bench/'s `footprint_inline` and `footprint_sandboxed` describe the method, and
 * bench/results has a run. Processor times of a file operation are from an idle machine. Those of a command were
 * measured beside other work and at a few calls a second. They contain the processes' background work, so they are
 * upper bounds. The processor time of the sandboxes themselves is not included.
 */
export const COSTS: Readonly<Record<'file' | 'command', Cost>> = {
  file: { ms: { orchestrator: 1.5, kernel: 5.6, executor: 2.1, ledger: 1.6, postgres: 7, nats: 1.7 }, bytes: 33 * KIB },
  command: { ms: { orchestrator: 14, kernel: 23, executor: 17, ledger: 12, postgres: 20, nats: 1.7 }, bytes: 20 * KIB },
};

/** Planned utilisation of a processor, and of slots: the rest is for bursts and for a lost replica. */
const USE = 0.6;
/** Measured maximum of seconds until a sandbox pod is ready; the warm pool bridges them. */
const COLD_SECONDS = 2;
/** Bursts: the pool holds the arrivals of twice that time. */
const BURST = 2;
/** Measured pod starts in a second on a node with two processors: the lower figure. */
const STARTS_PER_NODE = 2.5;
/** Two of each, so that one may fail. */
const REPLICAS_MIN = 2;
const DAY_SECONDS = 86_400;
const GIB = 1024 ** 3;

/** Calls of a deployment, over all tenants. */
export interface Workload {
  readonly callsPerSecond: number;
  /** the share of calls that run a command */
  readonly commandShare: number;
  /** the duration of a command */
  readonly commandSeconds: number;
}

/** The executor's settings in the model. */
export interface ExecutorSettings {
  readonly slots: number;
  readonly sessions: number;
  readonly prePopulated: number;
}

export interface Plan {
  readonly replicas: Readonly<Record<Process, number>>;
  /** processors for Postgres and NATS */
  readonly processors: Readonly<Record<'postgres' | 'nats', number>>;
  /** concurrent commands, on average */
  readonly running: number;
  /** WRIT_POOL_SIZE of each executor */
  readonly pool: number;
  /** `sandbox.quota.pods` */
  readonly pods: number;
  /** nodes of two processors whose pod starts match the commands: each sandbox is used once */
  readonly nodes: number;
  readonly connections: number;
  readonly gibPerDay: number;
}

/** Connections to Postgres of one replica of each process. */
export type Connections = Readonly<Record<Process, number>>;

/**
 * The maximum of replicas' connections, during a rollout with one more of each Deployment. Ledgers are replaced one by
 * one.
 */
export const connectionsOf = (replicas: Readonly<Record<Process, number>>, each: Connections): number =>
  PROCESSES.reduce((sum, name) => sum + (replicas[name] + (name === 'ledger' ? 0 : 1)) * each[name], 0);

/**
 * The maximum of pods of one executor: the warm pool, pre-populated ones, running commands, session shells, and as many
 * processes of MCP programs as there may be shells.
 */
export const podsOf = (pool: number, { slots, prePopulated, sessions }: ExecutorSettings): number =>
  pool + prePopulated + slots + 2 * sessions;

export function planFor(load: Workload, settings: ExecutorSettings, each: Connections): Plan {
  const commands = load.callsPerSecond * load.commandShare;
  const files = load.callsPerSecond - commands;
  const busy = (payer: Payer): number =>
    (files * COSTS.file.ms[payer] + commands * COSTS.command.ms[payer]) / 1_000 / USE;
  const replicasOf = (process: Process): number => Math.max(REPLICAS_MIN, Math.ceil(busy(process)));
  // Little's law: arrivals in a second, times the duration of each.
  const running = commands * load.commandSeconds;
  const executor = Math.max(replicasOf('executor'), Math.ceil(running / (settings.slots * USE)));
  const pool = Math.max(1, Math.ceil((commands / executor) * COLD_SECONDS * BURST));
  const replicas = {
    orchestrator: replicasOf('orchestrator'),
    kernel: replicasOf('kernel'),
    executor,
    ledger: replicasOf('ledger'),
  };
  return {
    replicas,
    processors: { postgres: Math.ceil(busy('postgres')), nats: Math.ceil(busy('nats')) },
    running,
    pool,
    pods: executor * podsOf(pool, settings),
    nodes: Math.ceil(commands / STARTS_PER_NODE),
    connections: connectionsOf(replicas, each),
    gibPerDay: ((files * COSTS.file.bytes + commands * COSTS.command.bytes) * DAY_SECONDS) / GIB,
  };
}

/** Connections to Postgres of one replica of each process, as the code opens them. */
export async function connectionsEach(checkout: string): Promise<Connections> {
  // Imported by path: no tool depends on an app, and this only reads its data.
  const { KERNEL_CONNECTIONS } = (await import(join(checkout, 'apps/kernel/src/foundation/database/pools.ts'))) as {
    KERNEL_CONNECTIONS: { tenants: number; workers: number };
  };
  const { tenants, workers } = KERNEL_CONNECTIONS;
  const other = POOL_CONNECTIONS_MAX;
  return { orchestrator: other, kernel: tenants + workers, executor: other, ledger: other };
}

interface Amounts {
  readonly cpu: string;
  readonly memory: string;
}

/** The chart's values in the model. */
export interface ChartValues {
  readonly postgres: { readonly bundled: { readonly maxConnections: number } };
  readonly sandbox: { readonly quota: { readonly pods: number; readonly requests: Amounts; readonly limits: Amounts } };
  readonly executor: {
    readonly keda: { readonly threshold: number; readonly maxReplicas: number };
    readonly settings: Readonly<Record<string, number>>;
  };
  readonly [name: string]: unknown;
}

export const chartValues = (checkout: string, file = 'values.yaml'): ChartValues =>
  parse(readFileSync(join(checkout, 'helm/writ', file), 'utf8')) as ChartValues;

export const replicasIn = (values: ChartValues): Readonly<Record<Process, number>> =>
  Object.fromEntries(
    PROCESSES.map((name) => [name, (values[name] as { readonly replicas: number }).replicas]),
  ) as Record<Process, number>;

/** Defaults of an executor. */
export async function executorDefaults(checkout: string): Promise<ExecutorSettings & { readonly pool: number }> {
  const variables = await variablesOfProcess(checkout, 'executor');
  const of = (name: string): number => Number(variables[name]?.['default']);
  return {
    slots: of('WRIT_SLOTS_SANDBOXED'),
    sessions: of('WRIT_SESSIONS'),
    prePopulated: of('WRIT_POOL_PREPOPULATED'),
    pool: of('WRIT_POOL_SIZE'),
  };
}

/** The table of a call's costs. */
export function costsTable(): string {
  const rows = PAYERS.map((payer) => [
    payer === 'postgres' ? 'Postgres' : payer === 'nats' ? 'NATS' : payer,
    `${String(COSTS.file.ms[payer])} ms`,
    `${String(COSTS.command.ms[payer])} ms`,
  ]);
  const total = (cost: Cost): string =>
    `${String(Math.round(Object.values(cost.ms).reduce((a, b) => a + b) * 10) / 10)} ms`;
  const kib = (cost: Cost): string => `${String(cost.bytes / KIB)} KiB`;
  return table(
    ['', 'a file operation (`fs.write`)', 'a command (`shell.run`)'],
    [
      ...rows,
      ['**together**', total(COSTS.file), total(COSTS.command)],
      ['**stays in the database**', kib(COSTS.file), kib(COSTS.command)],
    ],
  );
}

/** The table of connections with the chart's default replicas. */
export async function connectionsTable(checkout: string): Promise<string> {
  const [each, values] = [await connectionsEach(checkout), chartValues(checkout)];
  const replicas = replicasIn(values);
  const most = (name: Process): number => replicas[name] + (name === 'ledger' ? 0 : 1);
  return table(
    ['process', 'connections of a replica', 'replicas by default', 'at most, while a rollout runs'],
    [
      ...PROCESSES.map((name) => [name, String(each[name]), String(replicas[name]), String(most(name) * each[name])]),
      [
        '**together**',
        '',
        '',
        `${String(connectionsOf(replicas, each))} of ${code('postgres.bundled.maxConnections')} ${String(values.postgres.bundled.maxConnections)}`,
      ],
    ],
  );
}

/** The worked examples of the page. */
export const EXAMPLES: readonly Workload[] = [5, 50, 200].map((callsPerSecond) => ({
  callsPerSecond,
  commandShare: 0.2,
  commandSeconds: 3,
}));
const SLOTS = 8;

export async function examplesTable(checkout: string): Promise<string> {
  const [each, { prePopulated }] = [await connectionsEach(checkout), await executorDefaults(checkout)];
  // Agents of these examples have no open shells, and call no MCP programs.
  const plans = EXAMPLES.map((load) => planFor(load, { slots: SLOTS, prePopulated, sessions: 0 }, each));
  const row = (name: string, of: (plan: Plan) => number): string[] => [name, ...plans.map((plan) => String(of(plan)))];
  return table(
    ['', ...EXAMPLES.map(({ callsPerSecond }) => `${String(callsPerSecond)} calls/s`)],
    [
      row('commands that run at once', ({ running }) => Math.round(running)),
      ...PROCESSES.map((name) => row(code(`${name}.replicas`), ({ replicas }) => replicas[name])),
      row('processors of Postgres', ({ processors }) => processors.postgres),
      row('processors of NATS', ({ processors }) => processors.nats),
      row(code('WRIT_POOL_SIZE'), ({ pool }) => pool),
      row(code('sandbox.quota.pods'), ({ pods }) => pods),
      row('nodes of two processors for sandboxes', ({ nodes }) => nodes),
      row('connections to Postgres', ({ connections }) => connections),
      row('GiB of database a day', ({ gibPerDay }) => Math.round(gibPerDay * 10) / 10),
    ],
  );
}
