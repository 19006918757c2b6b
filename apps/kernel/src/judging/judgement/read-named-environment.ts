// SPDX-License-Identifier: Apache-2.0
import type { TenantPool } from '../../foundation/database/pools.ts';
import { grantedDefinition } from '../definitions/granted-definitions.ts';
import type { Arguments, CallFacts, JudgedCall, Refusal } from './call.ts';
import { readNamedImage } from './decide-image.ts';
import { readNamedProfile } from './decide-profile.ts';
import { readNamedResources } from './decide-resources.ts';
import { readNamedSandbox } from './decide-sandbox.ts';

/**
 * Reads the sandbox, the execution profile, the image and the registered resources that decide where a call runs, most
 * of which its arguments name. They are read now and for this call alone.
 * @param tool the tenant's tool that the call names; null where that is one of Writ's own, or none
 */
export async function readNamedEnvironment(
  tenants: TenantPool,
  call: Pick<JudgedCall, 'tenant_id' | 'tool_id' | 'agent_id' | 'proposed_by'>,
  args: Arguments | Refusal,
  tool: CallFacts['tool'] = null,
): Promise<
  Required<
    Pick<CallFacts, 'sandbox' | 'profile' | 'definition' | 'resources' | 'missing_secrets' | 'consent' | 'image'>
  >
> {
  const definition = 'effect' in args ? null : await grantedDefinition(tenants, call, args.value);
  const profile = await readNamedProfile(tenants, call, args, definition);
  return {
    definition,
    sandbox: await readNamedSandbox(tenants, call, args, definition),
    profile,
    image: await readNamedImage(tenants, call, profile),
    ...(await readNamedResources(tenants, call, args, tool)),
  };
}
