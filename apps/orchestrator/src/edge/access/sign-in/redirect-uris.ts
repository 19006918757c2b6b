// SPDX-License-Identifier: Apache-2.0
// Where other sides send people back to. INVARIANT (a redirect URI of its own): each registration of an identity
// provider and each MCP server has its own. So an answer that one of them had sent to another's URI is told from that
// one's (mix-up, RFC 9700 §4.4), and whoever registered another URI sends nobody to it.
import type { Id } from '@writ/contract';

/** The answers of identity providers, below the public URL; the id of the registration follows. */
export const SIGNED_IN_PATH = '/connect/signed-in';
/** The answers of identity providers that begin a session of the API; the id of the registration follows. */
export const SESSION_DONE_PATH = '/sign-in/done';
/** The answers of authorization servers of MCP servers; the id of the MCP server follows. */
export const CONSENT_DONE_PATH = '/connect/done';

/** The redirect URI of a registration's client for consents. @param url the public one, without a slash at its end */
export const signedInUri = (url: string, providerId: Id<'identityProvider'>): string =>
  `${url}${SIGNED_IN_PATH}/${providerId}`;

/** The redirect URI of a registration's client for sessions of the API. @param url without a slash at its end */
export const sessionDoneUri = (url: string, providerId: Id<'identityProvider'>): string =>
  `${url}${SESSION_DONE_PATH}/${providerId}`;

/** The redirect URI of the client at an MCP server. @param url the public one, without a slash at its end */
export const consentDoneUri = (url: string, resourceId: Id<'resource'>): string =>
  `${url}${CONSENT_DONE_PATH}/${resourceId}`;
