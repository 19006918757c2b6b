// SPDX-License-Identifier: Apache-2.0

/**
 * Why an engine does no work for this process. `denied`: it, or the system in front of it, refuses this process.
 * `unreachable`: nothing answers there. `silent`: it takes requests and doesn't answer in time. `failed`: it answers
 * with an error. `missing`: it answers, and lacks what sandboxes are made of. `image`: no sandbox has started, since
 * the image that is configured can't run.
 */
export type EngineProblem = 'denied' | 'unreachable' | 'silent' | 'failed' | 'missing' | 'image';

/** An engine that can't be used now; it may be a moment later. */
export class EngineNotReady extends Error {
  readonly problem: EngineProblem;

  constructor(problem: EngineProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineNotReady';
    this.problem = problem;
  }
}

/** What systems say of an address that this process may not use. */
const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);
/** What systems say of an address where nobody is, or no more. */
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
 * Asks an engine something that it answers at once, and resolves when it did. The signal aborts the question when its
 * time is over, so that a silent engine gathers no connections. Rejects with EngineNotReady.
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
