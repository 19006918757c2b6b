// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import type { PolicySets } from '../../judging/policies/policy-sets.ts';
import type { FactMemory } from './fact-memory.ts';

/** What an admission reads from. */
export interface Sources {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly policies: PolicySets;
  readonly memory: FactMemory;
  readonly args: ArgumentsReader;
}
