// SPDX-License-Identifier: Apache-2.0
import { LIMITS, SkillPut, SkillWhole } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { SkillList } from './views.ts';

const EYES = ['admin', 'operator', 'auditor'] as const;
const shared = { tag: 'skills', path: '/v1/skills' } as const;
const one = { tag: 'skills', path: '/v1/skills/{skill}', params: { skill: 'skill' } } as const;

/** Skills: folders of guidance that agents read by `skill.read`. */
export const SKILLS = {
  list: route({
    ...shared,
    id: 'listSkills',
    method: 'GET',
    allowed: EYES,
    summary: 'Lists the skills that agents read, by name',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of skills, each with its newest version', schema: SkillList } },
  }),
  put: route({
    ...shared,
    id: 'putSkill',
    method: 'POST',
    allowed: ['admin'],
    summary:
      'Uploads a folder with a `SKILL.md` as the newest version of its skill; the same contents again are the same version',
    bodyBytesMax: LIMITS.filesBodyBytes.max,
    body: Type.Object(
      {
        files: Type.Array(
          Type.Object(
            {
              path: Type.String({ minLength: 1, maxLength: 4_096, description: 'in the folder' }),
              content: Type.String(),
              encoding: Type.Optional(Type.Enum(['utf8', 'base64'], { description: 'of `content`; utf8 unless said' })),
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
        says: 'The skill and what has changed; or, where `valid` is false, everything that is wrong with the folder, and nothing has changed',
        schema: SkillPut,
      },
    },
    faults: ['limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readSkill',
    method: 'GET',
    allowed: EYES,
    summary: 'Shows one skill, with the files of its newest version and the versions that are kept',
    answers: { 200: { says: 'The skill', schema: SkillWhole } },
  }),
  remove: route({
    ...one,
    id: 'removeSkill',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes a skill with all of its versions: no call reads it from then on',
    answers: { 200: { says: 'It is gone', schema: Type.Object({ removed: Type.String() }, closed) } },
  }),
};
