// SPDX-License-Identifier: Apache-2.0
//
// A real Kubernetes node on this machine, for programs of this repository: start or attach, load images, end.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, signal } from '../process/identity.ts';
import { findMarked } from '../process/marked.ts';
import { waitUntilEnded } from '../process/stop.ts';
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
  /** An image of the node with only Node, for pods of tests. */
  readonly nodeImage: string;
  /** Variables for `kubectl` and `helm` to reach the cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** The command prefix for the node's network and mount namespaces. */
  readonly enter: readonly string[];
  /**
   * Runs kubectl as an administrator, and resolves with its output. Throws `SetupError` with its messages when it
   * fails.
   */
  readonly run: (args: readonly string[], input?: string) => Promise<string>;
  /** Imports a tar file of `docker save` or of an OCI layout. Resolves with the references of its images for pods. */
  readonly importImage: (tarPath: string) => Promise<string[]>;
  /** The references of its images. */
  readonly references: () => Promise<string[]>;
}

/** Time limit of another process's start: the same as ours. */
const OTHERS_START_MS = 300_000;
/** Each stage of an orderly end has its own limit; their sum is below this. */
const END_MS = 90_000;
const POLL_MS = 200;

const holderOf = async ({ stateId }: Setup): Promise<Holder | undefined> => {
  const holder = await askHolder(stateId);
  return holder?.role === SUPERVISOR_ROLE ? holder : undefined;
};

/** Held during a start: two processes would build the same programs. */
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

/** The node of a state directory; undefined where none is running. Waits for a start in progress. */
export const findNode = async (setup: Setup): Promise<ClusterNode | undefined> => {
  const until = performance.now() + OTHERS_START_MS;
  let reported = false;
  while ((await holderOf(setup)) !== undefined) {
    const facts = readFacts(setup);
    if (facts !== undefined && isAlive(facts.holder)) return nodeOf(setup, facts);
    if (performance.now() > until) {
      const late = `and has not done so within ${OTHERS_START_MS / 1000} s`;
      throw new SetupError(`another process starts or ends the cluster in ${setup.stateDir}, ${late}`);
    }
    if (!reported) setup.report('waiting for another process, which starts or ends the same cluster');
    reported = true;
    await delay(POLL_MS);
  }
  return undefined;
};

/** Runs the steps one after another, and prints their reports. */
const runQuietly = async (setup: Setup, plan: Plan): Promise<void> => {
  for (const step of plan.flat()) await step.run(setup);
};

/**
 * Ends compilers of a set-up that was killed or is ending. Does nothing while a node runs, whose processes have the
 * same mark.
 */
export const endBuilds = async (setup: Setup): Promise<void> => {
  if ((await holderOf(setup)) !== undefined) return;
  const builds = findMarked(setup.stateId);
  for (const who of builds) signal(who, 'SIGKILL');
  await Promise.all(builds.map((who) => waitUntilEnded(who, POLL_MS)));
};

/**
 * Starts a node, or attaches to the running one: builds missing programs, cleans up after a crash, and starts it. It
 * keeps running after this process.
 *
 * @param setup with a state directory only for the cluster
 * @param show runs a plan: `runPlan` for a person
 * @throws SetupError where a person has to act; nothing keeps running then
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
 * Ends the node of a state directory and everything in it: a running one, or the remains of a crash.
 *
 * @throws SetupError that lists remains
 */
export const downNode = async (setup: Setup): Promise<void> => {
  const holder = await holderOf(setup);
  const supervisor = holder === undefined ? undefined : identify(holder.pid);
  if (supervisor !== undefined && signal(supervisor, 'SIGTERM')) {
    setup.report('ending the node');
    if (!(await waitUntilEnded(supervisor, END_MS)))
      throw new SetupError(
        `the cluster's supervisor, process ${supervisor.pid}, has not ended within ${END_MS / 1000} s`,
      );
  }
  // Lists what the supervisor could not end, and does its work where it was killed.
  await cleanNode(setup, readStarted(setup.stateDir));
};

/** The output of `--status`. */
export interface NodeStatus {
  readonly node: ClusterNode | undefined;
  /** The process that builds the node's programs, or is about to start it. */
  readonly settingUp: number | undefined;
  /** Remaining processes, links, mounts and control groups of a node without supervisor. */
  readonly left: readonly string[];
}

/** Whether a node is running, and otherwise the remains of a crash. */
export const statusOf = async (setup: Setup): Promise<NodeStatus> => {
  const settingUp = (await askHolder(setUpLock(setup)))?.pid;
  const node = settingUp === undefined ? await findNode(setup) : undefined;
  return { node, settingUp, left: node === undefined && settingUp === undefined ? leftovers(setup) : [] };
};

/** Loads image files into a node, one after another. Resolves with their references for pods. */
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
