// SPDX-License-Identifier: Apache-2.0
// Runs once in the main process, before the specs below tests/e2e/src/shared: starts the stack that they share.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Process } from '@writ/contract';
import type { TestProject } from 'vitest/node';
import { randomLoopbackAddress, writeModelsFile } from './shared-models.ts';
import { PROCESS_MARKER, type SharedStackDescription } from './shared-stack.ts';
import { startStack, type Stack } from './stack.ts';

const MARKED = { WRIT_TEST_MARKER: PROCESS_MARKER, DEPLOY_TARGET: PROCESS_MARKER };
/** No spec waits for a lease to expire, and no spec may pass because one expired. */
const LEASE_MS = '300000';
/** More requests, and more invalid keys, than all specs send. */
const NO_BOUND = '100000';

const environment = (modelsFile: string): Partial<Record<Process, Readonly<Record<string, string>>>> => ({
  orchestrator: {
    ...MARKED,
    WRIT_MODELS_FILE: modelsFile,
    WRIT_RATE_PER_SECOND: NO_BOUND,
    WRIT_RATE_BURST: NO_BOUND,
    WRIT_AUTH_FAILURES_PER_MINUTE: NO_BOUND,
    // Specs register issuers, which nobody asks for their keys.
    WRIT_PUBLIC_URL: 'https://writ.example.org',
    // Webhooks of specs may lead to this port, where nothing listens.
    WRIT_WEBHOOK_ALLOW: '127.0.0.1:9',
  },
  kernel: { ...MARKED, WRIT_SWEEP_MS: '200', WRIT_LEASE_MS: LEASE_MS, WRIT_IMAGE_SOURCES: 'engine' },
  // For three spec files in parallel: each needs at most four slots for commands, and eight shells.
  executor: {
    ...MARKED,
    WRIT_POOL_SIZE: '2',
    WRIT_SLOTS_INLINE: '24',
    WRIT_SLOTS_SANDBOXED: '12',
    WRIT_SESSIONS: '24',
    // Specs leave shells open. A shell that is idle for a minute is closed.
    WRIT_SESSION_IDLE_MS: '60000',
  },
});

function describe(stack: Stack, modelsHost: string): SharedStackDescription {
  const { url, memoryFile, keys, database, services } = stack;
  return {
    url,
    memoryFile,
    modelsHost,
    platformKey: keys.platformKey,
    publicKeysFile: keys.publicKeysFile,
    ownerUrl: database.ownerUrl,
    processes: Object.values(services).map(({ name, pid, logFile }) => ({ name, pid, logFile })),
  };
}

/** Called by Vitest, which calls the result when all specs have ended. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'writ-shared-'));
  let stack: Stack | undefined;
  const end = async (): Promise<void> => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const modelsHost = randomLoopbackAddress();
    stack = await startStack({ env: environment(writeModelsFile(folder, modelsHost)) });
    project.provide('sharedStack', describe(stack, modelsHost));
    return end;
  } catch (error) {
    await end();
    throw error;
  }
}
