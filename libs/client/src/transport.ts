// SPDX-License-Identifier: Apache-2.0
import type { RequestOptions, Signal } from './options.ts';
import { ConnectionError, ProblemError, TimeoutError, WritError } from './errors.ts';
import { decideRetry, mayHaveHappened } from './retry.ts';
import { operationIdIn, readProblem } from './problems.ts';

/** A request with all of its retries takes no longer than this, unless the caller says otherwise: two long polls. */
const TIMEOUT_MS = 120_000;
/** An attempt is given up after this: more than the longest wait that the API allows, which is 55 s. */
const ATTEMPT_MS = 75_000;
const RETRIES = 4;

/** The parts of the platform that the transport uses. */
export interface Platform {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** milliseconds since the epoch */
  readonly now: () => number;
  /** from 0 to 1 */
  readonly chance: () => number;
  /** Rejects with the signal's reason when it aborts. */
  readonly sleep: (ms: number, signal: Signal | undefined) => Promise<void>;
}

/** A request as the transport sends it. */
export interface TransportRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** whether it may arrive twice: it only reads, or has an idempotency key */
  readonly canRepeat: boolean;
  /** the answer is read as it comes, for as long as it comes: the time limit ends with its headers */
  readonly isStream?: boolean;
}

/** An attempt that may be made again. */
interface Failure {
  readonly error: WritError;
  readonly status: number | null;
  readonly retry: 'never' | 'later' | 'same-key' | null;
  readonly retryAfter: string | null;
}

/** Sends requests with one key. It retries as the answers say, and repeats nothing that may have happened. */
export class Transport {
  readonly #url: string;
  readonly #key: string | null;
  readonly #platform: Platform;
  readonly #defaults: RequestOptions;

  constructor(url: string, key: string | null, platform: Platform, defaults: RequestOptions = {}) {
    this.#url = url;
    this.#key = key;
    this.#platform = platform;
    this.#defaults = defaults;
  }

  get platform(): Platform {
    return this.#platform;
  }

  /** @throws ProblemError, ConnectionError, TimeoutError; the reason of the caller's signal where that aborts */
  async send(request: TransportRequest, given: RequestOptions = {}): Promise<Response> {
    const options = { timeoutMs: TIMEOUT_MS, retries: RETRIES, ...this.#defaults, ...given };
    const end = this.#platform.now() + options.timeoutMs;
    let operationId: string | null = null;
    let isOpen = false;
    for (let attempt = 0; ; attempt += 1) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      const leftMs = end - this.#platform.now();
      if (leftMs <= 0) throw timeoutOf(request, options.timeoutMs);
      const answer = await this.#attempt(request, options, leftMs, operationId);
      if (answer instanceof Response) return answer;
      if (answer.error instanceof ProblemError) operationId = answer.error.operationId ?? operationId;
      isOpen ||= request.method !== 'GET' && mayHaveHappened(answer);
      const { now, chance, sleep } = this.#platform;
      const wait = decideRetry({
        status: answer.status,
        retry: answer.retry,
        retryAfter: answer.retryAfter,
        canRepeat: request.canRepeat,
        attempt,
        retries: options.retries,
        leftMs: end - now(),
        chance: chance(),
        now: now(),
      });
      if (wait === null) throw isOpen ? withOpenOutcome(answer.error) : answer.error;
      await sleep(wait, options.signal);
    }
  }

  async #attempt(
    request: TransportRequest,
    { signal, headers }: RequestOptions,
    leftMs: number,
    operationId: string | null,
  ): Promise<Response | Failure> {
    const limit = new AbortController();
    const limitMs = Math.min(leftMs, ATTEMPT_MS);
    const timer = setTimeout(() => limit.abort(), limitMs);
    try {
      const answer = await this.#platform.fetch(`${this.#url}${request.path}`, {
        method: request.method,
        headers: { ...headers, ...request.headers, ...authorizationOf(this.#key) },
        ...(request.body === undefined ? {} : { body: request.body as string }),
        // INVARIANT (one address): the key is sent nowhere else. `manual` works where `error` isn't supported.
        redirect: 'manual',
        signal: signal === undefined ? limit.signal : AbortSignal.any([signal as AbortSignal, limit.signal]),
      });
      if (answer.ok) return request.isStream === true ? answer : await whole(answer);
      return await failureOf(answer, request);
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      const why = limit.signal.aborted ? `gave no answer within ${limitMs} ms` : 'does not answer';
      const error = new ConnectionError(`${this.#url} ${why} (${nameOf(request)})`, operationId, { cause });
      return { error, status: null, retry: null, retryAfter: null };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The answer with its whole body, so that one which breaks off fails the attempt and not its reader. */
async function whole(answer: Response): Promise<Response> {
  const bytes = await answer.arrayBuffer();
  const { status, headers } = answer;
  // A response of these statuses has no body, and can't be made with one.
  return new Response(status === 204 || status === 205 ? null : bytes, { status, headers });
}

/**
 * INVARIANT (never twice): an error whose request may have happened in an earlier attempt never says that nothing
 * happened, since its caller may repeat it with another key.
 */
const withOpenOutcome = (error: WritError): WritError =>
  error instanceof ProblemError && (error.retry === 'later' || error.problem === null)
    ? error.withRetry('same-key')
    : error;

async function failureOf(answer: Response, request: TransportRequest): Promise<Failure> {
  const { status, headers } = answer;
  const problem = await readProblem(answer);
  const error = new ProblemError(`${messageOf(status, problem)} (${nameOf(request)})`, {
    status,
    problem,
    operationId: operationIdIn(headers),
  });
  return { error, status, retry: problem?.retry ?? null, retryAfter: headers.get('retry-after') };
}

function messageOf(status: number, problem: Awaited<ReturnType<typeof readProblem>>): string {
  if (problem !== null) {
    const place = problem.pointer === undefined ? '' : `, at \`${problem.pointer}\``;
    return `${problem.detail}${place} [${problem.code}]`;
  }
  // A redirect is opaque in browsers: its status is 0.
  const redirects = status === 0 || (status >= 300 && status < 400);
  return redirects
    ? 'the answer is a redirect, which is not followed: pass the final address as `url`'
    : `the answer has the status ${status} and is no answer of Writ`;
}

const authorizationOf = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` };

const nameOf = ({ method, path }: TransportRequest): string => `${method} ${path.split('?', 1)[0] ?? ''}`;

const timeoutOf = (request: TransportRequest, ms: number): TimeoutError =>
  new TimeoutError(`the request took longer than \`timeoutMs\`, ${ms} ms (${nameOf(request)})`);
