// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import type { KeySet } from '@writ/receipt';
import { parseEnvelope, verifyEnvelope } from '@writ/signing';
import type { Static, TSchema } from 'typebox';
import type { CliError } from './cli-error.ts';

/** What a kernel says of itself in what it signs. */
interface Signing {
  readonly kernel_key_id: string;
  /** milliseconds since the epoch */
  readonly made_at: number;
}

/** What a kernel signed beside records. */
export interface SignedKind<S extends TSchema> {
  /** in words */
  readonly what: string;
  readonly payloadType: string;
  readonly schema: S;
  readonly depthMax: number;
  /**
   * What a revoked key signed is opened as well, where it says nothing that isn't proved in another way; callers MUST
   * tell of it.
   */
  readonly takesRevoked?: boolean;
  /** makes the error of a key that doesn't stand */
  readonly refuse: (message: string) => CliError;
}

/**
 * Opens what a kernel signed, and judges the key that signed it.
 *
 * @throws SignatureError, JsonError, Fault for what no trusted key signed, or what is none; what `refuse` makes for a
 * key that doesn't stand
 */
export function openSigned<S extends TSchema>(
  signed: unknown,
  recordKeys: KeySet['recordKeys'],
  { what, payloadType, schema, depthMax, refuse, takesRevoked = false }: SignedKind<S>,
): Static<S> & Signing {
  const envelope = parseEnvelope(signed);
  const payload = verifyEnvelope(
    envelope,
    new Map([...recordKeys].map(([keyid, { verifier }]) => [keyid, verifier])),
    payloadType,
  );
  const opened = parseMessage(schema, parseIJson(payload, { depthMax })) as Static<S> & Signing;
  const fault = faultOfKey({ what, takesRevoked }, opened, envelope.signatures[0]?.keyid, recordKeys);
  if (fault !== null) throw refuse(fault);
  return opened;
}

/**
 * What speaks against the key that signed, in words; null where it stands. Whoever stole a key that was revoked may
 * name another in what it signs, and any time: so the key that signed is the one that has to be good, and a revoked one
 * signs nothing here, where no checkpoint says how old a thing is.
 */
function faultOfKey(
  { what, takesRevoked }: { readonly what: string; readonly takesRevoked: boolean },
  { kernel_key_id, made_at }: Signing,
  signedBy: string | undefined,
  recordKeys: KeySet['recordKeys'],
): string | null {
  if (kernel_key_id !== signedBy) return `the ${what} names another key than the one that signed it`;
  const key = recordKeys.get(kernel_key_id);
  if (key === undefined || (key.revokedAt !== null && !takesRevoked))
    return `the key that signed the ${what} was revoked`;
  if (made_at < (key.notBefore ?? -Infinity) || made_at > (key.notAfter ?? Infinity))
    return `the key that signed the ${what} wasn't good when it was made`;
  return null;
}
