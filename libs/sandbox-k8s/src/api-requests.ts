// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@writ/sandbox-host';
import { ApiError } from './api-error.ts';
import type { ApiRequest, KubeApi } from './kube-api.ts';

/**
 * What is asked of an API server, and the milliseconds after which one that answers everything else counts as failing.
 * Each is many times what the request takes on a busy cluster. A server that hangs isn't waited for so long: see
 * `askApi`.
 */
const ANSWER_MS_MAX = {
  'make a pod': 30_000,
  'delete a pod': 30_000,
  'list pods': 30_000,
  'look at a pod': 10_000,
  'make a claim': 30_000,
  'delete a claim': 30_000,
  'list claims': 30_000,
  /** the controller of agent-sandbox takes a pod of the pool or makes one, whose start has a limit of its own below */
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
export type ApiQuestion = keyof typeof ANSWER_MS_MAX;

/** Writ pings the server when an answer takes so long, and again after each such period. Nearly all take less. */
const DOUBT_MS = 2_500;
/** A server that doesn't answer a ping within this time counts as away. It answers a ping from its memory. */
const PING_MS_MAX = 2_500;
/** Between two tries where a busy server doesn't say when to come back, in milliseconds; doubled each time. */
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 5_000;

/** Whether the API server answers at all. Every account may ask it for its version. */
export async function isApiThere(api: KubeApi): Promise<boolean> {
  const ending = new AbortController();
  try {
    await within(
      'answer a ping',
      PING_MS_MAX,
      api.ask('tell its version', { method: 'GET', path: '/version', signal: ending.signal }),
    );
    return true;
  } catch (error) {
    // One that refuses the question is there.
    return error instanceof ApiError && !error.isBusy && error.status < 500;
  } finally {
    ending.abort();
  }
}

/**
 * The outcome of something that takes its time. A server that answers pings is waited for up to the question's own
 * limit; one that answers none is given up after five seconds. Throws EngineTimeout for either.
 */
export function waitForApi<T>(
  api: KubeApi,
  what: ApiQuestion,
  outcome: Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  return within(what, ANSWER_MS_MAX[what], outcome, late, { everyMs: DOUBT_MS, isThere: () => isApiThere(api) });
}

/**
 * Asks, and asks again where the server is busy (429, 503, 504): when it says, or after a growing pause with jitter.
 * Rejects with ApiError for any other refusal and when the question's time is over.
 */
export async function askApi<T>(api: KubeApi, what: ApiQuestion, request: Omit<ApiRequest, 'signal'>): Promise<T> {
  const ending = new AbortController();
  try {
    return await waitForApi(api, what, insist<T>(api, what, request, ending.signal));
  } finally {
    ending.abort();
  }
}

async function insist<T>(
  api: KubeApi,
  what: ApiQuestion,
  request: Omit<ApiRequest, 'signal'>,
  signal: AbortSignal,
): Promise<T> {
  const end = performance.now() + ANSWER_MS_MAX[what];
  for (let backoffMs = BACKOFF_MS_MIN; ; backoffMs = Math.min(BACKOFF_MS_MAX, backoffMs * 2)) {
    try {
      return await api.ask<T>(what, { ...request, signal });
    } catch (error) {
      // Jitter: executors that were refused together don't come back in step.
      const pauseMs =
        error instanceof ApiError && error.isBusy
          ? (error.retryAfterMs ?? backoffMs) * (1 + Math.random() / 2)
          : Infinity;
      if (performance.now() + pauseMs > end) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
