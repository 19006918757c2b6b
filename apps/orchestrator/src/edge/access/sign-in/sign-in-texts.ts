// SPDX-License-Identifier: Apache-2.0
// The texts that hold sign-in sessions: `writ_s_<tenant>_<id>_<key><secret><code>`. A browser has it in a cookie, and a
// program sends it where an API key goes.
//
// INVARIANT (told without a look-up): `code` is a MAC of the rest under a key of the deployment, so that texts that
// were made up cost no look-up, and a text with a good code was handed out here for that session.
// INVARIANT (replaced, and not lost): the secret is replaced by one that follows from it under a key of the deployment.
// So whatever number of requests come at that moment, they all get the same one, again and again, until it is used.
// INVARIANT (with the holder alone): `key` stays for the whole session and is stored nowhere. Who the person is at the
// issuer is encrypted under it.
import { createHmac, randomBytes } from 'node:crypto';
import { ID_KINDS, isId, parseMessage, type AgentId, type Id, type TenantId } from '@writ/contract';
import { parseJson, sha256 } from '@writ/digest';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { Type, type Static } from 'typebox';
import { isSame, keyOf } from './session-keys.ts';

const BYTES = 32;
const BODY = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const PART = '[A-Za-z0-9_-]{43}';
const TEXT = new RegExp(`^writ_s_(${BODY})_(${BODY})_(${PART})(${PART})(${PART})$`);
const PURPOSE = 'sign-in-session';

/** Who the person of a session is at the issuer. */
const Identity = Type.Object({
  issuer: Type.String(),
  subject: Type.String(),
  /** the name by which API keys call the person; null: issuer and subject are the person */
  name: Type.Union([Type.String(), Type.Null()]),
  /** the agent that the issuer names for the person; null: it names none */
  agent_id: Type.Union([Type.String(), Type.Null()]),
  /** how pages call the person */
  shown: Type.String(),
});
export type Identity = Static<typeof Identity> & { readonly agent_id: AgentId | null };

/** What a text says. */
export interface SessionText {
  readonly tenantId: TenantId;
  readonly signInId: Id<'signIn'>;
  readonly key: Buffer;
  readonly secret: Buffer;
}

/** Whether a text has the form of one, so that other texts are not read as one. */
export const isSessionText = (text: string): boolean => TEXT.test(text);

/** A secret has 256 random bits, so it needs no slow hash. */
export const secretHashOf = ({ secret }: SessionText): Buffer => Buffer.from(sha256(secret));

/** What a form, or a request of the session, must bring for the purpose. It stays when the secret is replaced. */
export const formTokenOf = ({ key }: SessionText, purpose: string): string =>
  createHmac('sha256', keyOf(key, `${PURPOSE}/forms`))
    .update(purpose)
    .digest('base64url');

/** Encrypts who the person is, for whoever holds the text alone. */
export async function sealIdentity({ key }: SessionText, identity: Identity): Promise<string> {
  return await new CompactEncrypt(Buffer.from(JSON.stringify(identity)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(keyOf(key, `${PURPOSE}/identity`));
}

export async function openIdentity({ key }: SessionText, sealed: string): Promise<Identity> {
  const { plaintext } = await compactDecrypt(sealed, keyOf(key, `${PURPOSE}/identity`));
  return parseMessage(Identity, parseJson(Buffer.from(plaintext).toString('utf8'))) as Identity;
}

/** Writes and reads the texts of one deployment. */
export class SessionTexts {
  readonly #codes: Uint8Array;
  readonly #successors: Uint8Array;

  /** @param key the webhook key, from which the keys of texts are derived */
  constructor(key: Buffer) {
    this.#codes = keyOf(key, `${PURPOSE}/code`);
    this.#successors = keyOf(key, `${PURPOSE}/successor`);
  }

  /** The text of a new session. */
  newText(tenantId: TenantId, signInId: Id<'signIn'>): SessionText {
    return { tenantId, signInId, key: randomBytes(BYTES), secret: randomBytes(BYTES) };
  }

  /** The text that replaces this one. */
  successorOf(text: SessionText): SessionText {
    const secret = createHmac('sha256', this.#successors).update(text.signInId).update(text.secret).digest();
    return { ...text, secret };
  }

  format({ tenantId, signInId, key, secret }: SessionText): string {
    const [tenant, id] = [tenantId.slice(ID_KINDS.tenant.length + 1), signInId.slice(ID_KINDS.signIn.length + 1)];
    const text = `writ_s_${tenant}_${id}_${key.toString('base64url')}${secret.toString('base64url')}`;
    return `${text}${this.#codeOf(text)}`;
  }

  /** Null for a text that was not handed out here. */
  read(text: string): SessionText | null {
    const [, tenant = '', id = '', key = '', secret = '', code = ''] = TEXT.exec(text) ?? [];
    const [tenantId, signInId] = [`${ID_KINDS.tenant}_${tenant}`, `${ID_KINDS.signIn}_${id}`];
    if (!isId('tenant', tenantId) || !isId('signIn', signInId)) return null;
    if (!isSame(this.#codeOf(text.slice(0, text.length - code.length)), code)) return null;
    return { tenantId, signInId, key: Buffer.from(key, 'base64url'), secret: Buffer.from(secret, 'base64url') };
  }

  #codeOf(text: string): string {
    return createHmac('sha256', this.#codes).update(text).digest('base64url');
  }
}
