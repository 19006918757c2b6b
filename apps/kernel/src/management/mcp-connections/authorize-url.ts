// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { ConnectionClient } from './connection-row.ts';

/** What one authorization request adds to what the client is. */
export interface AuthorizationRequest {
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  /** of PKCE (RFC 7636); it stays here, and only its hash leaves */
  readonly verifier: string;
}

/**
 * Where a person's browser asks for consent: OAuth 2.1 with PKCE by S256, for one resource (RFC 8707). Parameters that
 * the authorization server has in its endpoint stay, except those that are set here. Pure.
 */
export function authorizeUrl(
  { authorization_endpoint, client_id, resource }: ConnectionClient,
  { redirect_uri, scopes, state, verifier }: AuthorizationRequest,
): string {
  const url = new URL(authorization_endpoint);
  const parameters: Readonly<Record<string, string>> = {
    response_type: 'code',
    client_id,
    redirect_uri,
    state,
    code_challenge: createHash('sha256').update(verifier, 'ascii').digest('base64url'),
    code_challenge_method: 'S256',
    resource,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '));
  // OpenID Connect: without it, an authorization server gives no refresh token for this scope.
  if (scopes.includes('offline_access')) url.searchParams.set('prompt', 'consent');
  return url.href;
}
