// SPDX-License-Identifier: Apache-2.0
// Sessions of people who signed in in a browser.
//
// INVARIANT (new with each sign-in): the secret of a session is made here when a person has signed in, and never taken
// from a request, so that nobody can prepare the session of another.
// INVARIANT (in the browser alone): the database has the hash of the secret, and the person's name encrypted under a
// key that is derived from the secret.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { isId, parseMessage, type TenantId } from '@writ/contract';
import { sha256 } from '@writ/digest';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { Type } from 'typebox';
import type { BrowserSessions } from '../../../store/identities/browser-sessions.ts';
import type { SignedIn } from './sign-in.ts';

/** As long as a consent may take, and no longer: signing in again takes a click. */
export const SESSION_MS = 900_000;
const SECRET_BYTES = 32;
/** What is encrypted of a person. */
const Shown = Type.Object({ name: Type.String(), issuer: Type.String() });
const TEXT = /^([a-z0-9_]{1,64})\.([A-Za-z0-9_-]{43})$/;

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

  constructor(rows: BrowserSessions) {
    this.#rows = rows;
  }

  /** A text for the cookie of the new session. */
  async begin({ tenantId, providerId, subjectHash, shown, issuer }: SignedIn): Promise<string> {
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
    return `${tenantId}.${secret.toString('base64url')}`;
  }

  /** The session of a cookie, which is attacker-controlled; null where there is none. */
  async find(cookie: string | undefined): Promise<Session | null> {
    const read = readCookie(cookie);
    if (read === null) return null;
    const { tenantId, secret } = read;
    const row = await this.#rows.find(tenantId, rowHashOf(secret));
    if (row === null) return null;
    const { plaintext } = await compactDecrypt(row.shown, keyOf(secret, 'shown'));
    const { name, issuer } = parseMessage(Shown, JSON.parse(Buffer.from(plaintext).toString('utf8')));
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
    const read = readCookie(cookie);
    if (read !== null) await this.#rows.end(read.tenantId, rowHashOf(read.secret));
  }
}

/** Whether a form of the session brought its token: a page of another site can't know it. */
export function isFormOf(session: Session, purpose: string, given: string | null): boolean {
  const [expected, presented] = [session.formToken(purpose), given ?? ''].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
  ];
  return expected.length === presented.length && timingSafeEqual(expected, presented);
}

function readCookie(cookie: string | undefined): { readonly tenantId: TenantId; readonly secret: Buffer } | null {
  const [, tenantId, text = ''] = TEXT.exec(cookie ?? '') ?? [];
  if (!isId('tenant', tenantId)) return null;
  return { tenantId, secret: Buffer.from(text, 'base64url') };
}

/** A secret has 256 random bits, so it needs no slow hash. */
const rowHashOf = (secret: Buffer): Buffer => Buffer.from(sha256(secret));
const keyOf = (secret: Buffer, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, Buffer.alloc(0), `writ/browser-session/${purpose}/v1`, 32));
