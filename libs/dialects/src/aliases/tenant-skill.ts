// SPDX-License-Identifier: Apache-2.0
import { SKILL_NAME, SKILL_PATH_CHARS_MAX, SKILL_READ } from '@writ/contract';
import { Type } from 'typebox';
import { resolve, type Alias, type Resolved } from './alias.ts';

/** The names that skills can have. */
const NAME = new RegExp(SKILL_NAME);

const READS: Omit<Alias, 'name' | 'shape'> = {
  tool_id: SKILL_READ.tool_id,
  summary: 'reads a skill of the tenant',
  parameters: Type.Object(
    { path: Type.Optional(Type.String({ minLength: 1, maxLength: SKILL_PATH_CHARS_MAX })) },
    { additionalProperties: false },
  ),
  renames: {},
};

/** Reads the skill of that name, or with `path` a file of it; null for a name that no skill can have. */
export function tenantSkill(name: string, args: unknown): Resolved | null {
  if (!NAME.test(name)) return null;
  return resolve(
    { ...READS, name, shape: { toCanonical: (given) => ({ skill: name, ...given }), fromCanonical: () => null } },
    args,
  );
}
