// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { ValueStore, type NewSecret, type SealedSecret } from './value-store.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { mustDecideAgain } from '../../foundation/database/kernel-errors.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** How often a version is tried: each time another caller stored one of the same name. */
const PUTS_MAX = 5;

/** Secrets in Postgres, under the tenant's data key. */
export class PgValueStore extends ValueStore {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;

  constructor(tenants: TenantPool, vault: TenantVault) {
    super();
    this.#tenants = tenants;
    this.#vault = vault;
  }

  override async seal(tenantId: string, { name, value, note, created_by }: NewSecret): Promise<SealedSecret> {
    const cipher = await this.#vault.cipherFor(tenantId);
    const version = await kernelSql.nextSecretVersion(this.#tenants.pool, { tenant: tenantId, name });
    return {
      name,
      version,
      sealed: cipher.sealValue('secret', [name, String(version)], value).toString('base64'),
      key_id: cipher.keyId,
      note,
      created_by,
    };
  }

  /** @throws Fault `overloaded` */
  override async put(tenantId: string, secret: NewSecret): Promise<number> {
    for (let times = 0; times < PUTS_MAX; times++) {
      const sealed = await this.seal(tenantId, secret);
      try {
        await kernelSql.putSecret(this.#tenants.pool, { tenant: tenantId, p: sealed });
        return sealed.version;
      } catch (error) {
        if (!mustDecideAgain(error)) throw error;
      }
    }
    throw new Fault('overloaded', 'others kept storing the same secret');
  }
}
