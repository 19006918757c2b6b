// SPDX-License-Identifier: Apache-2.0
//
// What is kept sealed of a connection. INVARIANT (one person): it opens for the tenant, server, person and connection
// that it was sealed for, and for no other.
import { parseJson } from '@writ/digest';
import type { TenantCipher } from '../../evidence/payload/index.ts';

/** The parts that a consent and its tokens have at some time. */
export interface ConnectionContent {
  /** of PKCE, until the code was exchanged */
  readonly verifier?: string;
  readonly code?: string;
  readonly access_token?: string;
  readonly refresh_token?: string;
}

/** Which connection it is, and whose. */
export interface ConnectionOf {
  readonly resource_id: string;
  readonly connection_id: string;
  readonly subject_hash: Uint8Array;
}

const namesOf = ({ resource_id, subject_hash, connection_id }: ConnectionOf): readonly string[] => [
  resource_id,
  Buffer.from(subject_hash).toString('hex'),
  connection_id,
];

export const sealConnection = (
  cipher: TenantCipher,
  of: ConnectionOf,
  content: ConnectionContent,
): Uint8Array<ArrayBuffer> =>
  new Uint8Array(cipher.sealValue('mcp-connection', namesOf(of), Buffer.from(JSON.stringify(content))));

/** @throws Error for bytes that were sealed for another connection or person */
export const openConnection = (cipher: TenantCipher, of: ConnectionOf, sealed: Uint8Array): ConnectionContent =>
  parseJson(cipher.openValue('mcp-connection', namesOf(of), Buffer.from(sealed)).toString('utf8')) as ConnectionContent;
