// SPDX-License-Identifier: Apache-2.0
// A separate process that starts a node, holds its processes, and ends them on SIGTERM. Its one argument is `Order` as
// JSON. It reports progress to its parent over their IPC channel, and continues without the parent once the node is
// ready.
import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { logTail } from '../process/log-tail.ts';
import type { Child } from '../process/launch.ts';
import { readStarted } from '../process/table.ts';
import { makeSetup, type Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { keepRunning } from '../supervisor/keep-running.ts';
import { takeLock } from '../supervisor/lock.ts';
import { cleanNode } from './clean.ts';
import type { ImageArchive } from './images.ts';
import { clusterPaths, SUPERVISOR_ROLE } from './paths.ts';
import type { NodeBinaries } from './programs.ts';
import { provisionVolumes } from './volumes.ts';
import { startNode, type NodeFacts, type StartedNode } from './start.ts';

/** The supervisor's task. */
export interface Order {
  readonly stateDir: string;
  readonly cacheDir: string;
  readonly binaries: NodeBinaries;
  readonly images: readonly ImageArchive[];
}

/** A message to its parent. */
export type Message =
  | { readonly line: string }
  | { readonly ready: NodeFacts }
  | { readonly failed: string; readonly details: readonly string[] };

/** Resolves when the message is sent, or the channel is closed. */
const tell = (message: Message): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve());
    else resolve();
  });
const log = (line: string): void => {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
};

const listenForStop = (): AbortController => {
  const request = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => request.abort(name));
  return request;
};

const failureOf = (error: unknown): { failed: string; details: readonly string[] } =>
  error instanceof SetupError
    ? { failed: error.message, details: error.details }
    : { failed: error instanceof Error ? (error.stack ?? error.message) : String(error), details: [] };

/** By rename: when the file exists, the node is ready. */
const publish = (setup: Setup, facts: NodeFacts): void => {
  const { facts: path } = clusterPaths(setup.stateDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(facts, null, 1)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
};

/** From here on no process attaches to the node. */
const cancel = (setup: Setup): void => rmSync(clusterPaths(setup.stateDir).facts, { force: true });

/** Rejects when a process that the node needs ends. */
const firstEnd = async (children: readonly Child[]): Promise<never> => {
  const { child, how } = await Promise.race(
    children.map((each) => each.ended.then((end) => ({ child: each, how: end }))),
  );
  throw new SetupError(
    `${child.name} ${how}, and the node ends with it; the end of ${child.logFile}:`,
    logTail(child.logFile),
  );
};

/** Resolves when the node should end; rejects when it can't continue. */
const hold = async ({ kept, vital }: StartedNode, stop: AbortSignal): Promise<void> => {
  const keepers = kept.map((service) => keepRunning(service, { stop, report: log }));
  const asked = stop.aborted ? Promise.resolve() : once(stop, 'abort').then(() => undefined);
  await Promise.race([asked, firstEnd(vital), Promise.all(keepers)]);
};

const run = async (setup: Setup, { binaries, images }: Order, request: AbortController): Promise<void> => {
  // Before the node is ready, the parent's end means an interrupted start.
  const interrupted = (): void => request.abort('the parent is gone');
  process.on('disconnect', interrupted);
  const aborted = once(request.signal, 'abort').then(() => {
    throw new SetupError('the start of the cluster was interrupted');
  });
  aborted.catch(() => undefined);
  const node = await Promise.race([startNode(setup, binaries, images), aborted]);
  publish(setup, node.facts);
  process.off('disconnect', interrupted);
  await tell({ ready: node.facts });
  if (process.connected) process.disconnect();
  log(`the node is ready at ${node.facts.apiUrl}`);
  const { volumes } = clusterPaths(setup.stateDir);
  await Promise.race([hold(node, request.signal), provisionVolumes(node.api, volumes, request.signal, log)]);
};

const main = async (order: Order): Promise<number> => {
  const report = (line: string): void => {
    log(line);
    void tell({ line });
  };
  const setup = makeSetup(order.stateDir, order.cacheDir, process.env, report);
  const lock = await takeLock(setup.stateId, SUPERVISOR_ROLE);
  if (!('release' in lock)) {
    await tell({ failed: `${setup.stateDir} is in use by process ${lock.pid} (${lock.role})`, details: [] });
    return 1;
  }
  const request = listenForStop();
  let failure: ReturnType<typeof failureOf> | undefined;
  try {
    cancel(setup);
    await cleanNode(setup, readStarted(setup.stateDir));
    await run(setup, order, request);
  } catch (error) {
    failure = failureOf(error);
    log([failure.failed, ...failure.details].join('\n'));
  }
  await end(setup, request);
  // The parent gets the failure after everything has ended.
  if (failure !== undefined) await tell(failure);
  lock.release();
  return failure === undefined ? 0 : 1;
};

const end = async (setup: Setup, request: AbortController): Promise<void> => {
  // Processes that end from here on are not restarted.
  request.abort('ending');
  cancel(setup);
  setup.processes.close();
  log('ending the node');
  try {
    await cleanNode(setup, setup.processes.started);
    log('the node is ended');
  } catch (error) {
    log(failureOf(error).failed);
  }
};

const [text] = process.argv.slice(2);
if (import.meta.main && text !== undefined) {
  const status = await main(JSON.parse(text) as Order);
  process.exit(status);
}
