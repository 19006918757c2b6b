// SPDX-License-Identifier: Apache-2.0
//
// An executor's report comes from a container that may lie. Everything here is attacker-controlled: malformed input
// ends the call as `effect.invalid`, and never this process.
import { Fault, LIMITS, type ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { sha256Hex } from '@writ/digest';
import { SEAL_BYTES } from '@writ/sealing';

/** Contents by the hex SHA-256 of their bytes. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** The contents that came with a report, under hashes computed here. @throws Fault `effect.invalid` */
export async function readContents({ contents }: ReportRequest): Promise<Contents> {
  const bytes = contents.map((text) => Buffer.from(text, 'base64'));
  const { contentsInlineBytes } = LIMITS;
  if (bytes.reduce((sum, { byteLength }) => sum + byteLength, 0) > contentsInlineBytes.max)
    throw new Fault(contentsInlineBytes.fault, 'contents this long are stored before they are reported');
  return new Map(bytes.map((content) => [sha256Hex(content), content]));
}

/**
 * Verifies that the contents of a full output are stored, with the length that they have when sealed. The kernel does
 * not open them: their text is the executor's statement, as a result's text is.
 * @throws Fault `effect.invalid`; others where our own store fails
 */
export async function verifyOutput(
  blobs: BlobStore,
  { tenant_id, output_refs }: Pick<ReportRequest, 'tenant_id' | 'output_refs'>,
): Promise<void> {
  if (output_refs === undefined) return;
  const { stdout, stderr } = output_refs;
  const sizes = await blobs.sizes(tenant_id, [...new Set([stdout.sha256, stderr.sha256])]);
  for (const { sha256, size } of [stdout, stderr]) {
    const stored = sizes.get(sha256);
    if (stored === undefined) throw new Fault('effect.invalid', 'the report names an output that was not stored');
    if (stored !== size + SEAL_BYTES)
      throw new Fault('effect.invalid', 'the report names an output of another size than it has');
  }
}
