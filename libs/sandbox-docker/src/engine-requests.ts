// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { within } from '@writ/sandbox-host';

/**
 * What is asked of an engine, and the milliseconds after which one that answers everything else counts as failing. Each
 * is many times what the request takes on a busy machine. An engine that hangs isn't waited for so long: see
 * `askEngine`.
 */
const ANSWER_MS_MAX = {
  /** writes a container's configuration and prepares its root */
  'make a container': 20_000,
  /** answers headers, no more */
  'attach to a container': 10_000,
  /** makes cgroup and name spaces and starts a process */
  'start a container': 20_000,
  /** the agent's own start: a bundle is loaded by a Node that nothing has warmed */
  'get an answer from an agent': 20_000,
  'look at a container': 10_000,
  /** kills and unmounts, and waits for the kernel to do it; nobody waits for it but the place in memory */
  'remove a container': 30_000,
  'list containers': 30_000,
  'tell events': 10_000,
} as const;
export type EngineRequest = keyof typeof ANSWER_MS_MAX;

/** A request that takes this long is followed by a ping, and by others as long as it lasts. Nearly all take less. */
const DOUBT_MS = 2_500;
/** An engine that doesn't answer a ping in this time is not there: it is answered from memory. */
const PING_MS_MAX = 2_500;

/** Whether the engine answers at all. */
export async function isEngineThere(docker: Docker): Promise<boolean> {
  try {
    await within('answer a ping', PING_MS_MAX, docker.ping());
    return true;
  } catch {
    return false;
  }
}

/**
 * The outcome of a request. An engine that takes long and answers pings is busy, and is waited for up to the request's
 * own limit; one that answers none hangs, and is given up after five seconds. Throws EngineTimeout for either; what
 * comes later is handed to `late`.
 */
export function askEngine<T>(
  docker: Docker,
  what: EngineRequest,
  request: Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  return within(what, ANSWER_MS_MAX[what], request, late, { everyMs: DOUBT_MS, isThere: () => isEngineThere(docker) });
}
