// SPDX-License-Identifier: Apache-2.0
// One Writ for all specs below tests/e2e/src/shared: those that stop no process and need no own settings.
import { endOfLog, logTailOf, runningStacks } from './process-logs.ts';
import { Proxy } from './proxy.ts';
import { addressOfModels, type ModelServer } from './shared-models.ts';
import type { SharedStack } from './stack.ts';

/** The shared stack as the main process describes it to its workers: serialisable data. */
export interface SharedStackDescription {
  readonly url: string;
  readonly memoryFile: string;
  readonly platformKey: string;
  readonly publicKeysFile: string;
  readonly ownerUrl: string;
  readonly processes: readonly { readonly name: string; readonly pid: number; readonly logFile: string }[];
  /** the loopback address where specs serve their models */
  readonly modelsHost: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly sharedStack: SharedStackDescription;
  }
}

/** A value in the environment of the shared stack's processes that must appear nowhere else. */
export const PROCESS_MARKER = 'marker-6a17-of-a-process';

let connected: SharedStack | undefined;

/** The stack that tests/stack/src/shared-stack-setup.ts started for this test run. */
export async function sharedStack(): Promise<SharedStack> {
  if (connected !== undefined) return connected;
  connected = connectedTo(await readDescription());
  runningStacks().add(connected);
  return connected;
}

/** Vitest is loaded here and not above: benchmarks use this library too, without Vitest. */
const readDescription = async (): Promise<SharedStackDescription> => (await import('vitest')).inject('sharedStack');

function connectedTo(description: SharedStackDescription): SharedStack {
  const { url, memoryFile, platformKey, publicKeysFile, ownerUrl } = description;
  const processes = description.processes.map(({ name, pid, logFile }) => ({
    name,
    pid,
    get isRunning() {
      return isAlive(pid);
    },
    log: () => endOfLog(logFile),
  }));
  return {
    url,
    memoryFile,
    keys: { platformKey, publicKeysFile },
    database: { ownerUrl },
    pids: () => Object.fromEntries(processes.map(({ name, pid, isRunning }) => [name, isRunning ? pid : null])),
    logTails: () => logTailOf(processes),
  };
}

/** Signal 0 is not delivered: it only checks whether the process exists. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Serves a spec's models of the shared stack from the given server, until the result is closed. */
export async function serveModels(server: ModelServer, url: string): Promise<Proxy> {
  const { modelsHost } = await readDescription();
  const { hostname, port } = new URL(url);
  return await Proxy.to({ host: hostname, port: Number(port) }, addressOfModels(modelsHost, server));
}
