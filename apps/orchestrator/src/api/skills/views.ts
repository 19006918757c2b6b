// SPDX-License-Identifier: Apache-2.0
import { SkillView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const SkillList = listOf(SkillView);
