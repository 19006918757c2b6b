// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serviceProgram } from '../build/bundle-services.ts';
import { waitUntilReady } from '../parts/ready.ts';
import { launch, type Child } from '../process/launch.ts';
import { SetupError } from '../setup-error.ts';
import type { Setup } from '../setup.ts';
import { SERVICES, type ServiceName, type Variables } from './services.ts';

/** Time to connect, compile policies and fill the warm pool, on a machine that was just compiling. */
const READY_MS = 60_000;

/** A service finishes its present call; a lease outlives this, so nothing is lost if it doesn't. */
const STOP_MS = 10_000;

const isReady = async (port: string): Promise<boolean> => {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) });
  return answer.ok;
};

/**
 * Starts one service, and resolves when its `/readyz` reports that it is ready.
 * @throws SetupError where it doesn't become ready; then nothing of it keeps running
 */
export const startService = async (setup: Setup, name: ServiceName, env: Variables): Promise<Child> => {
  const program = serviceProgram(setup.checkout, name);
  if (!existsSync(program)) throw new SetupError(`\`${program}\` is missing: run \`npm run build\``);
  for (const dir of [
    env['WRIT_CACHE_DIR'],
    env['WRIT_LEDGER_MEMORY_FILE'] && join(env['WRIT_LEDGER_MEMORY_FILE'], '..'),
  ]) {
    if (dir) mkdirSync(dir, { recursive: true, mode: 0o700 });
  }
  const child = await launch(setup, {
    name,
    kind: 'service',
    command: process.execPath,
    args: ['--enable-source-maps', program],
    env,
    signal: 'SIGTERM',
    graceMs: STOP_MS,
  });
  const port = env['WRIT_OPS_PORT'] ?? '';
  try {
    await waitUntilReady(child, () => isReady(port), READY_MS);
  } catch (error) {
    await child.stop(0);
    throw error;
  }
  setup.report(`${name} is ready`);
  return child;
};

/** Starts all four in parallel: each waits by itself for the others. */
export const startServices = async (
  setup: Setup,
  environments: Readonly<Record<ServiceName, Variables>>,
): Promise<Child[]> => Promise.all(SERVICES.map((name) => startService(setup, name, environments[name])));
