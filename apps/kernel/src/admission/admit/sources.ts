// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import type { PolicySets } from '../../judging/policies/policy-sets.ts';
import type { FactCache } from './fact-cache.ts';

/** The sources that an admission reads. */
export interface Sources {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly policies: PolicySets;
  readonly memory: FactCache;
  readonly args: ArgumentsReader;
}
