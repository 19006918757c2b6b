// SPDX-License-Identifier: Apache-2.0
import { Type, type TProperties, type TSchema } from 'typebox';
import type { Alias } from './alias.ts';

export const closed = { additionalProperties: false } as const;
export const Id = Type.String({ minLength: 1, maxLength: 256 });
/** An optional member. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** The action's own members of a payload. */
export const payload = (members: TProperties) => Type.Object({ action: optional(Type.String()), ...members }, closed);

/** An action by its name, with the names that its members have in the canonical arguments. */
export const row = (
  name: string,
  tool_id: string,
  summary: string,
  members: TProperties,
  renames: Alias['renames'],
): Alias => ({ name, tool_id, summary, parameters: payload(members), renames });
