// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type AdmitRequest, type ProposedCall } from '@writ/contract';
import { ARGS_SALT_BYTES, canonicalBytes, JsonError, sha256Hex } from '@writ/digest';
import type { Arguments, ArgumentsReader, Refusal } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';

/** A call as the client sends it, with the key that seals its long arguments. */
export type SentCall = Omit<AdmitRequest, 'wait_ms'>;

/** A proposed call, with everything that is derived from it once, however often it is decided. */
export interface Proposal {
  readonly call: ProposedCall;
  readonly traceparent: string | null;
  readonly args: Arguments | Refusal;
  /** the key that seals arguments by reference; undefined for arguments that are inline or not sealed */
  readonly argsKey: Buffer | undefined;
  /**
   * hex SHA-256 of the proposal without two parts that may change in a retry: the deadline, and the reference of long
   * arguments
   */
  readonly digest: string;
  /** HMAC of the arguments under the tenant's key; null for arguments that can't be read */
  readonly fingerprint: Buffer | null;
  readonly salt: Buffer;
  /** null for arguments that can't be read */
  readonly args_hash: string | null;
  /**
   * the session grant under which the call runs, and the token that the caller named; the token of `call` is then the
   * grant's
   */
  readonly sessionGrant: { readonly approval_id: string; readonly own_token: string } | null;
}

/**
 * Reads an attacker-controlled call. @throws Fault `request.malformed`, `not_found` for a tenant that does not exist.
 */
export async function readProposal(
  reader: ArgumentsReader,
  vault: TenantVault,
  { args_key, ...call }: SentCall,
  traceparent: string | null,
): Promise<Proposal> {
  const argsKey = args_key === undefined || call.args_ref === null ? undefined : Buffer.from(args_key, 'base64');
  const [args, cipher] = await Promise.all([
    reader.readProposed({ ...call, args_key: argsKey }),
    vault.cipherFor(call.tenant_id),
  ]);
  const salt = randomBytes(ARGS_SALT_BYTES);
  const canonical = 'canonical' in args ? args.canonical : null;
  return {
    call,
    traceparent,
    args,
    argsKey,
    digest: proposalDigest(call, canonical),
    fingerprint: canonical === null ? null : cipher.fingerprint(canonical),
    salt,
    args_hash: canonical === null ? null : sha256Hex(salt, canonical),
    sessionGrant: null,
  };
}

/** "Not yours" and "not the same" get the same answer. */
export const conflictFault = (): Fault => new Fault('conflict', 'the operation id names another call');

function proposalDigest(call: ProposedCall, canonicalArgs: Uint8Array | null): string {
  try {
    // The pseudonym of the proposer's person may be forgotten and made anew before the message is sent again.
    const { person: _pseudonym, ...content } = call;
    const envelope = canonicalBytes({ ...content, args: null, args_ref: null, deadline: null });
    // Arguments without a canonical form still have the same text when the same message is sent again.
    return sha256Hex(envelope, canonicalArgs ?? Buffer.from(JSON.stringify(call.args)));
  } catch (error) {
    if (error instanceof JsonError)
      throw new Fault('request.malformed', error.message, { cause: error, pointer: error.pointer });
    throw error;
  }
}
