// SPDX-License-Identifier: Apache-2.0
import { LIMITS, SkillPutReply, SkillDetails } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { SkillList } from './views.ts';

const READER_ROLES = ['admin', 'operator', 'auditor'] as const;
const shared = { tag: 'skills', path: '/v1/skills' } as const;
const one = { tag: 'skills', path: '/v1/skills/{skill}', params: { skill: 'skill' } } as const;

/** Skills: folders of instructions that agents read with `skill.read`. */
export const SKILLS = {
  list: route({
    ...shared,
    id: 'listSkills',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the skills that agents read, by name',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of skills, each with its newest version', schema: SkillList } },
  }),
  put: route({
    ...shared,
    id: 'putSkill',
    tagged: 'reply',
    makes: true,
    method: 'POST',
    allowed: ['admin'],
    summary:
      'Uploads a folder with a `SKILL.md` as the newest version of its skill; identical contents keep the same version',
    bodyBytesMax: LIMITS.filesBodyBytes.max,
    body: Type.Object(
      {
        files: Type.Array(
          Type.Object(
            {
              path: Type.String({ minLength: 1, maxLength: 4_096, description: 'relative to the folder' }),
              content: Type.String(),
              encoding: Type.Optional(Type.Enum(['utf8', 'base64'], { description: 'of `content`; default: utf8' })),
            },
            closed,
          ),
          { minItems: 1, maxItems: LIMITS.skillFilesSent.max },
        ),
      },
      closed,
    ),
    answers: {
      200: {
        description:
          'The skill and what has changed; or, where `valid` is false, everything that is wrong with the folder, and nothing has changed',
        schema: SkillPutReply,
      },
    },
    faults: ['limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readSkill',
    method: 'GET',
    allowed: READER_ROLES,
    tagged: 'view',
    summary: 'Shows one skill, with the files of its newest version and its stored versions',
    answers: { 200: { description: 'The skill', schema: SkillDetails } },
  }),
  remove: route({
    ...one,
    id: 'removeSkill',
    tagged: 'view',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes a skill with all of its versions: no call reads it from then on',
    answers: {
      200: { description: 'The name of the removed skill', schema: Type.Object({ removed: Type.String() }, closed) },
    },
  }),
};
