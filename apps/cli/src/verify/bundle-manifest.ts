// SPDX-License-Identifier: Apache-2.0
import { BUNDLE_PAYLOAD_TYPE, BundleManifest, Fault, parseMessage } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import type { KeySet } from '@writ/receipt';
import { parseEnvelope, SignatureError, verifyEnvelope } from '@writ/signing';
import { broken } from './bundle-archive.ts';
import { faultOfKey } from '../standing-key.ts';

/** The envelope and the manifest: lists of objects of scalars. */
const DEPTH_MAX = 8;

/**
 * Opens the manifest of a bundle.
 *
 * @throws CliError `verify.bundle`
 */
export function openManifest(bytes: Uint8Array, recordKeys: KeySet['recordKeys']): BundleManifest {
  try {
    const envelope = parseEnvelope(parseIJson(bytes, { depthMax: DEPTH_MAX }));
    const payload = verifyEnvelope(envelope, new Map([...recordKeys].map(([keyid, { verifier }]) => [keyid, verifier])), BUNDLE_PAYLOAD_TYPE);
    const manifest = parseMessage(BundleManifest, parseIJson(payload, { depthMax: DEPTH_MAX }));
    const fault = faultOfKey('manifest', manifest, envelope.signatures[0]?.keyid, recordKeys);
    if (fault !== null) throw broken(fault);
    return manifest;
  } catch (error) {
    if (error instanceof SignatureError || error instanceof JsonError || error instanceof Fault) throw broken(`the manifest is not one that a trusted key signed (${error.message})`);
    throw error;
  }
}
