// SPDX-License-Identifier: Apache-2.0
// Where people sign in at an issuer. INVARIANT (bounded requests): an issuer is asked once at a time, and once within
// RETRY_MS after a failure, however many people want to sign in.
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { AuthorizationServer } from 'oauth4webapi';
import { hostOf } from '../../outbound/allowed-hosts.ts';
import { ALGORITHMS } from '../oauth/access-token.ts';
import { fetchMetadata, type FetchDocument, type IssuerDocument } from '../oauth/issuer-metadata.ts';

/** How long metadata are used: endpoints rarely change, and the old ones go on for a while. */
const FRESH_MS = 300_000;
/** How long an issuer that failed isn't asked again. */
const RETRY_MS = 5_000;
/** Issuers whose metadata are cached: more than the tenants of one deployment have. */
const ISSUERS_MAX = 2_000;

/** The endpoints of an issuer that people can sign in at. */
export type SignInServer = AuthorizationServer &
  Required<Pick<AuthorizationServer, 'authorization_endpoint' | 'token_endpoint'>>;

type Known = { readonly server: SignInServer } | { readonly failure: unknown };

/** Finds the endpoints of issuers. */
export class IssuerEndpoints {
  readonly #known: LRUCache<string, Known>;

  /**
   * @param allowed `host:port` of issuers that may be reached by plain HTTP
   * @param monotonic milliseconds
   */
  constructor(fetchDocument: FetchDocument, allowed: ReadonlySet<string>, monotonic: () => number) {
    this.#known = new LRUCache<string, Known>({
      max: ISSUERS_MAX,
      ttlResolution: 0,
      perf: { now: monotonic },
      fetchMethod: async (issuer, _stale, { options }) => {
        try {
          const server = serverOf(await fetchMetadata(fetchDocument, issuer), allowed);
          options.ttl = FRESH_MS;
          return { server };
        } catch (failure) {
          options.ttl = RETRY_MS;
          return { failure };
        }
      },
    });
  }

  /** @throws Fault `auth.issuer_unavailable` */
  async of(issuer: string): Promise<SignInServer> {
    const known = await this.#known.forceFetch(issuer);
    if ('server' in known) return known.server;
    throw new Fault(
      'auth.issuer_unavailable',
      `nobody can sign in at \`${issuer}\` now: its metadata must be there, and name its endpoints for authorization and tokens`,
      { cause: known.failure },
    );
  }
}

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
