// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster whose discovery document nobody can reach: the operator puts them into the registration.
import { Fault } from '@writ/contract';
import { importJWK, type JWK } from 'jose';
import type { PinnedKey } from '../../../store/identities/workloads.ts';
import { ALGORITHMS } from '../oauth/access-token.ts';
import { publicKeysOf } from '../oauth/issuer-keys.ts';

/** Members that verification needs. Certificates and addresses of keys are never read. */
const MEMBERS = ['kty', 'kid', 'alg', 'n', 'e', 'crv', 'x', 'y'] as const;
/** The algorithm of each kind of key that names none. */
const ALGORITHM_OF: Readonly<Record<string, string>> = { RSA: 'RS256', EC: 'ES256', OKP: 'EdDSA' };
/** Only these of a key tell what it is: a private key, or one that is shared. */
const SECRET = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'] as const;

/**
 * The public keys of a set, as `kubectl get --raw /openid/v1/jwks` prints it.
 * @throws Fault `request.malformed` for a key that is private or can't be used, and for two with one `kid`
 */
export async function parsePinnedKeys(keys: readonly Readonly<Record<string, unknown>>[]): Promise<PinnedKey[]> {
  const pinned: PinnedKey[] = [];
  for (const [at, key] of keys.entries()) {
    const pointer = `/jwks/keys/${String(at)}`;
    const refuse = (why: string): never => {
      throw new Fault('request.malformed', `a key of \`jwks\` is refused: ${why}`, { pointer });
    };
    if (SECRET.some((member) => key[member] !== undefined)) refuse('it is no public key; put no other one anywhere');
    if (publicKeysOf([key]).length === 0) refuse('it is no public key for signatures, or too long');
    const kept = Object.fromEntries(
      MEMBERS.flatMap((name) => (typeof key[name] === 'string' ? [[name, key[name]]] : [])),
    ) as Record<string, string>;
    if (kept['kid'] === undefined || kept['kid'] === '') refuse('it has no `kid`');
    if (pinned.some(({ kid }) => kid === kept['kid'])) refuse('another one has its `kid`');
    const alg = kept['alg'] ?? ALGORITHM_OF[kept['kty'] ?? ''] ?? '';
    if (!ALGORITHMS.includes(alg)) refuse(`its \`alg\` must be one of ${ALGORITHMS.join(', ')}`);
    try {
      await importJWK(kept as JWK, alg);
    } catch {
      refuse('it can not be read');
    }
    pinned.push(kept as PinnedKey);
  }
  return pinned;
}
