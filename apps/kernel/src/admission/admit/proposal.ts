// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type AdmitRequest, type ProposedCall } from '@writ/contract';
import { ARGS_SALT_BYTES, canonicalBytes, JsonError, sha256Hex } from '@writ/digest';
import type { Arguments, ArgumentsReader, Refusal } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';

/** A call as it is sent, with what its long arguments are sealed under. */
export type SentCall = Omit<AdmitRequest, 'wait_ms'>;

/** A proposed call with what is made of it once, however often it is decided. */
export interface Proposal {
  readonly call: ProposedCall;
  readonly traceparent: string | null;
  readonly args: Arguments | Refusal;
  /** what arguments by reference are sealed under; undefined where there are none, and where they are as they are */
  readonly argsKey: Buffer | undefined;
  /**
   * hex SHA-256 of all that was proposed but for the deadline, which a caller who asks again may move, and for what
   * long arguments are stored as, which is another each time
   */
  readonly digest: string;
  /** of the arguments under the tenant's key; null for arguments that can't be read */
  readonly fingerprint: Buffer | null;
  readonly salt: Buffer;
  /** null for arguments that can't be read */
  readonly args_hash: string | null;
  /**
   * an approval for the session that stands for a person's yes to this call, and the token that the caller named:
   * `call` then names the approval's own
   */
  readonly session: { readonly approval_id: string; readonly own_token: string } | null;
}

/** Reads an attacker-controlled call. @throws Fault `request.malformed`, `not_found` for a tenant that isn't there. */
export async function readProposal(
  reader: ArgumentsReader,
  vault: TenantVault,
  { args_key, ...call }: SentCall,
  traceparent: string | null,
): Promise<Proposal> {
  const argsKey = args_key === undefined || call.args_ref === null ? undefined : Buffer.from(args_key, 'base64');
  const [args, box] = await Promise.all([reader.sent({ ...call, args_key: argsKey }), vault.of(call.tenant_id)]);
  const salt = randomBytes(ARGS_SALT_BYTES);
  const canonical = 'canonical' in args ? args.canonical : null;
  return {
    call,
    traceparent,
    args,
    argsKey,
    digest: proposalDigest(call, canonical),
    fingerprint: canonical === null ? null : box.fingerprint(canonical),
    salt,
    args_hash: canonical === null ? null : sha256Hex(salt, canonical),
    session: null,
  };
}

/** "Not yours" and "not the same" are one answer. */
export const anotherCall = (): Fault => new Fault('conflict', 'the operation id names another call');

function proposalDigest(call: ProposedCall, canonicalArgs: Uint8Array | null): string {
  try {
    const envelope = canonicalBytes({ ...call, args: null, args_ref: null, deadline: null });
    // Arguments without a canonical form still come as the same text when the same message is sent again.
    return sha256Hex(envelope, canonicalArgs ?? Buffer.from(JSON.stringify(call.args)));
  } catch (error) {
    if (error instanceof JsonError)
      throw new Fault('request.malformed', error.message, { cause: error, pointer: error.pointer });
    throw error;
  }
}
