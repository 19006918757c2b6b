// SPDX-License-Identifier: Apache-2.0
// `npm run bench`: what a call costs, with references for the least possible cost, in one run on one machine.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startStack, type Stack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import Table from 'cli-table3';
import type { Metric } from './measure.ts';
import { admissions } from './metrics/admissions.ts';
import { appendsLocal } from './metrics/append-local.ts';
import { appendLatency, appends, batchInserts } from './metrics/appends.ts';
import { inlineCalls, makeWorlds, sandboxedCalls } from './metrics/calls.ts';
import { cedarRaw, decisions } from './metrics/decisions.ts';
import { jsonParseRaw, jsonParseWide, parseDialect, parseWide, WHOLE } from './metrics/dialects.ts';
import { footprint } from './metrics/footprint.ts';
import { fairnessFlood } from './metrics/fairness.ts';
import { loopOverhead } from './metrics/loop-overhead.ts';
import { mcpCalls, mcpEcho } from './metrics/mcp.ts';
import { mcpUpstream } from './metrics/mcp-upstream.ts';
import { mk8Compile } from './metrics/mk8.ts';
import { bashRun, mk8Run } from './metrics/mk8-run.ts';
import { inclusionProofs } from './metrics/proofs.ts';
import { bubblewrap, dockerExec, dockerRun, pgCommit, poolIdle } from './metrics/references.ts';
import { sandboxedCold, sandboxedRate, sandboxedWarm, sandboxedWorkspace } from './metrics/sandboxed.ts';
import { vectorIndex, vectorScan } from './metrics/vectors.ts';
import { interactiveBesideFlood } from './metrics/scheduling.ts';
import { ed25519Raw, logVerify, receiptVerify, sha256Raw } from './metrics/verifying.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;
/** `by`: compares rates and not latencies. */
interface OnStack {
  readonly name: string;
  readonly reference: string | null;
  readonly by?: 'rate';
  readonly run: (stack: Stack) => Promise<Measured | null>;
}
/** Measures a library in this process, before other processes start that would use its processor time. */
interface Alone {
  readonly name: string;
  readonly reference: string | null;
  readonly by?: 'rate';
  readonly alone: () => Promise<Measured>;
}
/** Starts its own stack: nothing else runs beside it. */
interface WithOwnStack {
  readonly name: string;
  readonly reference: string | null;
  readonly by?: 'rate';
  readonly own: () => Promise<Measured>;
}
type Benchmark = OnStack | Alone | WithOwnStack;

const MS_MAX = 40_000;
const load = (clients: number, samples: number, warmUp: number) => ({ clients, samples, warmUp, msMax: MS_MAX });

const BENCHMARKS: readonly Benchmark[] = [
  { name: 'cedar_raw_100', reference: null, alone: () => cedarRaw(100, load(1, 1_000, 100)) },
  { name: 'decision_1', reference: 'cedar_raw_100', alone: () => decisions(1, 'allowed', load(1, 10_000, 1_000)) },
  { name: 'decision_10', reference: 'cedar_raw_100', alone: () => decisions(10, 'allowed', load(1, 10_000, 1_000)) },
  {
    name: 'decision_10_refused',
    reference: 'cedar_raw_100',
    alone: () => decisions(10, 'refused', load(1, 10_000, 1_000)),
  },
  { name: 'decision_100', reference: 'cedar_raw_100', alone: () => decisions(100, 'allowed', load(1, 10_000, 1_000)) },
  {
    name: 'decision_100_refused',
    reference: 'cedar_raw_100',
    alone: () => decisions(100, 'refused', load(1, 10_000, 1_000)),
  },
  {
    name: 'decision_100_hidden',
    reference: 'cedar_raw_100',
    alone: () => decisions(100, 'allowed', load(1, 10_000, 1_000), true),
  },
  {
    name: 'decision_100_hidden_refused',
    reference: 'cedar_raw_100',
    alone: () => decisions(100, 'refused', load(1, 10_000, 1_000), true),
  },
  { name: 'decision_1000', reference: 'cedar_raw_100', alone: () => decisions(1000, 'allowed', load(1, 5_000, 1_000)) },
  {
    name: 'decision_1000_refused',
    reference: 'cedar_raw_100',
    alone: () => decisions(1000, 'refused', load(1, 5_000, 1_000)),
  },
  { name: 'sha256_raw', reference: null, alone: () => sha256Raw(200_000) },
  { name: 'ed25519_raw', reference: null, alone: () => ed25519Raw(20_000) },
  { name: 'receipt_verify', reference: 'ed25519_raw', alone: () => receiptVerify(load(1, 3_000, 200)) },
  { name: 'log_verify_hashes', reference: 'sha256_raw', by: 'rate', alone: () => logVerify(131_072, 'hashes') },
  { name: 'log_verify', reference: 'ed25519_raw', by: 'rate', alone: () => logVerify(32_768, 'signatures') },
  { name: 'mk8_compile_1024', reference: null, alone: () => mk8Compile(load(1, 300, 20)) },
  { name: 'bash_run_1000', reference: null, alone: () => bashRun(load(1, 15, 2)) },
  { name: 'mk8_run_1000', reference: 'bash_run_1000', alone: () => mk8Run(load(1, 60, 5)) },
  { name: 'json_parse_1mib', reference: null, alone: () => jsonParseRaw(load(1, 300, 20)) },
  { name: 'parse_1mib', reference: 'json_parse_1mib', alone: () => parseDialect('blocks', WHOLE, load(1, 300, 20)) },
  {
    name: 'parse_1mib_streamed',
    reference: 'json_parse_1mib',
    alone: () => parseDialect('blocks', 16, load(1, 300, 20)),
  },
  {
    name: 'parse_1mib_tools_xml',
    reference: 'json_parse_1mib',
    alone: () => parseDialect('tools-xml', WHOLE, load(1, 300, 20)),
  },
  {
    name: 'parse_1mib_tools_xml_streamed',
    reference: 'json_parse_1mib',
    alone: () => parseDialect('tools-xml', 16, load(1, 300, 20)),
  },
  { name: 'parse_1mib_yips', reference: 'json_parse_1mib', alone: () => parseDialect('yips', WHOLE, load(1, 300, 20)) },
  {
    name: 'parse_1mib_yips_streamed',
    reference: 'json_parse_1mib',
    alone: () => parseDialect('yips', 16, load(1, 300, 20)),
  },
  {
    name: 'parse_1mib_openai',
    reference: 'json_parse_1mib',
    alone: () => parseDialect('openai', WHOLE, load(1, 300, 20)),
  },
  {
    name: 'parse_1mib_anthropic',
    reference: 'json_parse_1mib',
    alone: () => parseDialect('anthropic', WHOLE, load(1, 300, 20)),
  },
  {
    name: 'parse_1mib_gemini',
    reference: 'json_parse_1mib',
    alone: () => parseDialect('gemini', WHOLE, load(1, 300, 20)),
  },
  { name: 'json_parse_wide', reference: null, alone: () => jsonParseWide(load(1, 200, 20)) },
  { name: 'parse_1mib_wide', reference: 'json_parse_wide', alone: () => parseWide(load(1, 200, 20)) },
  { name: 'vector_scan_100k', reference: null, alone: () => vectorScan(100_000, load(1, 200, 20)) },
  { name: 'vector_index_3k', reference: null, alone: () => vectorIndex(3_000, load(1, 200, 20)) },
  { name: 'pg_commit', reference: null, run: (stack) => pgCommit(stack, load(1, 2_000, 200)) },
  { name: 'docker_run', reference: null, run: () => dockerRun(load(1, 40, 3)) },
  { name: 'docker_exec', reference: 'docker_run', run: () => dockerExec(load(1, 40, 3)) },
  { name: 'bubblewrap', reference: 'docker_run', run: () => bubblewrap(load(1, 200, 10)) },
  { name: 'pool_idle_mib', reference: null, run: () => poolIdle() },
  { name: 'admission_c1', reference: 'pg_commit', own: () => admissions(128, load(1, 3_000, 300)) },
  { name: 'admission_c32', reference: 'pg_commit', own: () => admissions(128, load(32, 15_000, 1_000)) },
  { name: 'admission_chain_c32', reference: 'pg_commit', own: () => admissions('chained', load(32, 3_000, 300)) },
  { name: 'admission_budget_c32', reference: 'pg_commit', own: () => admissions('budgeted', load(32, 3_000, 300)) },
  { name: 'pg_batch_insert', reference: null, own: () => batchInserts({ seconds: 20 }) },
  { name: 'ledger_append_c1', reference: 'pg_commit', own: () => appends({ producers: 1, tenants: 1, seconds: 60 }) },
  {
    name: 'ledger_append_c16',
    reference: 'pg_batch_insert',
    by: 'rate',
    own: () => appends({ producers: 16, tenants: 16, seconds: 60 }),
  },
  {
    name: 'ledger_append_c256',
    reference: 'pg_batch_insert',
    by: 'rate',
    own: () => appends({ producers: 256, tenants: 16, seconds: 60 }),
  },
  {
    name: 'ledger_append_1000_tenants',
    reference: 'pg_batch_insert',
    by: 'rate',
    own: () => appends({ producers: 256, tenants: 1_000, seconds: 60 }),
  },
  { name: 'ledger_append_local', reference: 'pg_batch_insert', by: 'rate', own: () => appendsLocal({ seconds: 20 }) },
  {
    name: 'ledger_latency',
    reference: 'pg_commit',
    own: () => appendLatency({ perSecond: 1_000, tenants: 16, seconds: 20 }),
  },
  { name: 'inclusion_proof_1m', reference: 'pg_commit', own: () => inclusionProofs(1_000_000, load(1, 3_000, 300)) },
  { name: 'fairness_flood', reference: null, own: () => fairnessFlood() },
  { name: 'scheduling_inline', reference: null, own: () => interactiveBesideFlood('inline') },
  { name: 'scheduling_sandboxed', reference: null, own: () => interactiveBesideFlood('sandboxed') },
  { name: 'loop_overhead', reference: 'pg_commit', own: () => loopOverhead({ sessions: 100, seconds: 30 }) },
  {
    name: 'inline_call_c1',
    reference: 'pg_commit',
    run: async (stack) => inlineCalls(await makeWorlds(stack, 1), load(1, 1_000, 100)),
  },
  {
    name: 'inline_call_c16',
    reference: 'pg_commit',
    run: async (stack) => inlineCalls(await makeWorlds(stack, 16), load(16, 3_000, 100)),
  },
  { name: 'mcp_echo', reference: null, run: () => mcpEcho(load(1, 1_000, 100)) },
  {
    name: 'mcp_call',
    reference: 'mcp_echo',
    run: async (stack) => mcpCalls((await makeWorlds(stack, 1))[0] as World, 'fs.write', load(1, 1_000, 100)),
  },
  { name: 'mcp_upstream', reference: 'mcp_echo', own: () => mcpUpstream(load(1, 1_000, 100)) },
  { name: 'sandboxed_warm', reference: 'docker_run', run: (stack) => sandboxedWarm(stack) },
  {
    name: 'sandboxed_workspace_1000',
    reference: 'docker_run',
    run: (stack) => sandboxedWorkspace(stack, load(1, 40, 4)),
  },
  { name: 'sandboxed_rate', reference: 'docker_run', run: (stack) => sandboxedRate(stack) },
  {
    name: 'sandboxed_call_c1',
    reference: 'docker_run',
    run: async (stack) => sandboxedCalls(await makeWorlds(stack, 1), load(1, 60, 4)),
  },
  {
    name: 'sandboxed_call_c16',
    reference: 'docker_run',
    run: async (stack) => sandboxedCalls(await makeWorlds(stack, 16), load(16, 120, 4)),
  },
  { name: 'footprint_inline', reference: null, own: () => footprint('fs.write', load(16, 4_000, 500)) },
  { name: 'footprint_sandboxed', reference: null, own: () => footprint('shell.run', load(4, 300, 30)) },
  { name: 'sandboxed_cold', reference: 'docker_run', own: () => sandboxedCold(load(1, 30, 3)) },
];

function chosen(only: string | undefined): readonly Benchmark[] {
  if (only === undefined) return BENCHMARKS;
  const names = only.split(',');
  const unknown = names.find((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (unknown !== undefined)
    throw new Error(
      `there is no benchmark \`${unknown}\`; there are: ${BENCHMARKS.map((benchmark) => benchmark.name).join(', ')}`,
    );
  // A reference is measured in the same run, since figures of different runs are not comparable.
  const needed = new Set(
    names.flatMap((name) => [name, BENCHMARKS.find((benchmark) => benchmark.name === name)?.reference ?? name]),
  );
  return BENCHMARKS.filter((benchmark) => needed.has(benchmark.name));
}

function machine(): Record<string, unknown> {
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}`,
    node: process.version,
  };
}

function show(metrics: Readonly<Record<string, Metric>>): void {
  const table = new Table({
    head: ['benchmark', 'n', 'unit', 'p50', 'p99', 'per second', 'beside', 'ratio'],
    colAligns: ['left', 'right', 'left', 'right', 'right', 'right', 'left', 'right'],
  });
  for (const [name, m] of Object.entries(metrics))
    table.push([name, m.n, m.unit, m.p50, m.p99, m.rate ?? '', m.reference ?? '', m.ratio ?? '']);
  console.log(table.toString());
}

/** Measures one benchmark. One that fails is reported and named at the end: the others' figures are not lost by it. */
type Attempt = (benchmark: Benchmark, measure: () => Promise<Measured | null>) => Promise<void>;

async function measureOnStack(benchmarks: readonly OnStack[], attempt: Attempt): Promise<void> {
  const stack = await startStack({
    env: {
      executor: { WRIT_POOL_SIZE: '8' },
      orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' },
    },
  });
  try {
    for (const benchmark of benchmarks) await attempt(benchmark, () => benchmark.run(stack));
  } finally {
    await stack.stop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, out: { type: 'string' } } });
  const benchmarks = chosen(values.only);
  const metrics: Record<string, Metric> = {};
  const failed: string[] = [];
  const note = (benchmark: Benchmark, measured: Measured): void => {
    const { name, reference } = benchmark;
    const referenceMetric = reference === null ? undefined : metrics[reference];
    const of =
      'by' in benchmark ? ({ rate }: Measured): number => rate ?? Number.NaN : ({ p50 }: Measured): number => p50;
    metrics[name] = {
      ...measured,
      reference,
      ratio: referenceMetric === undefined ? null : Math.round((of(measured) / of(referenceMetric)) * 1_000) / 1_000,
    };
  };
  const attempt: Attempt = async (benchmark, measure) => {
    console.log(`${benchmark.name} …`);
    try {
      const measured = await measure();
      if (measured !== null) note(benchmark, measured);
    } catch (error) {
      console.error(error);
      failed.push(benchmark.name);
    }
  };
  for (const benchmark of benchmarks.filter((one) => 'alone' in one)) await attempt(benchmark, benchmark.alone);
  const onStack = benchmarks.filter((one) => 'run' in one);
  if (onStack.length > 0) await measureOnStack(onStack, attempt);
  for (const benchmark of benchmarks.filter((one) => 'own' in one)) await attempt(benchmark, benchmark.own);
  show(metrics);
  const file =
    values.out ?? join(repositoryRoot(), 'bench', 'results', `${new Date().toISOString().slice(0, 10)}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ machine: machine(), metrics }, null, 2)}\n`);
  console.log(`written to ${file}`);
  if (failed.length > 0) throw new Error(`these benchmarks failed, see above: ${failed.join(', ')}`);
}

await main();
