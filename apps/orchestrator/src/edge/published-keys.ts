// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { PublicKeyEntry } from '@writ/signing';

const NoteKey = Type.String({ pattern: '^[^\\s+]+\\+[0-9a-f]{8}\\+[A-Za-z0-9+/=]+$' });
const RecordKeys = Type.Object({ keys: Type.Array(PublicKeyEntry, { minItems: 1 }) });
const LogKeys = Type.Object({
  keys: Type.Array(NoteKey, { minItems: 1 }),
  revoked: Type.Optional(Type.Array(NoteKey)),
});

const at = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description}, in milliseconds since the epoch` }));

/** What verifies receipts: the kernel's keys as JWK (RFC 8037), the ledger's as C2SP verifier keys. */
export const PublishedKeyFile = Type.Object({
  record_keys: Type.Array(
    Type.Object({
      keyid: Type.String(),
      jwk: Type.Record(Type.String(), Type.Unknown()),
      not_before: at('when it was made known; since ever unless said'),
      not_after: at('the last moment that a record by it is dated; there is none unless said'),
      revoked_from: at('from when on nobody answers for what it signed; left out unless it was revoked'),
    }),
  ),
  log_keys: Type.Array(Type.String({ description: 'C2SP verifier key: `name+hash+base64`' })),
  revoked_log_keys: Type.Optional(
    Type.Array(
      Type.String({ description: 'a verifier key that was revoked: a checkpoint by it alone proves nothing any more' }),
    ),
  ),
});
export type PublishedKeyFile = Static<typeof PublishedKeyFile>;

const LIMITS = { depthMax: 8 };

/** Reads the file of record keys. Throws on one of another shape. */
export function parseRecordKeys(text: string): Pick<PublishedKeyFile, 'record_keys'> {
  const { keys } = parseMessage(RecordKeys, parseIJson(text, LIMITS));
  return {
    record_keys: keys.map(({ keyid, jwk, not_before, not_after, revoked_from }) => ({
      keyid,
      jwk,
      ...(typeof not_before === 'number' ? { not_before } : {}),
      ...(typeof not_after === 'number' ? { not_after } : {}),
      ...(revoked_from === undefined ? {} : { revoked_from }),
    })),
  };
}

/** Reads the file of checkpoint keys. Throws on one of another shape. */
export function parseLogKeys(text: string): Omit<PublishedKeyFile, 'record_keys'> {
  const { keys, revoked } = parseMessage(LogKeys, parseIJson(text, LIMITS));
  return { log_keys: keys, ...(revoked === undefined ? {} : { revoked_log_keys: revoked }) };
}

/** A part of what is published, read again where it changes. */
export interface PublishedPart<T> {
  readonly value: T;
  refresh(): Promise<boolean>;
}

/** What is published, for whoever injects it. */
export class Published {
  readonly #records: PublishedPart<Pick<PublishedKeyFile, 'record_keys'>>;
  readonly #logs: PublishedPart<Omit<PublishedKeyFile, 'record_keys'>>;

  constructor(
    records: PublishedPart<Pick<PublishedKeyFile, 'record_keys'>>,
    logs: PublishedPart<Omit<PublishedKeyFile, 'record_keys'>>,
  ) {
    this.#records = records;
    this.#logs = logs;
  }

  /** As `/.well-known/writ-keys.json` has them. */
  get keys(): PublishedKeyFile {
    return { ...this.#records.value, ...this.#logs.value };
  }

  /** What is to be followed. */
  get parts(): { readonly what: string; readonly keys: { refresh(): Promise<boolean> } }[] {
    return [
      { what: 'public record keys', keys: this.#records },
      { what: 'public checkpoint keys', keys: this.#logs },
    ];
  }
}
