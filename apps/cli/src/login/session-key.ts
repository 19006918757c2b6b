// SPDX-License-Identifier: Apache-2.0
import { CliError, EXIT } from '../cli-error.ts';
import type { Environment } from '../config.env.ts';
import {
  contextNamed,
  readContexts,
  writeContexts,
  type SessionCredential,
  type StoredContext,
} from '../contexts/contexts-file.ts';
import { renewSession } from './device-flow.ts';

/** How old the text of a session gets: whoever takes one has it for no longer, while the person works. */
const RENEW_MS = 900_000;

/**
 * What requests of a context with a session present. INVARIANT (never a replaced one): the file is read for each
 * request, since another process may have renewed the session. Who presents a text that was replaced ends the session.
 * INVARIANT (stored first): a new text is used once it is in the file, and until then the one before is good.
 */
export class SessionKey {
  readonly #env: Environment;
  readonly #name: string;
  readonly #now: () => number;
  #renewing: Promise<string> | null = null;

  constructor(env: Environment, name: string, now: () => number = () => Date.now()) {
    this.#env = env;
    this.#name = name;
    this.#now = now;
  }

  /** @throws CliError `auth.missing`, `auth.invalid` where the person has to sign in */
  async current(): Promise<string> {
    const { url, credential } = this.#stored();
    const secret = this.#secretOf(credential);
    if (Math.abs(this.#now() - credential.renewed_at) < RENEW_MS) return secret;
    this.#renewing ??= this.#renew(url, secret).finally(() => {
      this.#renewing = null;
    });
    return await this.#renewing;
  }

  async #renew(url: string, presented: string): Promise<string> {
    const renewed = await renewSession(url, presented, this.#now).catch((error: unknown) => {
      throw error instanceof CliError && error.code === 'auth.invalid' ? signInAgain(this.#name) : error;
    });
    const { credential } = this.#stored();
    const stored = this.#secretOf(credential);
    // Another process has renewed it, or the person has signed in again.
    if (renewed === null || stored !== presented) return stored;
    const { secret, expiresAt } = renewed;
    storeSession(this.#env, this.#name, {
      ...credential,
      secret,
      renewed_at: this.#now(),
      expires_at: Math.floor(expiresAt),
    });
    return secret;
  }

  #stored(): StoredContext & { readonly credential: SessionCredential } {
    const stored = contextNamed(readContexts(this.#env), this.#name);
    const { credential } = stored;
    if (credential.kind === 'session') return { ...stored, credential };
    throw new CliError('contexts', `the context \`${this.#name}\` was replaced meanwhile: try again`, EXIT.usage);
  }

  #secretOf({ secret }: SessionCredential): string {
    if (secret !== null) return secret;
    const name = this.#name;
    throw new CliError(
      'auth.missing',
      `you are signed out of the context \`${name}\`: \`writ login ${name}\``,
      EXIT.notAllowed,
    );
  }
}

/** What to do about a session that has ended. */
export const signInAgain = (name: string): CliError =>
  new CliError(
    'auth.invalid',
    `the session of the context \`${name}\` has ended: \`writ login ${name}\``,
    EXIT.notAllowed,
  );

/** Replaces the session of a context. What else the file has is read anew, so that it stays. */
export function storeSession(env: Environment, name: string, credential: SessionCredential): void {
  const file = readContexts(env);
  writeContexts(env, { ...file, contexts: { ...file.contexts, [name]: { ...contextNamed(file, name), credential } } });
}
