// SPDX-License-Identifier: Apache-2.0
// `npm run cluster`: Writ on a real Kubernetes node on this machine.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { addMetrics } from '../cluster/metrics.ts';
import { explain } from '../explain.ts';
import { runJob } from '../job/main.ts';
import { renderJob } from '../job/table.ts';
import type { Release } from './release.ts';
import { installPlan, preparePlan, type ReleaseMade } from './install-steps.ts';
import { defaultStateDir, makeSetup, type Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { runPlan } from '../steps.ts';
import { parseArguments, type Arguments } from './arguments.ts';
import { downNode, endBuilds, findNode, loadImages, statusOf, upNode, type ClusterNode } from '../cluster/node.ts';

/** 128 plus SIGINT's number, as a shell reports it. */
const INTERRUPTED = 130;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const present = (node: ClusterNode): void => {
  print(`the node is Ready; its API server is ${node.apiUrl}`);
  print(`  export KUBECONFIG=${node.kubeconfig}`);
  print(`  export PATH=${join(node.kubectl, '..')}:$PATH`);
};

const up = async (setup: Setup): Promise<number> => {
  const began = performance.now();
  const node = await upNode(setup, runPlan);
  present(node);
  print(`up after ${seconds(performance.now() - began)}; \`npm run cluster -- --down\` ends it`);
  return 0;
};

/** Runs the main job against the release, through a local port. */
const runMainJob = async (setup: Setup, release: Release): Promise<boolean> => {
  const stateDir = join(setup.stateDir, 'job');
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(join(stateDir, 'public-keys.json'), await release.publicKeys());
  const platformKey = await release.platformKey();
  const forward = await release.forward();
  try {
    const result = await runJob({ apiUrl: forward.url, platformKey, stateDir, onProgress: print, env: setup.env });
    writeFileSync(join(stateDir, 'last-run.json'), `${JSON.stringify(result, null, 2)}\n`);
    print(renderJob(result));
    return result.ok;
  } finally {
    await forward.close();
  }
};

const presentRelease = ({ namespace, name }: Release): void => {
  print(`Writ is installed as \`${name}\` in the namespace \`${namespace}\``);
  print(`  kubectl -n ${namespace} get pods`);
  print(`  kubectl -n ${namespace} port-forward service/${name}-orchestrator 7480:80`);
};

const install = async (setup: Setup): Promise<number> => {
  const began = performance.now();
  const node = await upNode(setup, runPlan);
  const made: ReleaseMade = {};
  await runPlan(setup, [...preparePlan(setup, node, made), ...installPlan(setup, node, made)]);
  const release = made.release as Release;
  const jobBegan = performance.now();
  const ok = await runMainJob(setup, release);
  print(`the main job took ${seconds(performance.now() - jobBegan)}`);
  present(node);
  presentRelease(release);
  print(`done after ${seconds(performance.now() - began)}; \`npm run cluster -- --down\` ends it`);
  return ok ? 0 : 1;
};

/** The running node. */
const mustFindNode = async (setup: Setup, what: string): Promise<ClusterNode> => {
  const node = await findNode(setup);
  if (node === undefined)
    throw new SetupError(`no node is up ${what}`, ['bring it up with `npm run cluster -- --node`']);
  return node;
};

const load = async (setup: Setup, paths: readonly string[]): Promise<number> => {
  const node = await mustFindNode(setup, 'to load images into');
  // npm runs scripts in the project's root, and INIT_CWD has the user's folder.
  const absolute = paths.map((path) => resolve(process.env['INIT_CWD'] ?? '.', path));
  const missing = absolute.find((path) => !existsSync(path));
  if (missing !== undefined) throw new SetupError(`there is no file ${missing}`);
  for (const reference of await loadImages(node, absolute, print)) print(reference);
  return 0;
};

const metrics = async (setup: Setup): Promise<number> => {
  const node = await mustFindNode(setup, 'to add metrics-server to');
  const began = performance.now();
  await runPlan(setup, [{ title: 'metrics-server', run: (step) => addMetrics(step, node) }]);
  print(`\`kubectl top\` and autoscalers work after ${seconds(performance.now() - began)}`);
  return 0;
};

const status = async (setup: Setup): Promise<number> => {
  const { node, settingUp, left } = await statusOf(setup);
  if (node !== undefined) {
    present(node);
    return 0;
  }
  print(settingUp === undefined ? 'no node is up' : `no node is up yet: process ${settingUp} is bringing one up`);
  if (left.length > 0) print('a node that was killed left this, which `npm run cluster -- --down` removes:');
  for (const line of left) print(`  ${line}`);
  return 1;
};

const down = async (setup: Setup): Promise<number> => {
  const began = performance.now();
  await downNode(setup);
  print(`the node is ended after ${seconds(performance.now() - began)}, and nothing of it runs any more`);
  print(`its images stay in ${setup.stateDir} for the next start`);
  return 0;
};

const carryOut = (setup: Setup, { action, images }: Arguments): Promise<number> => {
  switch (action) {
    case 'install':
      return install(setup);
    case 'node':
      return up(setup);
    case 'load':
      return load(setup, images);
    case 'metrics':
      return metrics(setup);
    case 'status':
      return status(setup);
    case 'down':
      return down(setup);
  }
};

/**
 * An interrupted start leaves nothing: the supervisor ends its processes when its parent is gone, and this ends
 * compilers.
 */
const listenForStop = (setup: Setup): void => {
  const interrupt = (): void => {
    void endBuilds(setup).finally(() => process.exit(INTERRUPTED));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, interrupt);
  process.once('disconnect', interrupt);
};

const main = async (args: readonly string[]): Promise<number> => {
  const parsed = parseArguments(args);
  if (typeof parsed === 'number') return parsed;
  const root = defaultStateDir(process.env);
  const setup = makeSetup(join(root, 'cluster'), join(root, 'cache'), process.env, (line) => print(`  ${line}`));
  if (parsed.action === 'node' || parsed.action === 'install') listenForStop(setup);
  try {
    return await carryOut(setup, parsed);
  } catch (error) {
    explain(error);
    return 1;
  }
};

process.exit(await main(process.argv.slice(2)));
