// SPDX-License-Identifier: Apache-2.0
import type { ShellEnding } from '@writ/contract';
import type { LiveSession } from './live-session.ts';

/** Often enough that two may be lost within a lease of six seconds. */
const RENEW_MS = 1_500;
const ANSWER_MS = 3_000;

/** What is said of shells to whoever keeps where they are. */
export interface ShellRegistry {
  renewShell(shell: { readonly tenant_id: string; readonly shell_id: string }, timeoutMs: number): Promise<boolean>;
  endShell(
    shell: { readonly tenant_id: string; readonly shell_id: string },
    ending: ShellEnding,
    timeoutMs: number,
  ): Promise<void>;
}

export interface SessionsOptions {
  /** sessions that live here at once */
  readonly sessionsMax: number;
  /** a session that nobody asks anything of for so long ends */
  readonly idleMs: number;
}

/** The sessions whose shells this executor has. One that ends is killed here first and then said to be no more. */
export class Sessions {
  readonly #book: ShellRegistry;
  readonly #options: SessionsOptions;
  readonly #live = new Map<string, LiveSession>();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  #opening = 0;
  #isDraining = false;
  #renewing: NodeJS.Timeout | undefined;

  constructor(book: ShellRegistry, options: SessionsOptions) {
    this.#book = book;
    this.#options = options;
  }

  /**
   * A place for one more, taken; null where all are. The answer MUST be called once, when the session is added or can't
   * be.
   */
  place(): (() => void) | null {
    if (this.#isDraining || this.#live.size + this.#opening >= this.#options.sessionsMax) return null;
    this.#opening += 1;
    return () => {
      this.#opening -= 1;
    };
  }

  add(session: LiveSession): void {
    this.#live.set(session.shellId, session);
    void session.shell.gone.then(() => (session.isAsked ? undefined : this.end(session, 'lost')));
    this.touch(session);
    this.#renewing ??= setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  find(shellId: string): LiveSession | null {
    return this.#live.get(shellId) ?? null;
  }

  /** Somebody has asked something of it. */
  touch(session: LiveSession): void {
    clearTimeout(this.#idle.get(session.shellId));
    if (session.ending !== null) return;
    if (this.#isDraining) return void this.end(session, 'lost');
    this.#idle.set(session.shellId, setTimeout(() => void this.end(session, 'idle'), this.#options.idleMs).unref());
  }

  /** Kills it and says why; the first word counts. Resolves when both are done. */
  async end(session: LiveSession, ending: ShellEnding): Promise<void> {
    if (session.ending !== null) return;
    session.ending = ending;
    this.#live.delete(session.shellId);
    clearTimeout(this.#idle.get(session.shellId));
    this.#idle.delete(session.shellId);
    session.output.close();
    await session.shell.close();
    // Unsaid, it is found out when its lease has run out.
    await this.#book
      .endShell({ tenant_id: session.tenantId, shell_id: session.shellId }, ending, ANSWER_MS)
      .catch(() => undefined);
  }

  /** Takes no session more and ends those that no call asks; each of the others ends with its call. */
  drain(): void {
    this.#isDraining = true;
    for (const session of this.#live.values()) if (!session.isAsked) void this.end(session, 'lost');
  }

  /** Ends all of them: the executor stops. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    await Promise.all([...this.#live.values()].map((session) => this.end(session, 'lost')));
  }

  async #renew(): Promise<void> {
    await Promise.all(
      [...this.#live.values()].map(async (session) => {
        // Without an answer nothing is known; its lease decides where calls go, and this asks again.
        const alive = await this.#book
          .renewShell({ tenant_id: session.tenantId, shell_id: session.shellId }, ANSWER_MS)
          .catch(() => true);
        if (!alive) await this.end(session, 'lost');
      }),
    );
  }
}
