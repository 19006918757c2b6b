// SPDX-License-Identifier: Apache-2.0

/** Throws, or rejects, while the process can't do its work. */
export type ReadinessCheck = () => void | Promise<void>;

/**
 * Why a process can't do its work, as a text that `/readyz` shows: the problem, and the setting to change. Anyone who
 * reaches the port can read it. Callers MUST NOT put addresses, secrets or texts of others into it.
 */
export class NotReady extends Error {
  constructor(words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = 'NotReady';
  }
}

/** The result of one look: by name, `ok` or the reason why not. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** A check that takes longer counts as failed, in milliseconds: callers of /readyz have a time limit too. */
const checkMs = 1_500;

/** The checks behind /readyz. Also the token by which Nest injects it. */
export class Readiness {
  readonly #checks = new Map<string, ReadinessCheck>();
  #state: 'starting' | 'started' | 'stopping' = 'starting';

  /** Adds a check under a name; a second check with the same name replaces the first. */
  add(name: string, check: ReadinessCheck): void {
    this.#checks.set(name, check);
  }

  started(): void {
    this.#state = 'started';
  }

  stopping(): void {
    this.#state = 'stopping';
  }

  /**
   * Runs every check. A NotReady failure is reported with its message, any other failure only by its kind, since anyone
   * can reach the port.
   */
  async look(): Promise<ReadinessReport> {
    if (this.#state !== 'started') return { ready: false, checks: { process: this.#state } };
    const results = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await outcomeOf(check)] as const),
    );
    return { ready: results.every(([, outcome]) => outcome === 'ok'), checks: Object.fromEntries(results) };
  }
}

async function outcomeOf(check: ReadinessCheck): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('late'), checkMs);
  });
  const run = async (): Promise<string> => {
    await check();
    return 'ok';
  };
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    if (error instanceof NotReady) return error.message;
    const { code } = (error ?? {}) as { code?: unknown };
    return typeof code === 'string' ? code : 'failed';
  } finally {
    clearTimeout(timer);
  }
}
