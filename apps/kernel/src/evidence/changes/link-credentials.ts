// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';

/** Credentials of one person, by the keyed hash of issuer and subject, hex. */
export interface CredentialsOf {
  readonly tenant_id: string;
  readonly subject_hash: string;
  readonly credentials: readonly string[];
}

/**
 * Notes whose credentials these are, within the transaction of `rows`. INVARIANT (one person): a credential stays the
 * person's whose it was first. A revoked one is nobody's, since none of its calls runs. The transaction holds the
 * tenant's rules from here on, so that each revocation comes wholly before it or after it.
 * @throws Fault `auth.invalid` for a credential of another person
 */
export async function linkCredentials(
  rows: Rows,
  { tenant_id, subject_hash, credentials }: CredentialsOf,
): Promise<void> {
  await callIn(rows, kernelSql.holdRules, { tenant: tenant_id });
  const subject = new Uint8Array(Buffer.from(subject_hash, 'hex'));
  const api_key_id = { in: [...credentials] };
  const revoked = await rows.revoked_key.findMany({ where: { tenant_id, api_key_id }, select: { api_key_id: true } });
  const live = credentials.filter((id) => !revoked.some((one) => one.api_key_id === id));
  if (live.length === 0) return;
  const data = live.map((id) => ({ tenant_id, api_key_id: id, subject_hash: subject }));
  await rows.credential_subject.createMany({ data, skipDuplicates: true });
  const others = await rows.credential_subject.count({
    where: { tenant_id, api_key_id: { in: live }, subject_hash: { not: subject } },
  });
  if (others > 0) throw new Fault('auth.invalid', 'the credential is of another person');
}
