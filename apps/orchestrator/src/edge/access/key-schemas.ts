// SPDX-License-Identifier: Apache-2.0
// What limits a key beside its role, as requests and answers have it.
import { Type } from 'typebox';

/** Tools by name, `family.*` or `*`. */
export const WorkerTools = Type.Array(
  Type.String({ pattern: '^(\\*|[a-z][a-z0-9_]*(\\.[A-Za-z0-9_-]+)*(\\.\\*)?)$', maxLength: 128 }),
  { minItems: 1, maxItems: 64, description: 'for a key of the role `worker`: the tools whose calls it may take' },
);

/** Groups of routes, each `<tag>:read` for GET or `<tag>:write` for everything else. */
export const KeyScopes = Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]*:(read|write)$', maxLength: 64 }), {
  minItems: 1,
  maxItems: 100,
  description: 'the only groups of routes that the key may use, such as `operations:read`',
});
