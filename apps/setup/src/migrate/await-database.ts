// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, connect, isUnavailable } from '@writ/database';
import { Failure, reasonOf } from '../failure.ts';

/** Between two tries, in milliseconds. */
const PAUSE_MS = 500;

/** SQLSTATE of a running server without the database, which the migrations create. */
const NO_DATABASE = '3D000';
const REFUSED_USER = /^28/;

/**
 * Resolves once Postgres accepts connections of the administrator.
 *
 * @param waitMs how long to wait; 0 tries once
 * @param print called once when it starts to wait
 * @throws Failure if no server answers in time, and at once if the server refuses the user or its certificate is not
 * trusted
 */
export async function awaitDatabase(url: string, waitMs: number, print: (line: string) => void): Promise<void> {
  const until = performance.now() + waitMs;
  for (let tries = 0; ; tries += 1) {
    const error = await problemAt(url);
    if (error === null) return;
    if (!isUnavailable(error)) throw failureOf(url, error);
    if (performance.now() + PAUSE_MS > until) {
      throw new Failure(
        `Postgres does not serve at \`${hostOf(url)}\`, which \`WRIT_ADMIN_DATABASE_URL\` names, after ${waitMs} ` +
          `ms (${reasonOf(error)}): ` +
          'start it, correct the variable, or raise `WRIT_START_WAIT_MS`',
        error,
      );
    }
    if (tries === 0) print(`waiting for Postgres at ${hostOf(url)}`);
    await sleep(PAUSE_MS);
  }
}

async function problemAt(url: string): Promise<unknown> {
  try {
    const client = await connect(url, 'writ-setup');
    await client.end();
    return null;
  } catch (error) {
    return codeOf(error) === NO_DATABASE ? null : error;
  }
}

function failureOf(url: string, error: unknown): Failure {
  const where = `Postgres at \`${hostOf(url)}\``;
  if (REFUSED_USER.test(codeOf(error))) {
    return new Failure(
      `${where} refuses the user of \`WRIT_ADMIN_DATABASE_URL\` (${reasonOf(error)}): correct the user or its ` +
        'password in that variable or in the file of ' +
        '`WRIT_ADMIN_DATABASE_PASSWORD_FILE`',
      error,
    );
  }
  return new Failure(
    `${where}, which \`WRIT_ADMIN_DATABASE_URL\` names, can't be used (${reasonOf(error)}): check \`sslmode\` and ` +
      '`sslrootcert` of that URL',
    error,
  );
}

/** Host and port only: a URL has a password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an address that is no URL';
}
