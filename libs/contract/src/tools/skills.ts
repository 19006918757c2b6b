// SPDX-License-Identifier: Apache-2.0
//
// Skills: folders of guidance that a tenant's administrators uploaded, and the tool that reads them.
import { Type, type Static } from 'typebox';
import { Sha256Hex } from '../ids.ts';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';
import { UNTRUSTED_CONTENT_LABELS } from './egress.ts';

const closed = { additionalProperties: false } as const;

/** The name of a skill: part of URLs, prompts and records. */
export const SKILL_NAME = '^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$';
export const SkillName = Type.String({
  pattern: SKILL_NAME,
  description: 'one to 64 small letters and digits, with single `-` between them',
});
/** The file that every skill has, with its name, its purpose and its text. */
export const SKILL_FILE = 'SKILL.md';
/** Longest path of a file in a skill; each character of it is ASCII. */
export const SKILL_PATH_CHARS_MAX = 256;
/** In a prompt each skill is one line. */
export const SKILL_DESCRIPTION_CHARS_MAX = 1_024;

export const SkillDescription = Type.String({
  minLength: 1,
  maxLength: SKILL_DESCRIPTION_CHARS_MAX,
  description: 'what it is for, in a line',
});
export const SkillFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: SKILL_PATH_CHARS_MAX }),
    sha256: Sha256Hex,
    size: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type SkillFile = Static<typeof SkillFile>;

/** One version of a skill; its digest is over the RFC 8785 bytes of this. */
export const SkillManifest = Type.Object(
  {
    v: Type.Literal(1),
    name: SkillName,
    description: SkillDescription,
    files: Type.Array(SkillFile, { minItems: 1, description: 'by path' }),
  },
  closed,
);
export type SkillManifest = Static<typeof SkillManifest>;

/** The data for a call of `skill.read`: the newest version of the named skill, or null, and the names of all skills. */
export const SkillForCall = Type.Object(
  {
    found: Type.Union([Type.Object({ digest: Sha256Hex, manifest: SkillManifest }, closed), Type.Null()]),
    names: Type.Array(SkillName),
  },
  closed,
);
export type SkillForCall = Static<typeof SkillForCall>;

/** A skill as a line of a list. */
export const SkillLine = Type.Object({ name: SkillName, description: SkillDescription }, closed);
export type SkillLine = Static<typeof SkillLine>;

/**
 * Attacker-controlled: an administrator uploaded it, but usually wrote none of it. So it has the label of untrusted
 * content.
 */
export const SKILL_READ: ToolDefinition = {
  tool_id: 'skill.read',
  version: 1,
  description: `Reads a skill, which is guidance that the tenant's administrators uploaded: its ${SKILL_FILE}, or another file of it. Answers with the digest of the skill and the list of its files.`,
  category: 'read',
  class: 'inline',
  mutating: false,
  accepts_secrets: [],
  labels: UNTRUSTED_CONTENT_LABELS,
  limits: INLINE_LIMITS,
  parameters: Type.Object(
    {
      skill: Type.String({ minLength: 1, maxLength: 64, description: 'the name of the skill' }),
      path: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: SKILL_PATH_CHARS_MAX,
          description: `a file of the skill, as its list of files names it; ${SKILL_FILE} by default`,
        }),
      ),
    },
    closed,
  ),
  result: Type.Object(
    {
      skill: Type.String(),
      digest: Type.String({ description: 'of this version, over all of its files' }),
      path: Type.String(),
      content: Type.String(),
      encoding: Type.Union([Type.Literal('utf8'), Type.Literal('base64')]),
      size: Type.Integer({ description: 'bytes of the file' }),
      sha256: Type.String(),
      files: Type.Array(Type.Object({ path: Type.String(), size: Type.Integer() }, closed)),
    },
    closed,
  ),
  // A skill is no part of the workspace.
  resources: () => [],
};
