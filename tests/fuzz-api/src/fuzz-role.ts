// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { makeWorld, type Stack, type World } from '@writ/stack';
import type { PythonEnvironment } from '@writ/testing';

const run = promisify(execFile);

/** Who sends the requests: each role of a key, the platform, and nobody. */
export const CALLERS = ['admin', 'operator', 'agent', 'auditor', 'worker', 'platform', 'nobody'] as const;
export type FuzzCaller = (typeof CALLERS)[number];

/** What must hold for every answer, whatever was sent. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'ignored_auth',
  'unsupported_method',
  'allow_header_conformance',
];

/** More requests, and more invalid keys, than the fuzzer sends. */
const NO_BOUND = '100000';
export const FUZZED_ORCHESTRATOR = {
  WRIT_RATE_PER_SECOND: NO_BOUND,
  WRIT_RATE_BURST: NO_BOUND,
  WRIT_AUTH_FAILURES_PER_MINUTE: NO_BOUND,
  WRIT_PUBLIC_URL: 'https://writ.example.org',
};

/** How much a caller sends. */
export interface Budget {
  /** arguments of the fuzzer that bound it */
  readonly bounds: readonly string[];
  readonly seed: string;
  /** after which it has hung */
  readonly timeoutMs: number;
}

/** The fuzzer ends a phase late by up to some requests. */
const GRACE_MS = 60_000;
/**
 * A run among other checks takes its requests from one sequence, so that it fails for a change and not by chance: as
 * many of them as fit into this time, which with seven callers, two at once, is less than a minute. All of them, some
 * twelve thousand for each caller, take six minutes.
 */
const SHORT = { seed: '1', seconds: 4 };

/**
 * With `WRIT_API_FUZZ_SECONDS` each caller has that long, and requests of a new seed, which `WRIT_API_FUZZ_SEED`
 * repeats.
 */
export function budgetOf(env: Readonly<Record<string, string | undefined>>): Budget {
  const { WRIT_API_FUZZ_SECONDS: given, WRIT_API_FUZZ_SEED } = env;
  const seconds = given === undefined ? SHORT.seconds : Number(given);
  const more = given === undefined ? ['--generation-deterministic'] : ['--generation-database=none'];
  return {
    bounds: ['--phases=coverage,fuzzing', `--max-time=${String(seconds)}`, ...more],
    seed: WRIT_API_FUZZ_SEED ?? (given === undefined ? SHORT.seed : String(randomInt(2 ** 31))),
    timeoutMs: seconds * 1_000 + GRACE_MS,
  };
}

/** Seconds of one request: more than the longest wait that the hooks let through. */
const REQUEST_SECONDS = 30;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export interface Fuzzing {
  readonly environment: PythonEnvironment;
  readonly stack: Stack;
  readonly caller: FuzzCaller;
  readonly budget: Budget;
}

/** Sends requests made from the API's own document. Returns what the fuzzer found; empty where it found nothing. */
export async function fuzz({ environment, stack, caller, budget }: Fuzzing): Promise<string> {
  const world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'a.txt': 'hello\n', 'src/b.txt': 'x\n' },
  });
  const { key, ids } = await fixtureOf(stack, world, caller);
  const args = [
    'run',
    `${stack.url}/openapi.json`,
    ...(key === null ? [] : ['--header', `Authorization: Bearer ${key}`]),
    `--checks=${CHECKS.join(',')}`,
    ...budget.bounds,
    `--request-timeout=${REQUEST_SECONDS}`,
    `--seed=${budget.seed}`,
    '--suppress-health-check=all',
    '--warnings=off',
    '--continue-on-failure',
    '--no-color',
  ];
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: import.meta.dirname,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
    SCHEMATHESIS_HOOKS: 'hooks',
    WRIT_FUZZ_IDS: JSON.stringify(ids),
  };
  try {
    await run(environment.program('schemathesis'), args, {
      env,
      cwd: stack.folder,
      timeout: budget.timeoutMs,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    return '';
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `WRIT_API_FUZZ_SEED=${budget.seed} as ${caller}: ${stdout === '' ? String(error) : stdout}${stderr}`;
  }
}

/** The key of a caller, and ids that lead to things of its tenant, by the names of parameters. */
async function fixtureOf(
  stack: Stack,
  world: World,
  caller: FuzzCaller,
): Promise<{ key: string | null; ids: Record<string, string> }> {
  const { admin, tenantId, agentId, workspaceId, tokenId } = world;
  // A key that nobody uses: it may be revoked.
  const spare = (await admin.must('/v1/api-keys', { name: 'spare', role: 'auditor' })).api_key_id as string;
  const worker = await admin.must('/v1/api-keys', { name: 'worker', role: 'worker', tools: ['billing.*'] });
  const call = await world.call('fs.read', { path: 'a.txt' });
  const keys: Record<FuzzCaller, string | null> = {
    admin: admin.key ?? null,
    operator: world.operator.key ?? null,
    agent: world.agent.key ?? null,
    auditor: world.auditor.key ?? null,
    worker: worker.api_key as string,
    platform: stack.keys.platformKey,
    nobody: null,
  };
  const ids = {
    tenant_id: tenantId,
    agent_id: agentId,
    workspace_id: workspaceId,
    capability_token_id: tokenId,
    operation_id: call.body.operation_id as string,
    api_key_id: spare,
    tool_id: 'fs.read',
    path: 'a.txt',
  };
  return { key: keys[caller], ids };
}
