// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';

const RecordKeys = Type.Object({ keys: Type.Array(Type.Object({ keyid: Type.String({ minLength: 1 }), jwk: Type.Record(Type.String(), Type.Unknown()) }), { minItems: 1 }) });
const LogKeys = Type.Object({ keys: Type.Array(Type.String({ pattern: '^[^\\s+]+\\+[0-9a-f]{8}\\+[A-Za-z0-9+/=]+$' }), { minItems: 1 }) });

/** What verifies receipts: the kernel's keys as JWK (RFC 8037), the ledger's as C2SP verifier keys. */
export const PublishedKeyFile = Type.Object({
  record_keys: Type.Array(Type.Object({ keyid: Type.String(), jwk: Type.Record(Type.String(), Type.Unknown()) })),
  log_keys: Type.Array(Type.String({ description: 'C2SP verifier key: `name+hash+base64`' })),
});
export type PublishedKeyFile = Static<typeof PublishedKeyFile>;

/** Puts the two files together as `/.well-known/writ-keys.json` has them. Throws on a file of another shape. */
export function parsePublishedKeys(recordKeys: string, logKeys: string): PublishedKeyFile {
  const limits = { depthMax: 8 };
  const { keys: record_keys } = parseMessage(RecordKeys, parseIJson(recordKeys, limits));
  const { keys: log_keys } = parseMessage(LogKeys, parseIJson(logKeys, limits));
  return { record_keys: record_keys.map(({ keyid, jwk }) => ({ keyid, jwk })), log_keys };
}

/** What is published, for whoever injects it. */
export class Published {
  readonly keys: PublishedKeyFile;

  constructor(keys: PublishedKeyFile) {
    this.keys = keys;
  }
}
