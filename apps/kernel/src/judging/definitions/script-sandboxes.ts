// SPDX-License-Identifier: Apache-2.0
//
// Sandboxes of mk8.shell. INVARIANT (verified each time): stored sandboxes are not trusted, and a verification is not
// cached: each script's sandbox is read and verified anew, when its call is decided and when it runs.
import { Fault } from '@writ/contract';
import { SANDBOX_PAYLOAD_TYPE, SignedSandboxError, verifySandbox, type SignedSandbox } from '@writ/mk8-shell';
import { parseVerifier, type PublicJwk } from '@writ/signing';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** A sandbox with its signature, and the key that it names; none of it is trusted. */
export interface UnverifiedSandbox {
  readonly tenantId: string;
  readonly name: string;
  readonly definition: Uint8Array;
  readonly signed: { readonly statement: Uint8Array; readonly keyid: string; readonly sig: Uint8Array } | null;
  /** 32 bytes; null where its tenant's registrars have no such key */
  readonly publicKey: Uint8Array | null;
  readonly isRevoked: boolean;
}

export const publicJwkFrom = (publicKey: Uint8Array): PublicJwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(publicKey).toString('base64url'),
});

/**
 * The verified sandbox of that name: a script is judged by it, at its admission and again where it runs. Its `digest`
 * changes whenever any part of it does: a caller that decided on one digest MUST run on no other. @throws Fault
 * `sandbox.unknown`, `sandbox.unverified`
 */
export async function sandboxFor(tenants: TenantPool, tenantId: string, name: string): Promise<SignedSandbox> {
  // No name has a NUL, and the database refuses a parameter that has one.
  const row = name.includes('\0') ? null : await kernelSql.sandboxFor(tenants.pool, { tenant: tenantId, name });
  if (row === null) throw sandboxUnknown(name);
  const bytes = (text: string | null): Uint8Array => Buffer.from(text ?? '', 'base64');
  const signed =
    row.statement === null ? null : { statement: bytes(row.statement), keyid: row.keyid ?? '', sig: bytes(row.sig) };
  return verifiedSandbox({
    tenantId,
    name,
    definition: bytes(row.definition),
    signed,
    publicKey: row.public_key === null ? null : bytes(row.public_key),
    isRevoked: row.revoked,
  });
}

/** The fault of a sandbox that doesn't exist, or that the agent isn't granted. */
export const sandboxUnknown = (name: string): Fault =>
  new Fault(
    'sandbox.unknown',
    `there is no sandbox \`${name.slice(0, 64)}\`: an administrator registers it with \`writ sandbox register ${name.slice(0, 64)} --workspace WORKSPACE\``,
  );

/** Verifies a stored sandbox. @throws Fault `sandbox.unverified`, with the reason */
export function verifiedSandbox({
  tenantId,
  name,
  definition,
  signed,
  publicKey,
  isRevoked,
}: UnverifiedSandbox): SignedSandbox {
  if (signed === null) throw unverified(name, 'nobody has signed it as it is now');
  if (isRevoked) throw unverified(name, 'the key that signed it was revoked');
  const verifier = publicKey === null ? null : parseVerifier(publicJwkFrom(publicKey));
  const envelope = {
    payloadType: SANDBOX_PAYLOAD_TYPE,
    payload: Buffer.from(signed.statement).toString('base64'),
    signatures: [{ keyid: signed.keyid, sig: Buffer.from(signed.sig).toString('base64') }],
  };
  try {
    return verifySandbox(
      { tenantId, name, definition, envelope },
      new Map(verifier === null ? [] : [[verifier.keyid, verifier]]),
    );
  } catch (error) {
    if (!(error instanceof SignedSandboxError)) throw error;
    throw unverified(name, error.message, error);
  }
}

const unverified = (name: string, why: string, cause?: unknown): Fault =>
  new Fault(
    'sandbox.unverified',
    `nothing runs in the sandbox \`${name}\`: ${why}; a registrar signs it with \`writ sandbox sign ${name} --env FILE --key FILE\``,
    { cause },
  );
