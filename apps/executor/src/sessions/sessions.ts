// SPDX-License-Identifier: Apache-2.0
import type { ShellEnding } from '@writ/contract';
import type { LiveSession } from './live-session.ts';

/** Often enough that two renewals may be lost within a lease of six seconds. */
const RENEW_MS = 1_500;
const REPLY_TIMEOUT_MS = 3_000;

interface ShellOfTenant {
  readonly tenant_id: string;
  readonly shell_id: string;
}

/** The kernel's registry of shells: which executor has each of them. */
export interface ShellRegistry {
  renewShell(shell: ShellOfTenant, timeoutMs: number): Promise<boolean>;
  endShell(shell: ShellOfTenant, ending: ShellEnding, timeoutMs: number): Promise<void>;
}

export interface SessionsOptions {
  /** concurrent sessions of this executor */
  readonly sessionsMax: number;
  /** idle time after which a session ends */
  readonly idleMs: number;
}

/** The sessions whose shells run in this executor. A session that ends is killed first and then reported as ended. */
export class Sessions {
  readonly #registry: ShellRegistry;
  readonly #options: SessionsOptions;
  readonly #live = new Map<string, LiveSession>();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  #opening = 0;
  /** shells whose containers start, by their ids: they have leases already */
  readonly #starting = new Map<string, ShellOfTenant>();
  #isDraining = false;
  #renewTimer: NodeJS.Timeout | undefined;

  constructor(registry: ShellRegistry, options: SessionsOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /**
   * Reserves a slot for one more session; null where all are used. The caller MUST call the returned function once,
   * when the session is added or failed to open.
   */
  reserveSlot(): (() => void) | null {
    if (this.#isDraining || this.#live.size + this.#opening >= this.#options.sessionsMax) return null;
    this.#opening += 1;
    return () => {
      this.#opening -= 1;
    };
  }

  /**
   * Renews the lease of a shell while its container starts, which can take longer than the lease. Resolves as `open`
   * does.
   */
  async renewedWhile<T>(shell: ShellOfTenant, open: () => Promise<T>): Promise<T> {
    this.#starting.set(shell.shell_id, shell);
    this.#startRenewals();
    try {
      return await open();
    } finally {
      this.#starting.delete(shell.shell_id);
    }
  }

  add(session: LiveSession): void {
    this.#live.set(session.shellId, session);
    void session.shell.gone.then(() => (session.hasTurn ? undefined : this.end(session, 'lost')));
    this.touch(session);
    this.#startRenewals();
  }

  /** Whether the container of a shell is starting here. */
  isStarting(shellId: string): boolean {
    return this.#starting.has(shellId);
  }

  find(shellId: string): LiveSession | null {
    return this.#live.get(shellId) ?? null;
  }

  /** Restarts the idle timer of a session after a call. */
  touch(session: LiveSession): void {
    clearTimeout(this.#idle.get(session.shellId));
    if (session.ending !== null) return;
    if (this.#isDraining) return void this.end(session, 'lost');
    this.#idle.set(session.shellId, setTimeout(() => void this.end(session, 'idle'), this.#options.idleMs).unref());
  }

  /** Kills the session and reports why; only the first reason counts. Resolves when both are done. */
  async end(session: LiveSession, ending: ShellEnding): Promise<void> {
    if (session.ending !== null) return;
    session.ending = ending;
    this.#live.delete(session.shellId);
    clearTimeout(this.#idle.get(session.shellId));
    this.#idle.delete(session.shellId);
    session.output.close();
    await session.shell.close();
    // If the report fails, the kernel notices when the lease expires.
    await this.#registry
      .endShell({ tenant_id: session.tenantId, shell_id: session.shellId }, ending, REPLY_TIMEOUT_MS)
      .catch(() => undefined);
  }

  /** Accepts no new session and ends those without a running call; each of the others ends with its call. */
  drain(): void {
    this.#isDraining = true;
    for (const session of this.#live.values()) if (!session.hasTurn) void this.end(session, 'lost');
  }

  /** Ends all sessions: the executor stops. */
  async close(): Promise<void> {
    clearInterval(this.#renewTimer);
    await Promise.all([...this.#live.values()].map((session) => this.end(session, 'lost')));
  }

  #startRenewals(): void {
    this.#renewTimer ??= setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  async #renew(): Promise<void> {
    const live = [...this.#live.values()].map(async (session) => {
      const alive = await this.#isKept({ tenant_id: session.tenantId, shell_id: session.shellId });
      if (!alive) await this.end(session, 'lost');
    });
    // A shell that is to end before it has started finds out at its first renewal as a session.
    const starting = [...this.#starting.values()].map((shell) => this.#isKept(shell));
    await Promise.all([...live, ...starting]);
  }

  /** Without an answer a shell lives on: its lease decides where calls go, and the next renewal asks again. */
  async #isKept(shell: ShellOfTenant): Promise<boolean> {
    return await this.#registry.renewShell(shell, REPLY_TIMEOUT_MS).catch(() => true);
  }
}
