// SPDX-License-Identifier: Apache-2.0
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Arguments, CallFacts, JudgedCall, Refusal } from './call.ts';
import { readProfileNamed } from './decide-profile.ts';
import { readSandboxNamed } from './decide-sandbox.ts';

/**
 * What a call's arguments name that decides where it runs, read now and for this call alone: its sandbox, or its
 * execution profile.
 */
export async function readNamed(
  tenants: TenantPool,
  call: Pick<JudgedCall, 'tenant_id' | 'tool_id'>,
  args: Arguments | Refusal,
): Promise<Required<Pick<CallFacts, 'sandbox' | 'profile'>>> {
  return { sandbox: await readSandboxNamed(tenants, call, args), profile: await readProfileNamed(tenants, call, args) };
}
