// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from './ids.ts';

const closed = { additionalProperties: false } as const;
/** More than a machine can keep warm. */
const WAITING_MAX = 1_000;

/**
 * A warm pool for calls of one size. A call's size is its `memory_bytes` and `pids`: the tool's own, unless its token
 * has lower limits.
 */
const SandboxPool = Type.Object(
  {
    memory_bytes: Type.Optional(Type.Integer({ minimum: 1 })),
    pids: Type.Optional(Type.Integer({ minimum: 1 })),
    count: Type.Integer({ minimum: 0, maximum: WAITING_MAX }),
  },
  closed,
);

const SandboxImageRow = Type.Object(
  {
    digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'the id of an image that executors have' }),
    tenants: Type.Optional(
      Type.Array(idSchema('tenant'), { minItems: 1, description: "whose calls run in it; absent: every tenant's" }),
    ),
    tools: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'the ids of tools that run in it; absent: every sandboxed tool',
      }),
    ),
    pools: Type.Optional(
      Type.Array(SandboxPool, {
        description: 'size of its warm pool on each executor; absent: none, and each call starts a new container',
      }),
    ),
  },
  closed,
);

/** The images for calls beside the deployment's own: one document, which kernel and executors read at their start. */
export const SandboxImages = Type.Object({ v: Type.Literal(1), images: Type.Array(SandboxImageRow) }, closed);
export type SandboxImages = Static<typeof SandboxImages>;

/**
 * The digest of the first row that matches tenant and tool; null if none does: then the deployment's own image is used.
 */
export function imageForCall(
  { images }: SandboxImages,
  { tenant_id, tool_id }: { readonly tenant_id: string; readonly tool_id: string },
): string | null {
  const fits = (row: Static<typeof SandboxImageRow>): boolean =>
    (row.tenants === undefined || row.tenants.includes(tenant_id)) &&
    (row.tools === undefined || row.tools.includes(tool_id));
  return images.find(fits)?.digest ?? null;
}
