// SPDX-License-Identifier: Apache-2.0
// The code of an invitation: `writ_i_<tenant>_<secret>`. Whoever holds it, and is the one whom it is for, becomes a
// member.
import { randomBytes } from 'node:crypto';
import { ID_KINDS, isId, type TenantId } from '@writ/contract';
import { sha256 } from '@writ/digest';
import { SIGN_IN_PATH } from './return-to.ts';

/** Where a person accepts an invitation. */
export const INVITATION_PATH = `${SIGN_IN_PATH}/invitation`;

/** Nobody guesses 256 bits, so a plain hash of them is enough. */
const BYTES = 32;
const CODE = /^writ_i_([0-7][0-9a-hjkmnp-tv-z]{25})_([A-Za-z0-9_-]{43})$/;

/** A code that was read. */
export interface InvitationCode {
  readonly tenantId: TenantId;
  readonly hash: Buffer;
  readonly text: string;
}

export function newInvitationCode(tenantId: TenantId): InvitationCode {
  const secret = randomBytes(BYTES).toString('base64url');
  const text = `writ_i_${tenantId.slice(ID_KINDS.tenant.length + 1)}_${secret}`;
  return { tenantId, hash: hashOf(text), text };
}

/** Null for a text that is none, which is attacker-controlled. */
export function readInvitationCode(text: string | null): InvitationCode | null {
  const [found, tenant = ''] = CODE.exec(text ?? '') ?? [];
  const tenantId = `${ID_KINDS.tenant}_${tenant}`;
  return found === undefined || !isId('tenant', tenantId) ? null : { tenantId, hash: hashOf(found), text: found };
}

/** The path of the page on which the code is accepted. */
export const invitationPath = ({ text }: InvitationCode): string => `${INVITATION_PATH}?code=${text}`;

/** The code in a path that a sign-in would return to; null where it leads elsewhere. */
export function invitationIn(returnTo: string): InvitationCode | null {
  const [path, query = ''] = returnTo.split('?', 2);
  return path === INVITATION_PATH ? readInvitationCode(new URLSearchParams(query).get('code')) : null;
}

const hashOf = (text: string): Buffer => Buffer.from(sha256(Buffer.from(text, 'utf8')));
