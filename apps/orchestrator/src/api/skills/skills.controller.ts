// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { SkillPutReply, SkillView, SkillDetails } from '@writ/contract';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
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
    @RequestInput() { caller, query }: RequestInputOf<typeof SKILLS.list>,
  ): Promise<{ items: SkillView[]; next_cursor: string | null }> {
    return this.kernel.ask('skill.list', caller, { page: pageOf(query) });
  }

  @Route(SKILLS.put)
  put(@RequestInput() request: RequestInputOf<typeof SKILLS.put>): Promise<SkillPutReply> {
    return this.putSkill.run(request.caller, request.body.files, conditionMembers(request));
  }

  @Route(SKILLS.read)
  read(@RequestInput() { caller, params: { skill: name } }: RequestInputOf<typeof SKILLS.read>): Promise<SkillDetails> {
    return this.kernel.ask('skill.read', caller, { name });
  }

  @Route(SKILLS.remove)
  remove(@RequestInput() request: RequestInputOf<typeof SKILLS.remove>): Promise<{ removed: string }> {
    const { caller, params } = request;
    return this.kernel.ask('skill.remove', caller, { name: params.skill, ...conditionMembers(request) });
  }
}
