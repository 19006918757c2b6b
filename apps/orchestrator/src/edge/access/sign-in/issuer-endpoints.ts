// SPDX-License-Identifier: Apache-2.0
// Where people sign in at an issuer. The cache asks an issuer rarely, however many people want to sign in.
import { Fault } from '@writ/contract';
import type { AuthorizationServer } from 'oauth4webapi';
import { hostOf } from '../../outbound/allowed-hosts.ts';
import { ALGORITHMS } from '../oauth/access-token.ts';
import { IssuerCache } from '../oauth/issuer-cache.ts';
import { fetchMetadata, type FetchDocument, type IssuerDocument } from '../oauth/issuer-metadata.ts';

/** How long metadata are used: endpoints rarely change, and the old ones go on for a while. */
const FRESH_MS = 300_000;
/** The endpoints of an issuer that people can sign in at. */
export type SignInServer = AuthorizationServer &
  Required<Pick<AuthorizationServer, 'authorization_endpoint' | 'token_endpoint'>>;

/** Finds the endpoints of issuers. */
export class IssuerEndpoints {
  readonly #cache: IssuerCache<SignInServer>;

  /**
   * @param allowed `host:port` of issuers that may be reached by plain HTTP
   * @param monotonic milliseconds
   */
  constructor(fetchDocument: FetchDocument, allowed: ReadonlySet<string>, monotonic: () => number) {
    this.#cache = new IssuerCache({
      fetch: async (issuer) => serverOf(await fetchMetadata(fetchDocument, issuer), allowed),
      unavailable,
      monotonic,
      freshMs: FRESH_MS,
      maxAgeMs: FRESH_MS,
    });
  }

  /** @throws Fault `auth.issuer_unavailable` */
  async of(issuer: string): Promise<SignInServer> {
    return await this.#cache.of(issuer);
  }
}

const unavailable = (issuer: string, cause: unknown): Fault =>
  new Fault(
    'auth.issuer_unavailable',
    `nobody can sign in at \`${issuer}\` now: its metadata must be there, and name its endpoints for authorization and tokens`,
    { cause },
  );

/** Only members that are used, so that no other one changes what the library does. */
function serverOf(metadata: IssuerDocument, allowed: ReadonlySet<string>): SignInServer {
  const names = metadata['authorization_response_iss_parameter_supported'];
  return {
    issuer: metadata.issuer,
    authorization_endpoint: endpointOf(metadata, 'authorization_endpoint', allowed),
    token_endpoint: endpointOf(metadata, 'token_endpoint', allowed),
    // RFC 9207 §3: then an answer that doesn't name its issuer is of another one.
    authorization_response_iss_parameter_supported: names !== undefined && names !== false,
    id_token_signing_alg_values_supported: ALGORITHMS,
  };
}

function endpointOf(metadata: IssuerDocument, name: string, allowed: ReadonlySet<string>): string {
  const value = metadata[name];
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isGood =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && allowed.has(hostOf(url)))) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '';
  if (!isGood) throw new Error(`the metadata have no good \`${name}\``);
  return url.href;
}
