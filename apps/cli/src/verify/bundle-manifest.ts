// SPDX-License-Identifier: Apache-2.0
import { BUNDLE_PAYLOAD_TYPE, BundleManifest, Fault } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import type { KeySet } from '@writ/receipt';
import { SignatureError } from '@writ/signing';
import { openSigned } from '../open-signed.ts';
import { invalidBundle } from './bundle-archive.ts';

/** The envelope and the manifest: lists of objects of scalars. */
const DEPTH_MAX = 8;

export interface OpenedManifest {
  readonly manifest: BundleManifest;
  /** The key that signed it was revoked later: anybody who has that key could have made the manifest. */
  readonly byRevoked: boolean;
}

/**
 * Opens the manifest of a bundle. A manifest that a revoked key signed is opened too, and marked. Everything in it is
 * checked against the receipts, except its author and its time.
 *
 * @throws CliError `verify.bundle`
 */
export function openManifest(bytes: Uint8Array, recordKeys: KeySet['recordKeys']): OpenedManifest {
  try {
    const manifest = openSigned(parseIJson(bytes, { depthMax: DEPTH_MAX }), recordKeys, {
      what: 'manifest',
      payloadType: BUNDLE_PAYLOAD_TYPE,
      schema: BundleManifest,
      depthMax: DEPTH_MAX,
      refuse: invalidBundle,
      allowsRevoked: true,
    });
    return { manifest, byRevoked: (recordKeys.get(manifest.kernel_key_id)?.revokedAt ?? null) !== null };
  } catch (error) {
    if (error instanceof SignatureError || error instanceof JsonError || error instanceof Fault)
      throw invalidBundle(`the manifest is not one that a trusted key signed (${error.message})`);
    throw error;
  }
}
