// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import type { KeySet } from '@writ/receipt';
import { parseEnvelope, verifyEnvelope } from '@writ/signing';
import type { Static, TSchema } from 'typebox';
import type { CliError } from './cli-error.ts';

/** The fields by which a kernel identifies itself in each document that it signs. */
interface SignerFields {
  readonly kernel_key_id: string;
  /** milliseconds since the epoch */
  readonly made_at: number;
}

/** A kind of document, other than a record, that a kernel signs. */
export interface SignedKind<S extends TSchema> {
  /** its name, for messages */
  readonly what: string;
  readonly payloadType: string;
  readonly schema: S;
  readonly depthMax: number;
  /**
   * Whether a document of a revoked key is opened as well. That is safe only where something else proves its content.
   * Callers MUST report it.
   */
  readonly allowsRevoked?: boolean;
  /** makes the error for a key that is not valid */
  readonly refuse: (message: string) => CliError;
}

/**
 * Opens a document that a kernel signed, and checks the key that signed it.
 *
 * @throws SignatureError, JsonError, Fault where no trusted key signed it, or it is malformed; the error of `refuse`
 * where the key is not valid
 */
export function openSigned<S extends TSchema>(
  signed: unknown,
  recordKeys: KeySet['recordKeys'],
  { what, payloadType, schema, depthMax, refuse, allowsRevoked = false }: SignedKind<S>,
): Static<S> & SignerFields {
  const envelope = parseEnvelope(signed);
  const payload = verifyEnvelope(
    envelope,
    new Map([...recordKeys].map(([keyid, { verifier }]) => [keyid, verifier])),
    payloadType,
  );
  const opened = parseMessage(schema, parseIJson(payload, { depthMax })) as Static<S> & SignerFields;
  const fault = problemOfKey({ what, allowsRevoked }, opened, envelope.signatures[0]?.keyid, recordKeys);
  if (fault !== null) throw refuse(fault);
  return opened;
}

/**
 * The reason why the signing key is not valid; null where it is. A thief of a revoked key can name another key, and any
 * time, in a document. So the key that made the signature has to be valid. A revoked key signs nothing here, since no
 * checkpoint shows the document's age.
 */
function problemOfKey(
  { what, allowsRevoked }: { readonly what: string; readonly allowsRevoked: boolean },
  { kernel_key_id, made_at }: SignerFields,
  signedBy: string | undefined,
  recordKeys: KeySet['recordKeys'],
): string | null {
  if (kernel_key_id !== signedBy) return `the ${what} names another key than the one that signed it`;
  const key = recordKeys.get(kernel_key_id);
  if (key === undefined || (key.revokedAt !== null && !allowsRevoked))
    return `the key that signed the ${what} was revoked`;
  if (made_at < (key.notBefore ?? -Infinity) || made_at > (key.notAfter ?? Infinity))
    return `the key that signed the ${what} wasn't good when it was made`;
  return null;
}
