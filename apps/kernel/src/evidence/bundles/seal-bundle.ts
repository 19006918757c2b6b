// SPDX-License-Identifier: Apache-2.0
import {
  BUNDLE_PAYLOAD_TYPE,
  logIdOf,
  type BundleManifest,
  type BundleSealed,
  type KernelRequest,
  type TenantId,
} from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { sealEnvelope, type Signer } from '@writ/signing';
import { requireRole } from '../../foundation/tenancy/index.ts';

/**
 * Signs the manifest of a bundle with the key of records, under a payload type for bundles: it can't be read as a
 * record or a permit. The kernel itself states whose bundle it is and when it was made. The API states the rest, and
 * verifiers check that against the records.
 */
export class SealBundle {
  readonly #signer: Signer;
  readonly #now: (tenantId: string) => Promise<number>;

  /** @param now the database's clock, in milliseconds */
  constructor(signer: Signer, now: (tenantId: string) => Promise<number>) {
    this.#signer = signer;
    this.#now = now;
  }

  /** @throws Fault `auth.role` */
  async run({ caller, content }: KernelRequest<'bundle.seal'>): Promise<BundleSealed> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const made_at = await this.#now(tenant_id);
    const manifest: BundleManifest = {
      v: 1,
      tenant_id,
      log_id: logIdOf(tenant_id as TenantId),
      kernel_key_id: this.#signer.keyid,
      made_at,
      ...content,
    };
    return { envelope: sealEnvelope(BUNDLE_PAYLOAD_TYPE, canonicalBytes(manifest), this.#signer) };
  }
}
