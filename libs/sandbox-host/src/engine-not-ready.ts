// SPDX-License-Identifier: Apache-2.0

/**
 * Why an engine can't serve this process.
 * - `denied`: the engine, or the system in front of it, refuses this process
 * - `unreachable`: nothing answers at its address
 * - `silent`: it accepts requests and doesn't answer in time
 * - `failed`: it answers with an error
 * - `missing`: it answers, and lacks a part that sandboxes need
 * - `image`: no sandbox has started, since the configured image can't run
 */
export type EngineProblem = 'denied' | 'unreachable' | 'silent' | 'failed' | 'missing' | 'image';

/** An engine that can't be used now; that may change at any moment. */
export class EngineNotReady extends Error {
  readonly problem: EngineProblem;

  constructor(problem: EngineProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineNotReady';
    this.problem = problem;
  }
}

/** Error codes for an address that this process may not use. */
const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);
/** Error codes for an address where nothing listens. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTSOCK',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * Sends a request that an engine answers at once, and resolves with success. `signal` aborts the request when its time
 * is over, so that connections to a silent engine don't pile up. Rejects with EngineNotReady.
 */
export async function verifyEngine(msMax: number, ask: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = AbortSignal.timeout(msMax);
  try {
    await ask(signal);
  } catch (error) {
    if (error instanceof EngineNotReady) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (signal.aborted)
      throw new EngineNotReady('silent', `the engine doesn't answer within ${msMax} ms`, { cause: error });
    if (DENIED.has(code)) throw new EngineNotReady('denied', message, { cause: error });
    throw new EngineNotReady(UNREACHABLE.has(code) ? 'unreachable' : 'failed', message, { cause: error });
  }
}
