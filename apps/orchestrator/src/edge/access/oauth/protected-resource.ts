// SPDX-License-Identifier: Apache-2.0
// This deployment as an OAuth 2.1 resource server: what it says about itself (RFC 9728), and how it asks for a token
// (RFC 6750 §3, RFC 9728 §5.1).
import { Type, type Static } from 'typebox';
import { MCP_PATH, resourcesOf } from '../../../store/identities/identities.ts';
import type { TokenRole } from '../../../store/keys/roles.ts';

/** Where the metadata of a protected resource are: RFC 9728 §3. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Scopes that give a role where a registration names no others. */
export const DEFAULT_SCOPES: Readonly<Record<TokenRole, string>> = {
  admin: 'writ:admin',
  operator: 'writ:operator',
  agent: 'writ:agent',
  auditor: 'writ:auditor',
};
/** Roles by their rights, the fewest first: a client is asked for no more than it needs. */
export const LEAST_FIRST: readonly TokenRole[] = ['agent', 'auditor', 'operator', 'admin'];

/** RFC 9728 §2. */
export const ProtectedResourceMetadata = Type.Object(
  {
    resource: Type.String({ description: "what a token's `aud` must contain: RFC 8707" }),
    authorization_servers: Type.Optional(
      Type.Array(Type.String(), { description: 'issuers that the operator names; absent: ask your administrator' }),
    ),
    scopes_supported: Type.Array(Type.String(), {
      description: 'scopes that give a role, unless the registration of the issuer names others',
    }),
    bearer_methods_supported: Type.Array(Type.Literal('header')),
    resource_name: Type.String(),
  },
  { additionalProperties: false },
);
export type ProtectedResourceMetadata = Static<typeof ProtectedResourceMetadata>;

/** What a `WWW-Authenticate` header asks for. */
export interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** scopes that are missing, any number */
  readonly scopes?: readonly string[];
  /** the path of the request */
  readonly path?: string;
}

/** The resource that this deployment is. */
export class ProtectedResource {
  /** the public URL without a slash at its end; null: only API keys are accepted */
  readonly url: string | null;
  readonly #servers: readonly string[];

  /** @param servers issuers that the metadata name */
  constructor(url: string | null, servers: readonly string[] = []) {
    this.url = url;
    this.#servers = servers;
  }

  /**
   * The identifiers of the resource at a path, as a registration's `audience` names it: the audience, and within
   * `/mcp` also the audience of that resource alone.
   */
  audiencesOf(audience: string, path: string): readonly string[] {
    return isMcp(path) ? resourcesOf(audience) : [audience];
  }

  /** The metadata of the resource at a path: '' or `/mcp`. Null where tokens are not accepted. */
  metadata(path: string): ProtectedResourceMetadata | null {
    if (this.url === null) return null;
    return {
      resource: `${this.url}${path}`,
      ...(this.#servers.length === 0 ? {} : { authorization_servers: [...this.#servers] }),
      scopes_supported: LEAST_FIRST.map((role) => DEFAULT_SCOPES[role]),
      bearer_methods_supported: ['header'],
      resource_name: 'Writ',
    };
  }

  /** The value of `WWW-Authenticate` for a request that needs another token. */
  bearerChallenge({ error, scopes = [], path = '' }: Challenge = {}): string {
    if (this.url === null) return 'Bearer realm="writ"';
    const { origin, pathname } = new URL(this.url);
    const below = `${pathname === '/' ? '' : pathname}${isMcp(path) ? MCP_PATH : ''}`;
    return [
      'Bearer realm="writ"',
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
      `resource_metadata="${origin}${RESOURCE_METADATA_PATH}${below}"`,
    ].join(', ');
  }
}

const isMcp = (path: string): boolean =>
  path === MCP_PATH || path.startsWith(`${MCP_PATH}/`) || path.startsWith(`${MCP_PATH}?`);

/** The scope that a client without a token is asked for, where any of the roles will do. */
export function defaultScopeFor(roles: readonly string[]): string[] {
  const role = LEAST_FIRST.find((each) => roles.includes(each));
  return role === undefined ? [] : [DEFAULT_SCOPES[role]];
}
