// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { ValueName } from '../tools/values.ts';
import { conditional } from './if-match.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;

/** Limit on a tenant's secrets: a person can still read a list of them. */
export const SECRETS_MAX = 500;

/** A secret without its value, which is never returned. */
export const SecretView = Type.Object(
  {
    name: ValueName,
    version: Type.Integer({ description: 'one more each time that a value is set' }),
    note: orNull(Type.String()),
    created_by: Type.String({ description: 'the API key that set the value' }),
    created_at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type SecretView = Static<typeof SecretView>;

/** orchestrator → kernel, on the tenant's secrets. */
export const SECRET_REQUESTS = {
  /**
   * → SecretView. `value` is sealed to the key of `value.key` for this name alone, base64: it is not in clear anywhere
   * between the API and the kernel.
   */
  'secret.set': Type.Object(
    {
      ...asked,
      ...conditional,
      name: ValueName,
      value: Type.String({ minLength: 1, maxLength: 32_768 }),
      note: orNull(Type.String({ maxLength: 1000 })),
    },
    closed,
  ),
  /** → {items: SecretView[], next_cursor}; newest first */
  'secret.list': Type.Object({ ...asked, page: Page }, closed),
  /** → SecretView */
  'secret.read': Type.Object({ ...asked, name: Type.String({ minLength: 1, maxLength: 64 }) }, closed),
  /** → SecretView of the removed secret */
  'secret.remove': Type.Object(
    { ...asked, ...conditional, name: Type.String({ minLength: 1, maxLength: 64 }) },
    closed,
  ),
} as const;
