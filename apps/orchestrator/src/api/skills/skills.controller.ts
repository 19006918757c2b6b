// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { SkillPut, SkillView, SkillWhole } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { SKILLS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { PutSkill } from './put-skill.ts';

@Controller()
export class SkillsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly putSkill: PutSkill,
  ) {}

  @Route(SKILLS.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof SKILLS.list>,
  ): Promise<{ items: SkillView[]; next_cursor: string | null }> {
    return this.kernel.ask('skill.list', caller, { page: pageOf(query) });
  }

  @Route(SKILLS.put)
  put(@Asked() { caller, body }: AskedOf<typeof SKILLS.put>): Promise<SkillPut> {
    return this.putSkill.run(caller, body.files);
  }

  @Route(SKILLS.read)
  read(@Asked() { caller, params: { skill: name } }: AskedOf<typeof SKILLS.read>): Promise<SkillWhole> {
    return this.kernel.ask('skill.read', caller, { name });
  }

  @Route(SKILLS.remove)
  remove(@Asked() { caller, params: { skill: name } }: AskedOf<typeof SKILLS.remove>): Promise<{ removed: string }> {
    return this.kernel.ask('skill.remove', caller, { name });
  }
}
