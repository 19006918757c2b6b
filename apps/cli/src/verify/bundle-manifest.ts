// SPDX-License-Identifier: Apache-2.0
import { BUNDLE_PAYLOAD_TYPE, BundleManifest, Fault, parseMessage } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import type { KeySet } from '@writ/receipt';
import { parseEnvelope, SignatureError, verifyEnvelope } from '@writ/signing';
import { broken } from './bundle-archive.ts';

/** The envelope and the manifest: lists of objects of scalars. */
const DEPTH_MAX = 8;

/**
 * Opens the manifest of a bundle. Whoever stole a key that was revoked may name another in what it signs, so the key that signed is the one that has to be good.
 *
 * @throws CliError `verify.bundle`
 */
export function openManifest(bytes: Uint8Array, recordKeys: KeySet['recordKeys']): BundleManifest {
  try {
    const envelope = parseEnvelope(parseIJson(bytes, { depthMax: DEPTH_MAX }));
    const payload = verifyEnvelope(envelope, new Map([...recordKeys].map(([keyid, { verifier }]) => [keyid, verifier])), BUNDLE_PAYLOAD_TYPE);
    const manifest = parseMessage(BundleManifest, parseIJson(payload, { depthMax: DEPTH_MAX }));
    const key = recordKeys.get(manifest.kernel_key_id);
    if (manifest.kernel_key_id !== envelope.signatures[0]?.keyid) throw broken('the manifest names another key than the one that signed it');
    if (key === undefined || key.revokedAt !== null) throw broken('the key that signed the manifest was revoked');
    if (manifest.made_at < (key.notBefore ?? -Infinity) || manifest.made_at > (key.notAfter ?? Infinity)) throw broken('the key that signed the manifest wasn\'t good when it was made');
    return manifest;
  } catch (error) {
    if (error instanceof SignatureError || error instanceof JsonError || error instanceof Fault) throw broken(`the manifest is not one that a trusted key signed (${error.message})`);
    throw error;
  }
}
