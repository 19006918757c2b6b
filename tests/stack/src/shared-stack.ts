// SPDX-License-Identifier: Apache-2.0
// One Writ for all specs below tests/e2e/src/shared: those that stop no process and need no setting of their own.
import { endOfLog, lastWordsOf, runningStacks } from './process-logs.ts';
import { Proxy } from './proxy.ts';
import { addressOfModels, type ModelServer } from './shared-models.ts';
import type { SharedStack } from './stack.ts';

/** What the main process of a test run tells its workers of the shared stack: data that processes can send. */
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

/** In the environment of the processes of the shared stack, and to be found nowhere else. */
export const PROCESS_MARKER = 'marker-6a17-of-a-process';

let connected: SharedStack | undefined;

/** The stack that tests/stack/src/shared-stack-setup.ts started for this test run. */
export async function sharedStack(): Promise<SharedStack> {
  if (connected !== undefined) return connected;
  connected = connectedTo(await readDescription());
  runningStacks().add(connected);
  return connected;
}

/** Vitest is loaded here and not above: benchmarks use this library, too, and no Vitest runs them. */
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
    lastWords: () => lastWordsOf(processes),
  };
}

/** Signal 0 is sent to nobody: it only asks whether the process is there. */
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
