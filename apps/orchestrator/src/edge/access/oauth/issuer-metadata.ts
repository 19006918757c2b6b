// SPDX-License-Identifier: Apache-2.0
// What an issuer says of itself. All of it is attacker-controlled, since a tenant chose the issuer.
import { parseIJson } from '@writ/digest';

const DOCUMENT = { depthMax: 8 };

/** Fetches a document, bounded in size and time. Rejects with any error where there is none. */
export type FetchDocument = (url: string) => Promise<string>;

/** The metadata of an issuer, of which only `issuer` was checked. */
export type IssuerDocument = Readonly<Record<string, unknown>> & { readonly issuer: string };

/** Where an issuer may publish its metadata: RFC 8414 §3, and OpenID Connect Discovery 1.0 §4. */
export function metadataUrlsOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const openId = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return [...new Set([`${origin}/.well-known/oauth-authorization-server${path}`, openId])];
}

/** The first of the issuer's metadata documents that is there. Rejects where none is. */
export async function fetchMetadata(fetchDocument: FetchDocument, issuer: string): Promise<IssuerDocument> {
  let failure: unknown;
  for (const url of metadataUrlsOf(issuer)) {
    try {
      return parseMetadata(await fetchDocument(url), issuer);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function parseMetadata(text: string, issuer: string): IssuerDocument {
  const metadata: unknown = parseIJson(text, DOCUMENT);
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) throw new Error('no JSON object');
  // RFC 8414 §3.3: exactly the issuer whose metadata was asked for, so that no issuer speaks for another.
  if ((metadata as Record<string, unknown>)['issuer'] !== issuer) throw new Error('the metadata are of another issuer');
  return { ...metadata, issuer };
}
