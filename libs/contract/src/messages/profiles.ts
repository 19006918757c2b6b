// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';
import { ImageName, SystemUser } from '../images/image-source.ts';
import { LIMITS } from '../limits.ts';
import { NetGrant } from '../token.ts';
import { SANDBOX_LIMITS } from '../tools/definition.ts';
import { ProfileName, RAW_SHELLS } from '../tools/shell-dangerous.ts';
import { conditional } from './if-match.ts';
import { Caller, Page } from './operations.ts';

const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
/** A name in a request: an invalid one is simply not found. */
const Named = Type.String({ minLength: 1, maxLength: 128 });
/** A container with less memory can't start its shell. */
const MEMORY_BYTES_MIN = 64 * 1024 * 1024;

/** The limits of raw commands: registered by an administrator, named by tokens, and part of each call's meaning. */
export const ExecutionProfile = Type.Object(
  {
    shells: Type.Array(Type.Enum([...RAW_SHELLS]), {
      minItems: 1,
      maxItems: RAW_SHELLS.length,
      uniqueItems: true,
      description: 'what may read a command',
    }),
    workspace_id: Type.Union([idSchema('workspace'), Type.Null()], {
      description: 'the only workspace that it is for; null: any',
    }),
    environment: Type.Record(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), Type.String({ maxLength: 4096 }), {
      maxProperties: 64,
      description: 'variables that commands find; no secrets',
    }),
    user: Type.Optional(SystemUser),
    image: Type.Optional(
      Type.Union([ImageName], { description: "the tenant's image that commands run in; that of the tool unless set" }),
    ),
    net: Type.Array(NetGrant, {
      maxItems: 64,
      description: 'hosts that a command may reach at most, where its token reaches them too',
    }),
    limits: Type.Object(
      {
        wall_ms: Type.Integer({
          minimum: 100,
          maximum: LIMITS.commandMs.max,
          description: 'the longest that a command may run',
        }),
        memory_bytes: Type.Integer({ minimum: MEMORY_BYTES_MIN, maximum: SANDBOX_LIMITS.memory_bytes }),
      },
      closed,
    ),
  },
  closed,
);
export type ExecutionProfile = Static<typeof ExecutionProfile>;

/** A registered profile. It never changes; its name is free again once it is removed. */
export const ProfileView = Type.Object(
  {
    name: ProfileName,
    definition: ExecutionProfile,
    digest: Sha256Hex,
    created_by: Type.String({ description: 'the API key' }),
    created_at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type ProfileView = Static<typeof ProfileView>;

/** The result of sending a profile: it is registered, or all problems are reported and nothing has changed. */
export const ProfilePutReply = Type.Object(
  {
    valid: Type.Boolean(),
    problems: Type.Array(
      Type.Object(
        { pointer: Type.String({ description: 'JSON pointer of the place in what was sent' }), message: Type.String() },
        closed,
      ),
    ),
    profile: Type.Union([ProfileView, Type.Null()]),
  },
  closed,
);
export type ProfilePutReply = Static<typeof ProfilePutReply>;

/** orchestrator → kernel, of a tenant's execution profiles. */
export const PROFILE_REQUESTS = {
  /**
   * → ProfilePut: for a definition of any shape. Creating the same one twice creates it once; another under a used name
   * is a `conflict`
   */
  'profile.create': Type.Object(
    { ...asked, name: ProfileName, definition: Type.Record(Type.String(), Type.Unknown()) },
    closed,
  ),
  /** → {items: ProfileView[], next_cursor}, by name */
  'profile.list': Type.Object({ ...asked, page: Page }, closed),
  /** → ProfileView */
  'profile.read': Type.Object({ ...asked, name: Named }, closed),
  /** → {removed: name}: no call runs under it from then on */
  'profile.remove': Type.Object({ ...asked, ...conditional, name: Named }, closed),
} as const;
