// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { within } from '@writ/sandbox-host';

/**
 * Requests to an engine, and the milliseconds after which an engine that answers pings counts as failing. Each limit is
 * many times the duration on a busy machine. An engine that hangs is abandoned earlier: see `requestEngine`.
 */
const ANSWER_MS_MAX = {
  /** writes a container's configuration and prepares its root */
  'make a container': 20_000,
  /** answers headers, no more */
  'attach to a container': 10_000,
  /** makes cgroup and name spaces and starts a process */
  'start a container': 20_000,
  /** the agent's own start: a cold Node.js loads its bundle */
  'get an answer from an agent': 20_000,
  'look at a container': 10_000,
  /** walks through the files that a build has written */
  'measure a container': 30_000,
  /** writes the state of the cgroup, and waits until the kernel has stopped each thread */
  'freeze a container': 10_000,
  'thaw a container': 10_000,
  /** kills, unmounts and waits for the kernel; only its share of memory waits for this */
  'remove a container': 30_000,
  'list containers': 30_000,
  'tell events': 10_000,
} as const;
export type EngineRequest = keyof typeof ANSWER_MS_MAX;

/** After this time a request is accompanied by pings until it ends. Nearly all requests take less. */
const LIVENESS_CHECK_MS = 2_500;
/** An engine that doesn't answer a ping in this time counts as gone: it answers pings from memory. */
const PING_MS_MAX = 2_500;

/** Whether the engine answers at all. */
export async function isEngineReachable(docker: Docker): Promise<boolean> {
  try {
    await within('answer a ping', PING_MS_MAX, docker.ping());
    return true;
  } catch {
    return false;
  }
}

/**
 * The outcome of a request. An engine that is slow and answers pings is busy, and gets the request's own time limit.
 * One that answers no ping hangs, and is abandoned after five seconds. Throws EngineTimeout for either; a later outcome
 * goes to `late`.
 */
export function requestEngine<T>(
  docker: Docker,
  what: EngineRequest,
  request: Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  return within(what, ANSWER_MS_MAX[what], request, late, {
    everyMs: LIVENESS_CHECK_MS,
    isReachable: () => isEngineReachable(docker),
  });
}
