// SPDX-License-Identifier: Apache-2.0
//
// The tenant's image that a call is to run in. INVARIANT (read for each decision): the image at that moment is part of
// the action, by the digest that the engine starts it by. The call later runs in exactly that image or not at all.
// INVARIANT (no other instead): a call whose image isn't there or isn't ready is refused; it never runs in another one.
import { TOOLS } from '@writ/contract';
import { kernelSql, type ImageFor } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { CurrentProfile } from '../definitions/execution-profiles.ts';
import { refusal, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

/**
 * The image that the call's profile, its program or its tool names, read now; null where none does. Then the deployment
 * decides.
 */
export async function readNamedImage(
  tenants: TenantPool,
  { tenant_id, tool_id }: Pick<JudgedCall, 'tenant_id' | 'tool_id'>,
  profile: CurrentProfile | null,
): Promise<ImageFor | null> {
  // Other tools run in no container. No tool's name has a NUL, and the database refuses a parameter that has one.
  const own = TOOLS.get(tool_id);
  if ((own !== undefined && own.class !== 'sandboxed') || tool_id.includes('\0')) return null;
  const name = profile?.profile.image ?? null;
  return await kernelSql.imageFor(tenants.pool, { tenant: tenant_id, tool: tool_id, name });
}

/** Why the call can't run in the image that it is to run in; null where it can, or where it is to run in none. */
export function decideImage({ image = null }: Pick<CallFacts, 'image'>): Refusal | null {
  if (image === null) return null;
  const { name, state, image_digest } = image;
  if (state === null)
    return refusal(
      'image.unknown',
      `the call is to run in the image \`${name}\`, and the tenant has none of that name`,
      "an agent can't register one: tell the person whom you work for (`writ image create`)",
    );
  if (image_digest !== null) return null;
  return refusal(
    'image.not_ready',
    state === 'failed'
      ? `the image \`${name}\` could not be made ready`
      : `the image \`${name}\` is not ready yet: it is fetched or built now`,
    state === 'failed' ? '`writ image log` says why' : 'propose the call again in a minute',
  );
}
