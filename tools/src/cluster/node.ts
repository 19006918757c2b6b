// SPDX-License-Identifier: Apache-2.0
//
// A real Kubernetes node on this machine, for programs of this repository: start it or attach to it, load images, end
// it.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, signal } from '../process/identity.ts';
import { findMarked } from '../process/marked.ts';
import { waitUntilGone } from '../process/stop.ts';
import { readStarted } from '../process/table.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import type { Plan } from '../steps.ts';
import { askHolder, takeLock, type Holder } from '../supervisor/lock.ts';
import { nodePlan, type Made } from './bring-up.ts';
import { cleanNode, leftovers } from './clean.ts';
import { importImage, listImages } from './containerd.ts';
import { NODE_IMAGE } from './images.ts';
import { enter } from './namespaces.ts';
import { clusterPaths, SUPERVISOR_ROLE } from './paths.ts';
import { mustRun } from './run-command.ts';
import { kubectlEnvironment, type NodeFacts } from './start.ts';

/** A node that is Ready. */
export interface ClusterNode extends NodeFacts {
  /** An image with Node and nothing else, that the node has: for pods of tests. */
  readonly nodeImage: string;
  /** Variables with which `kubectl` and `helm` reach the cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** The beginning of a command that runs in the node's network and mount namespaces. */
  readonly enter: readonly string[];
  /**
   * Runs kubectl as an administrator and resolves with what it printed. Throws `SetupError` with its messages when it
   * fails.
   */
  readonly run: (args: readonly string[], input?: string) => Promise<string>;
  /**
   * Imports a tar file of `docker save` or of an OCI layout. Resolves with the references under which pods name its
   * images.
   */
  readonly importImage: (tarPath: string) => Promise<string[]>;
  /** The references of the images that it has. */
  readonly references: () => Promise<string[]>;
}

/** Another start takes as long as ours. */
const OTHERS_START_MS = 300_000;
/** Every stage of an orderly end has its own limit; together they stay below this. */
const END_MS = 90_000;
const POLL_MS = 200;

const holderOf = async ({ stateId }: Setup): Promise<Holder | undefined> => {
  const holder = await askHolder(stateId);
  return holder?.role === SUPERVISOR_ROLE ? holder : undefined;
};

/** Held while a node is brought up: two at once would build the same. */
const setUpLock = ({ stateId }: Setup): string => `${stateId}-up`;

const readFacts = (setup: Setup): NodeFacts | undefined => {
  const { facts } = clusterPaths(setup.stateDir);
  return existsSync(facts) ? (JSON.parse(readFileSync(facts, 'utf8')) as NodeFacts) : undefined;
};

const nodeOf = (setup: Setup, facts: NodeFacts): ClusterNode => {
  const env = kubectlEnvironment(clusterPaths(setup.stateDir));
  return {
    ...facts,
    env,
    nodeImage: NODE_IMAGE,
    enter: enter(facts.holder.pid),
    run: (args, input) =>
      mustRun(`run kubectl ${args[0] ?? ''}`, [facts.kubectl, ...args], {
        env,
        ...(input === undefined ? {} : { input }),
      }),
    importImage: (path) => importImage({ holderPid: facts.holder.pid, ctr: facts.ctr }, path),
    references: async () => [...(await listImages({ holderPid: facts.holder.pid, ctr: facts.ctr })).keys()],
  };
};

/** The node of a state directory; undefined where none is up. A start that is going on is waited for. */
export const findNode = async (setup: Setup): Promise<ClusterNode | undefined> => {
  const until = performance.now() + OTHERS_START_MS;
  let told = false;
  while ((await holderOf(setup)) !== undefined) {
    const facts = readFacts(setup);
    if (facts !== undefined && isAlive(facts.holder)) return nodeOf(setup, facts);
    if (performance.now() > until) {
      const late = `and has not done so within ${OTHERS_START_MS / 1000} s`;
      throw new SetupError(`another process starts or ends the cluster in ${setup.stateDir}, ${late}`);
    }
    if (!told) setup.report('waiting for another process, which starts or ends the same cluster');
    told = true;
    await delay(POLL_MS);
  }
  return undefined;
};

/** Runs the steps one after the other, and shows what they report. */
const runQuietly = async (setup: Setup, plan: Plan): Promise<void> => {
  for (const step of plan.flat()) await step.run(setup);
};

/**
 * Ends compilers that a set-up left at work which was killed or is about to end. Does nothing while a node is up, whose
 * processes carry the same mark.
 */
export const endBuilds = async (setup: Setup): Promise<void> => {
  if ((await holderOf(setup)) !== undefined) return;
  const builds = findMarked(setup.stateId);
  for (const who of builds) signal(who, 'SIGKILL');
  await Promise.all(builds.map((who) => waitUntilGone(who, POLL_MS)));
};

/**
 * Brings a node up, or attaches to the one that is up: builds what isn't built, cleans up what a crash left, and starts
 * it. It goes on when this process ends.
 *
 * @param setup its state directory is the cluster's alone
 * @param show carries out a plan: `runPlan` where a person watches
 * @throws SetupError where a person has to act; nothing is left running then
 */
export const upNode = async (
  setup: Setup,
  show: (setup: Setup, plan: Plan) => Promise<void> = runQuietly,
): Promise<ClusterNode> => {
  const lock = await takeLock(setUpLock(setup), 'set-up');
  if (!('release' in lock))
    throw new SetupError(`process ${lock.pid} is already setting up the cluster in ${setup.stateDir}`, [
      'wait until it has done so, and run the same command again',
    ]);
  try {
    const running = await findNode(setup);
    if (running !== undefined) return running;
    await cleanNode(setup, readStarted(setup.stateDir));
    const made: Made = {};
    await show(setup, nodePlan(setup, made));
    return nodeOf(setup, made.facts as NodeFacts);
  } finally {
    lock.release();
  }
};

/**
 * Ends the node of a state directory and everything in it, whether it runs, a crash left it, or there is none.
 *
 * @throws SetupError where something is left, with what
 */
export const downNode = async (setup: Setup): Promise<void> => {
  const holder = await holderOf(setup);
  const supervisor = holder === undefined ? undefined : identify(holder.pid);
  if (supervisor !== undefined && signal(supervisor, 'SIGTERM')) {
    setup.report('ending the node');
    if (!(await waitUntilGone(supervisor, END_MS)))
      throw new SetupError(
        `the cluster's supervisor, process ${supervisor.pid}, has not ended within ${END_MS / 1000} s`,
      );
  }
  // Says what is left where the supervisor could not end something, and does its work where it was killed.
  await cleanNode(setup, readStarted(setup.stateDir));
};

/** What `--status` shows. */
export interface NodeStatus {
  readonly node: ClusterNode | undefined;
  /** The process that builds what a node needs, or is about to start one. */
  readonly settingUp: number | undefined;
  /** Processes, links, mounts and control groups of a node that has no supervisor any more. */
  readonly left: readonly string[];
}

/** Whether a node is up, and what a crash left where none is. */
export const statusOf = async (setup: Setup): Promise<NodeStatus> => {
  const settingUp = (await askHolder(setUpLock(setup)))?.pid;
  const node = settingUp === undefined ? await findNode(setup) : undefined;
  return { node, settingUp, left: node === undefined && settingUp === undefined ? leftovers(setup) : [] };
};

/** Loads images into a node, one file after the other. Resolves with the references under which pods name them. */
export const loadImages = async (
  node: ClusterNode,
  tarPaths: readonly string[],
  report: (line: string) => void = () => undefined,
): Promise<string[]> => {
  const references: string[] = [];
  for (const path of tarPaths) {
    report(`importing ${path}`);
    references.push(...(await node.importImage(path)));
  }
  return references;
};
