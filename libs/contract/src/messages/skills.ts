// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { BlobRef } from '../delta.ts';
import { Sha256Hex } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { SkillDescription, SkillFile, SkillName } from '../tools/skills.ts';
import { conditional } from './if-match.ts';
import { Caller, Page } from './operations.ts';

const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
/** A name in a request: an invalid one is simply not found. */
const Named = Type.String({ minLength: 1, maxLength: 128 });
const Instant = Type.Integer({ minimum: 0 });
const Key = Type.String({ description: 'the API key' });

/** A skill in a list: its newest version, which agents read. */
export const SkillView = Type.Object(
  {
    name: SkillName,
    description: SkillDescription,
    digest: { ...Sha256Hex, description: 'of the version, over all of its files' },
    files: Type.Integer({ minimum: 1 }),
    bytes: Type.Integer({ minimum: 0, description: 'of all files of the version' }),
    updated_by: Key,
    updated_at: Instant,
  },
  closed,
);
export type SkillView = Static<typeof SkillView>;

/** A skill with the files of its newest version, and the stored versions, the newest first. */
export const SkillDetails = Type.Object(
  {
    ...SkillView.properties,
    files: Type.Array(SkillFile),
    versions: Type.Array(
      Type.Object(
        { digest: Sha256Hex, bytes: Type.Integer({ minimum: 0 }), created_by: Key, created_at: Instant },
        closed,
      ),
    ),
  },
  closed,
);
export type SkillDetails = Static<typeof SkillDetails>;

/** The result of sending a skill: it is stored, or all problems are reported and nothing has changed. */
export const SkillPutReply = Type.Object(
  {
    valid: Type.Boolean(),
    problems: Type.Array(
      Type.Object(
        { pointer: Type.String({ description: 'JSON pointer of the place in what was sent' }), message: Type.String() },
        closed,
      ),
    ),
    change: Type.Union([Type.Enum(['added', 'changed', 'unchanged']), Type.Null()]),
    skill: Type.Union([SkillView, Type.Null()]),
  },
  closed,
);
export type SkillPutReply = Static<typeof SkillPutReply>;

/** orchestrator → kernel, of a tenant's skills. */
export const SKILL_REQUESTS = {
  /**
   * → SkillPut: the contents are stored before; their names and sizes are checked here. The same contents again are the
   * same version
   */
  'skill.put': Type.Object(
    {
      ...asked,
      ...conditional,
      files: Type.Array(Type.Object({ path: Type.String({ maxLength: 4_096 }), ref: BlobRef }, closed), {
        maxItems: LIMITS.skillFilesSent.max,
      }),
    },
    closed,
  ),
  /** → {items: SkillView[], next_cursor}, by name; also for agents that may read them by calls */
  'skill.list': Type.Object({ ...asked, page: Page }, closed),
  /** → SkillWhole */
  'skill.read': Type.Object({ ...asked, name: Named }, closed),
  /** → {removed: name}: with all of its versions */
  'skill.remove': Type.Object({ ...asked, ...conditional, name: Named }, closed),
} as const;
