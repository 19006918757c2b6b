// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@writ/sandbox-host';
import { ApiError } from './api-error.ts';
import type { ApiRequest, KubeApi } from './kube-api.ts';

/**
 * Requests to an API server, and the milliseconds after which a server that answers pings counts as failing. Each limit
 * is many times the duration on a busy cluster. A server that hangs is abandoned earlier: see `requestApi`.
 */
const ANSWER_MS_MAX = {
  'make a pod': 30_000,
  'delete a pod': 30_000,
  'list pods': 30_000,
  'look at a pod': 10_000,
  'make a claim': 30_000,
  'delete a claim': 30_000,
  'list claims': 30_000,
  /** the controller of agent-sandbox binds a pod of the pool or makes one, whose start has its own limit below */
  'bind a claim to a sandbox': 60_000,
  'attach to a pod': 20_000,
  /** the node pulls the image first where it doesn't have it */
  'start a pod': 180_000,
  /** the agent starts first, and some networks enforce their rules only a second later */
  'get an answer from an agent': 30_000,
  /** the kubelet ends it, unmounts its volumes and reports that to the API server */
  'see a pod gone': 60_000,
  'hold its lease': 10_000,
  'list leases': 30_000,
  'delete a lease': 10_000,
} as const;
export type ApiOperation = keyof typeof ANSWER_MS_MAX;

/** After this time a request is accompanied by pings until it ends. Nearly all requests take less. */
const LIVENESS_CHECK_MS = 2_500;
/** A server that doesn't answer a ping within this time counts as away. It answers a ping from its memory. */
const PING_MS_MAX = 2_500;
/** The first pause before a retry where a busy server names none, in milliseconds; doubled each time. */
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 5_000;

/** Whether the API server answers at all. Every account may read its version. */
export async function isApiReachable(api: KubeApi): Promise<boolean> {
  const ending = new AbortController();
  try {
    await within(
      'answer a ping',
      PING_MS_MAX,
      api.request('tell its version', { method: 'GET', path: '/version', signal: ending.signal }),
    );
    return true;
  } catch (error) {
    // A server that refuses the request is reachable.
    return error instanceof ApiError && !error.isBusy && error.status < 500;
  } finally {
    ending.abort();
  }
}

/**
 * The outcome of a slow operation. A server that answers pings gets the operation's own time limit; one that answers
 * none is abandoned after five seconds. Throws EngineTimeout for either.
 */
export function waitForApi<T>(
  api: KubeApi,
  what: ApiOperation,
  outcome: Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  return within(what, ANSWER_MS_MAX[what], outcome, late, {
    everyMs: LIVENESS_CHECK_MS,
    isReachable: () => isApiReachable(api),
  });
}

/**
 * Sends a request, and repeats it where the server is busy (429, 503, 504): at the server's time, or after a growing
 * pause with jitter. Rejects with ApiError for any other refusal and when the request's time is over.
 */
export async function requestApi<T>(api: KubeApi, what: ApiOperation, request: Omit<ApiRequest, 'signal'>): Promise<T> {
  const ending = new AbortController();
  try {
    return await waitForApi(api, what, insist<T>(api, what, request, ending.signal));
  } finally {
    ending.abort();
  }
}

async function insist<T>(
  api: KubeApi,
  what: ApiOperation,
  request: Omit<ApiRequest, 'signal'>,
  signal: AbortSignal,
): Promise<T> {
  const end = performance.now() + ANSWER_MS_MAX[what];
  for (let backoffMs = BACKOFF_MS_MIN; ; backoffMs = Math.min(BACKOFF_MS_MAX, backoffMs * 2)) {
    try {
      return await api.request<T>(what, { ...request, signal });
    } catch (error) {
      // Jitter: executors that were refused together don't retry in step.
      const pauseMs =
        error instanceof ApiError && error.isBusy
          ? (error.retryAfterMs ?? backoffMs) * (1 + Math.random() / 2)
          : Infinity;
      if (performance.now() + pauseMs > end) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
