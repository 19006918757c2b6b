// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { TenantCipher } from '../../evidence/payload/index.ts';
import type { Rows } from '../../foundation/tenancy/index.ts';
import { clientIn, type ConnectionRow } from './connection-row.ts';

/** A value of the client's secret, and which of its values it is. */
interface SecretValue {
  readonly value: string;
  readonly given: string;
}

/**
 * The secret that authenticates the client of a connection for its work; null for a public client, and where the work
 * goes without it. INVARIANT (a new secret goes to nobody who had the old one alone): a connection that is over gets no
 * other value for its revocation than its authorization server was given before. The tenant's settings may name another
 * authorization server by now.
 * @throws Fault `secret.unknown` for a connection that isn't over
 */
export async function clientSecretFor(
  rows: Rows,
  cipher: TenantCipher,
  row: Pick<ConnectionRow, 'tenant_id' | 'client' | 'work' | 'secret_given'>,
): Promise<SecretValue | null> {
  const { client_secret: name } = clientIn(row);
  if (name === null) return null;
  const secret = await newest(rows, row.tenant_id, name);
  if (row.work === 'revoke' && secret?.given !== row.secret_given) return null;
  if (secret === null) throw new Fault('secret.unknown', `the secret \`${name}\` of the client does not exist`);
  const { version, sealed, given } = secret;
  return { value: cipher.openValue('secret', [name, String(version)], Buffer.from(sealed)).toString('utf8'), given };
}

/** Whether a revocation goes without the client's secret, since that is another one by now. */
export async function lacksSecret(
  rows: Rows,
  row: Pick<ConnectionRow, 'tenant_id' | 'client' | 'secret_given'>,
): Promise<boolean> {
  const { client_secret: name } = clientIn(row);
  return name !== null && (await newest(rows, row.tenant_id, name))?.given !== row.secret_given;
}

async function newest(rows: Rows, tenant_id: string, name: string) {
  const secret = await rows.secret.findFirst({ where: { tenant_id, name }, orderBy: { version: 'desc' } });
  // A secret that was removed and is there again has the first version once more.
  return secret === null ? null : { ...secret, given: `${String(secret.version)} ${String(secret.created_at)}` };
}
