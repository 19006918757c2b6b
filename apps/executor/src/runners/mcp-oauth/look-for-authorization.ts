// SPDX-License-Identifier: Apache-2.0
import { oauthOf, type McpAuthorization, type McpProblem, type McpHttpSettings } from '@writ/contract';
import { findAuthorization } from './authorization-server.ts';
import { gateFetch, type FetchParts } from './gate-fetch.ts';
import { wordsOf } from './oauth-problem.ts';

const LOOK_MS = 15_000;
const MESSAGE_CHARS_MAX = 1_024;

/** Who lets persons use a server, or why that isn't known. */
export type FoundAuthorization = { readonly authorization: McpAuthorization } | { readonly problem: McpProblem };

/** Null for a server without rights of persons. @throws what is no failure of a server */
export async function lookForAuthorization(
  parts: FetchParts,
  settings: McpHttpSettings,
  stop: AbortSignal,
): Promise<FoundAuthorization | null> {
  const oauth = oauthOf(settings);
  if (oauth === null) return null;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(LOOK_MS)]);
  try {
    return { authorization: await findAuthorization(gateFetch(parts, signal), settings.url, oauth) };
  } catch (error) {
    if (stop.aborted) throw error;
    const words = signal.aborted ? 'the authorization server did not answer in time' : wordsOf(error);
    if (words === null) throw error;
    const message = words.slice(0, MESSAGE_CHARS_MAX).toWellFormed();
    return { problem: { code: 'mcp.authorization_unusable', message } };
  }
}
