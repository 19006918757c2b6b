// SPDX-License-Identifier: Apache-2.0
import { OauthError } from './oauth-error.ts';
import type { TokenAnswer } from './token-answer.ts';

/** A request for a token. All of it is attacker-controlled. */
export interface TokenRequest {
  /** the client's address, as trusted proxies report it */
  readonly address: string;
  /** The value of a parameter, which the request has once. @throws OauthError `invalid_request` where it has none */
  readonly required: (name: string) => string;
  /** The value of a parameter; undefined where there is none, or an empty one (RFC 6749 §3.2). */
  readonly optional: (name: string) => string | undefined;
}

/** Answers requests of one `grant_type`. @throws OauthError, Fault `rate.limited` */
export type TokenGrant = (request: TokenRequest) => Promise<TokenAnswer>;

/** The grants of the token endpoint, by `grant_type`. */
export class TokenGrants {
  readonly #grants: ReadonlyMap<string, TokenGrant>;

  constructor(grants: Readonly<Record<string, TokenGrant>>) {
    this.#grants = new Map(Object.entries(grants));
  }

  /** @throws OauthError, and whatever the grant throws */
  async answer(address: string, fields: URLSearchParams): Promise<TokenAnswer> {
    const request = requestOf(address, fields);
    const type = request.required('grant_type');
    const grant = this.#grants.get(type);
    if (grant === undefined)
      throw new OauthError('unsupported_grant_type', `the grants here are: ${[...this.#grants.keys()].join(', ')}`);
    return await grant(request);
  }
}

/** Reads the parameters of an OAuth request. RFC 6749 §3.2: none comes twice. @throws OauthError `invalid_request` */
export function requestOf(address: string, fields: URLSearchParams): TokenRequest {
  for (const name of new Set(fields.keys()))
    if (fields.getAll(name).length > 1)
      throw new OauthError('invalid_request', 'a parameter is repeated: each may come once');
  const optional = (name: string): string | undefined => {
    const value = fields.get(name) ?? '';
    return value === '' ? undefined : value;
  };
  const required = (name: string): string => {
    const value = optional(name);
    if (value === undefined) throw new OauthError('invalid_request', `the parameter \`${name}\` is missing`);
    return value;
  };
  return { address, required, optional };
}
