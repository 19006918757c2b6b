// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, startStack, type Stack, type World } from '@writ/stack';
import { chatChunk, WireServer, type WireRequest } from '@writ/testing';
import type { Metric } from '../measure.ts';
import { processorTime, printEach } from '../processor-time.ts';
import { makeWorlds } from './calls.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

const FAMILY = 'writ_run_round_overhead_duration_seconds';
/** Latency of this benchmark's model. */
const THINKS_MS = 2_000;
/**
 * Rounds before it counts: prompts are composed, code is compiled, and each of a dozen connections plans its
 * statements.
 */
const WARM_UP_MS = 30_000;

/** Each reply writes a small file of the run, without end; it arrives whole after the model's latency. */
async function replyTo({ body }: WireRequest): Promise<{ chunks: string[]; end: 'whole' }> {
  const round = (body['messages'] as { role: string }[]).filter(({ role }) => role === 'assistant').length;
  await sleep(THINKS_MS);
  const call = {
    index: 0,
    id: `call_${round}`,
    type: 'function',
    function: {
      name: 'write_file',
      arguments: JSON.stringify({ path: `file-${round % 8}.txt`, content: `round ${round}` }),
    },
  };
  return {
    chunks: [
      chatChunk({ content: 'I go on.' }),
      chatChunk({ tool_calls: [call] }),
      chatChunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ],
    end: 'whole',
  };
}

/** A histogram of the orchestrator: how many samples were at most that many seconds. */
type Buckets = ReadonlyMap<number, number>;

async function bucketsOf({ services }: Stack): Promise<Buckets> {
  const text = await (await fetch(`http://127.0.0.1:${services.orchestrator.env['WRIT_OPS_PORT']}/metrics`)).text();
  return new Map(
    [...text.matchAll(new RegExp(`^${FAMILY}_bucket\\{.*?le="([^"]+)"\\} (\\d+)`, 'gm'))].map(([, le = '', n = '']) => [
      le === '+Inf' ? Infinity : Number(le),
      Number(n),
    ]),
  );
}

/**
 * A quantile, interpolated linearly between two bounds as Prometheus' histogram_quantile does; at a bound it is exact.
 */
function quantileMs(buckets: Buckets, q: number): number {
  const wanted = q * (buckets.get(Infinity) ?? 0);
  let [from, before] = [0, 0];
  for (const [le, n] of buckets) {
    if (n >= wanted)
      return (
        Math.round(
          (le === Infinity ? from : from + ((le - from) * (wanted - before)) / Math.max(1, n - before)) * 1e6,
        ) / 1e3
      );
    [from, before] = [le, n];
  }
  return Number.NaN;
}

async function begin(world: World): Promise<void> {
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: 'slow',
  });
  await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input: 'Write.', rounds_max: 200 });
}

/**
 * Concurrent sessions, each in its own tenant and workspace, whose models take two seconds for a reply of one call. It
 * measures the orchestrator's time per call, by its own histogram, and the processor time of every process. Own stack,
 * on loopback.
 */
export async function loopOverhead({
  sessions,
  seconds,
}: {
  readonly sessions: number;
  readonly seconds: number;
}): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'writ-bench-'));
  const model = await new WireServer().open();
  model.script = replyTo;
  writeFileSync(join(folder, 'key'), 'sk-of-this-bench');
  writeFileSync(
    join(folder, 'models.json'),
    JSON.stringify({
      models: [{ name: 'slow', provider: 'openai', model: 'slow', base_url: `${model.url}/v1`, key_file: 'key' }],
    }),
  );
  const stack = await startStack({
    env: {
      orchestrator: {
        WRIT_MODELS_FILE: join(folder, 'models.json'),
        WRIT_RATE_PER_SECOND: '100000',
        WRIT_RATE_BURST: '100000',
      },
    },
  });
  try {
    for (const world of await makeWorlds(stack, sessions)) await begin(world);
    await eventually(
      'as many second rounds as runs',
      async () => model.requests.filter(({ body }) => (body['messages'] as unknown[]).length > 2).length >= sessions,
      120_000,
    );
    await sleep(WARM_UP_MS);
    const names = ['orchestrator', 'kernel', 'executor', 'ledger'] as const;
    const [first, spent, began] = [await bucketsOf(stack), await processorTime(stack, names), performance.now()];
    await sleep(seconds * 1_000);
    const [last, spentSince, ms] = [
      await bucketsOf(stack),
      await processorTime(stack, names),
      performance.now() - began,
    ];
    const buckets = new Map([...last].map(([le, n]) => [le, n - (first.get(le) ?? 0)]));
    const n = buckets.get(Infinity) ?? 0;
    if (n === 0) throw new Error('no call was made meanwhile');
    printEach('of one call in a run', spent, spentSince, n);
    console.log(`  at most 15 ms: ${((100 * (buckets.get(0.015) ?? 0)) / n).toFixed(1)} % of ${n}`);
    return {
      n,
      p50: quantileMs(buckets, 0.5),
      p95: quantileMs(buckets, 0.95),
      p99: quantileMs(buckets, 0.99),
      rate: Math.round((n * 1e6) / ms) / 1e3,
      unit: 'ms',
    };
  } finally {
    await stack.stop();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
