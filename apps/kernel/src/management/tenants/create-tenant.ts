// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantCreate } from '@writ/contract';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { masterKeyId } from '@writ/sealing';
import { newTenantKeys } from '../../evidence/payload/index.ts';

/** The actor of a tenant's creation: the platform key, which belongs to no tenant. */
const ACTOR = 'platform';

/** Creates tenants with their keys, and writes the first records of their log. */
export class CreateTenant {
  readonly #changes: Changes;
  readonly #masterKey: Buffer;

  constructor(changes: Changes, masterKey: Buffer) {
    this.#changes = changes;
    this.#masterKey = masterKey;
  }

  /**
   * The same tenant_id and name sent again is one tenant, with its first keys and records.
   * @throws Fault `conflict` for another name
   */
  async run({ tenant_id, name, admin_key_id }: TenantCreate): Promise<{ tenant_id: string }> {
    return await this.#changes.make(tenant_id, async (rows) => {
      const { data_key, finger_key } = newTenantKeys(this.#masterKey, tenant_id);
      const row = {
        tenant_id,
        name,
        data_key: new Uint8Array(data_key),
        finger_key: new Uint8Array(finger_key),
        master_key_id: masterKeyId(this.#masterKey),
      };
      const { count } = await rows.tenant.createMany({ data: [row], skipDuplicates: true });
      const value = { tenant_id };
      if (count === 0) {
        const existing = await rows.tenant.findUnique({ where: { tenant_id }, select: { name: true } });
        if (existing?.name !== name) throw new Fault('conflict', 'the tenant is there under another name');
        return { value, records: [] };
      }
      const by = { kind: 'change', actor: ACTOR } as const;
      return {
        value,
        records: [
          { ...by, change: { verb: 'tenant_created', subject: tenant_id, digest: contentDigest({ tenant_id, name }) } },
          { ...by, change: { verb: 'api_key_created', subject: admin_key_id, digest: null } },
        ],
      };
    });
  }
}
