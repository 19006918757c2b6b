// SPDX-License-Identifier: Apache-2.0
// Sign-in of a program: OAuth's device authorization grant (RFC 8628), and the renewal of what it gave (RFC 6749 §6).
import { parseMessage } from '@writ/contract';
import { Type, type Static, type TSchema } from 'typebox';
import { CliError, EXIT } from '../cli-error.ts';
import { visibleLine } from '../visible.ts';

/** What people see on the page that they approve. */
const CLIENT_ID = 'writ-cli';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const REQUEST_MS = 30_000;
/** Between two requests, where the server names no pause, and what `slow_down` adds (RFC 8628 §3.2, §3.5). */
const INTERVAL_S = 5;
/** The longest pause: after requests without an answer it doubles. */
const PAUSE_MAX_MS = 60_000;
/** A server that promises longer isn't believed. */
const LIFETIME_MAX_S = 3_600;

export const Codes = Type.Object({
  device_code: Type.String({ minLength: 1 }),
  user_code: Type.String({ minLength: 1 }),
  verification_uri: Type.String(),
  verification_uri_complete: Type.Optional(Type.String()),
  expires_in: Type.Number({ minimum: 0 }),
  interval: Type.Optional(Type.Number({ minimum: 0 })),
});
export type Codes = Static<typeof Codes>;

const Token = Type.Object({ access_token: Type.String({ minLength: 1 }), expires_in: Type.Number({ minimum: 0 }) });
const OauthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) });

/** The text of a session, and when it ends in any case, in milliseconds since the epoch. */
export interface SessionText {
  readonly secret: string;
  readonly expiresAt: number;
}

export interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Asks for the codes of a program that a person approves. @throws CliError */
export async function askForCodes(url: string, tenant: string): Promise<Codes> {
  const answer = await post(url, '/v1/device-authorizations', { client_id: CLIENT_ID, tenant });
  if (answer.status !== 200) throw errorOf(url, answer);
  return read(Codes, answer.body, url);
}

/** The page to open. @throws CliError for an address that no browser should get from here */
export function pageOf({ verification_uri_complete, verification_uri }: Codes): string {
  const page = verification_uri_complete ?? verification_uri;
  if (['http:', 'https:'].includes(URL.parse(page)?.protocol ?? '')) return page;
  throw new CliError('answer', `the page to sign in at is no http address: \`${visibleLine(page)}\``);
}

/** Polls until the person has decided. @throws CliError where there is no session */
export async function awaitSession(url: string, codes: Codes, { now, sleep }: Clock): Promise<SessionText> {
  const end = now() + Math.min(codes.expires_in, LIFETIME_MAX_S) * 1_000;
  let intervalMs = (codes.interval ?? INTERVAL_S) * 1_000;
  for (let pause = intervalMs; ;) {
    await sleep(pause);
    if (now() >= end) throw new CliError('expired_token', 'nobody approved it in time: `writ login` starts again');
    const answer = await attempt(url, codes.device_code);
    if (answer?.status === 200) return sessionOf(read(Token, answer.body, url), now());
    // RFC 8628 §3.5: a program that gets no answer asks less often.
    pause = Math.min(pause * 2, PAUSE_MAX_MS);
    if (answer === null || answer.status !== 400) continue;
    const { error } = read(OauthError, answer.body, url);
    if (error === 'slow_down') intervalMs += INTERVAL_S * 1_000;
    else if (error !== 'authorization_pending') throw errorOf(url, answer);
    pause = intervalMs;
  }
}

/** A request that may be made again: null where the server gave no answer, or can't say now. */
async function attempt(url: string, device_code: string): Promise<Answer | null> {
  try {
    const answer = await post(url, '/v1/oauth/token', { grant_type: DEVICE_GRANT, client_id: CLIENT_ID, device_code });
    if (answer.status === 429 || answer.status >= 500) return null;
    if (answer.status !== 200 && answer.status !== 400) throw errorOf(url, answer);
    return answer;
  } catch (error) {
    if (error instanceof CliError && error.code === 'http') return null;
    throw error;
  }
}

/**
 * The text that replaces this one; null where the server can't say now: this one is good still.
 *
 * @throws CliError `auth.invalid` where the session has ended
 */
export async function renewSession(url: string, secret: string, now: () => number): Promise<SessionText | null> {
  const fields = { grant_type: 'refresh_token', refresh_token: secret };
  let answer: Answer;
  try {
    answer = await post(url, '/v1/oauth/token', fields);
  } catch (error) {
    if (error instanceof CliError && error.code === 'http') return null;
    throw error;
  }
  if (answer.status === 200) return sessionOf(read(Token, answer.body, url), now());
  const isOver = answer.status === 400 && read(OauthError, answer.body, url).error === 'invalid_grant';
  if (isOver) throw new CliError('auth.invalid', 'the session has ended', EXIT.notAllowed);
  return null;
}

const sessionOf = ({ access_token, expires_in }: Static<typeof Token>, now: number): SessionText => ({
  secret: access_token,
  expiresAt: now + expires_in * 1_000,
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function post(url: string, path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  try {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      // Codes and sessions must not be sent to another address.
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  } catch (cause) {
    throw new CliError('http', `${url} does not answer: is it running?`, EXIT.unavailable, { cause });
  }
}

function read<S extends TSchema>(schema: S, body: unknown, url: string): Static<S> {
  try {
    return parseMessage(schema, body);
  } catch (cause) {
    throw new CliError('answer', `${url} answered what this program does not understand`, undefined, { cause });
  }
}

/** What the server says about an attempt that ends the sign-in. */
function errorOf(url: string, { status, body }: Answer): CliError {
  const said = (body ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | null => (typeof said[name] === 'string' ? visibleLine(said[name]) : null);
  const code = text('error') ?? text('code') ?? 'http';
  const message = text('error_description') ?? text('detail') ?? `${url} answered with status ${status}`;
  if (code === 'access_denied') return new CliError(code, message, EXIT.refused);
  if (status === 404) return new CliError(code, `${url} has no sign-in: is it of an older version?`, EXIT.notFound);
  return new CliError(code, message, status === 429 || status === 503 ? EXIT.unavailable : EXIT.failed);
}
