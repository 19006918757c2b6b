// SPDX-License-Identifier: Apache-2.0
// Sessions of people who signed in in a browser.
//
// INVARIANT (new with each sign-in): the secret of a session is made here when a person has signed in, and never taken
// from a request, so that nobody can prepare the session of another.
// INVARIANT (in the browser alone): the database has the hash of the secret, and the person's name encrypted under a
// key that is derived from the secret.
// INVARIANT (told without a look-up): a cookie has a code under a key of the deployment, so that made-up cookies cost
// no look-up, whatever number of them comes.
import { createHmac, randomBytes } from 'node:crypto';
import { isId, parseMessage, type TenantId } from '@writ/contract';
import { parseJson, sha256 } from '@writ/digest';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { Type } from 'typebox';
import type { BrowserSessions } from '../../../store/identities/browser-sessions.ts';
import { isSame, keyOf as derive } from './session-keys.ts';
import type { SignedIn } from './sign-in.ts';

/** As long as a consent may take, and no longer: signing in again takes a click. */
export const SESSION_MS = 900_000;
const SECRET_BYTES = 32;
const TEXT = /^([a-z0-9_]{1,64})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;
/** What is encrypted of a person. */
const Shown = Type.Object({ name: Type.String(), issuer: Type.String() });

/** A session whose secret the browser presented. */
export interface Session {
  readonly tenantId: TenantId;
  readonly subjectHash: Buffer;
  /** how the issuer calls the person */
  readonly shown: string;
  /** the issuer that says so */
  readonly issuer: string;
  /** tells this session from all others, and gives nothing away: for the kernel */
  readonly sessionHash: Buffer;
  /** what a form of this session must bring for the purpose */
  readonly formToken: (purpose: string) => string;
}

/** Begins, finds and ends sessions. */
export class Sessions {
  readonly #rows: BrowserSessions;
  readonly #key: Uint8Array;

  /** @param key the webhook key, from which the key of cookies is derived */
  constructor(rows: BrowserSessions, key: Buffer) {
    this.#rows = rows;
    this.#key = keyOf(key, 'cookie');
  }

  /** A text for the cookie of the new session. */
  async begin({
    tenantId,
    providerId,
    subjectHash,
    shown,
    issuer,
  }: Omit<SignedIn, 'rights' | 'authenticatedMs'>): Promise<string> {
    const secret = randomBytes(SECRET_BYTES);
    const row = {
      session_hash: rowHashOf(secret),
      provider_id: providerId,
      subject_hash: subjectHash,
      shown: await new CompactEncrypt(Buffer.from(JSON.stringify({ name: shown, issuer })))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(keyOf(secret, 'shown')),
    };
    await this.#rows.create(tenantId, row, SESSION_MS);
    const text = `${tenantId}.${secret.toString('base64url')}`;
    return `${text}.${this.#codeOf(text)}`;
  }

  /** The session of a cookie, which is attacker-controlled; null where there is none. */
  async find(cookie: string | undefined): Promise<Session | null> {
    const read = this.#read(cookie);
    if (read === null) return null;
    const { tenantId, secret } = read;
    const row = await this.#rows.find(tenantId, rowHashOf(secret));
    if (row === null) return null;
    const { plaintext } = await compactDecrypt(row.shown, keyOf(secret, 'shown'));
    const { name, issuer } = parseMessage(Shown, parseJson(Buffer.from(plaintext).toString('utf8')));
    const formKey = keyOf(secret, 'forms');
    return {
      tenantId,
      subjectHash: row.subject_hash,
      shown: name,
      issuer,
      sessionHash: Buffer.from(keyOf(secret, 'kernel')),
      formToken: (purpose) => createHmac('sha256', formKey).update(purpose).digest('base64url'),
    };
  }

  async end(cookie: string | undefined): Promise<void> {
    const read = this.#read(cookie);
    if (read !== null) await this.#rows.end(read.tenantId, rowHashOf(read.secret));
  }

  #read(cookie: string | undefined): { readonly tenantId: TenantId; readonly secret: Buffer } | null {
    const [, tenantId, secret = '', code = ''] = TEXT.exec(cookie ?? '') ?? [];
    if (!isId('tenant', tenantId) || !isSame(this.#codeOf(`${tenantId}.${secret}`), code)) return null;
    return { tenantId, secret: Buffer.from(secret, 'base64url') };
  }

  #codeOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** Whether a form of the session brought its token: a page of another site can't know it. */
export const isFormOf = (session: Pick<Session, 'formToken'>, purpose: string, given: string | null): boolean =>
  isSame(session.formToken(purpose), given ?? '');

/** A secret has 256 random bits, so it needs no slow hash. */
const rowHashOf = (secret: Buffer): Buffer => Buffer.from(sha256(secret));
const keyOf = (secret: Uint8Array, purpose: string): Uint8Array => derive(secret, `browser-session/${purpose}`);
