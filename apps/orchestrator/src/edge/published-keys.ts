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

/** The keys that verify receipts: the kernel's as JWK (RFC 8037), the ledger's as C2SP verifier keys. */
export const PublishedKeyFile = Type.Object({
  record_keys: Type.Array(
    Type.Object({
      keyid: Type.String(),
      jwk: Type.Record(Type.String(), Type.Unknown()),
      not_before: at('when it was published; default: no lower bound'),
      not_after: at('the latest time of a record that it signed; default: no upper bound'),
      revoked_from: at('from when its signatures are not trusted; only for a revoked key'),
    }),
  ),
  log_keys: Type.Array(Type.String({ description: 'C2SP verifier key: `name+hash+base64`' })),
  revoked_log_keys: Type.Optional(
    Type.Array(
      Type.String({ description: 'a revoked verifier key: a checkpoint signed only by it proves nothing any more' }),
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

/** One published key file, which is read again when it changes. */
export interface PublishedPart<T> {
  readonly value: T;
  refresh(): Promise<boolean>;
}

/** The published keys, as an injectable provider. */
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

  /** The keys in the form of `/.well-known/writ-keys.json`. */
  get keys(): PublishedKeyFile {
    return { ...this.#records.value, ...this.#logs.value };
  }

  /** The key files to reload when they change. */
  get parts(): { readonly what: string; readonly keys: { refresh(): Promise<boolean> } }[] {
    return [
      { what: 'public record keys', keys: this.#records },
      { what: 'public checkpoint keys', keys: this.#logs },
    ];
  }
}
