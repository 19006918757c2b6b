// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type SkillPutReply, type SkillView, type SkillDetails } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { Skills } from './skills.ts';

@Controller()
export class SkillsController {
  readonly #skills: Skills;

  constructor(skills: Skills) {
    this.#skills = skills;
  }

  @MessagePattern('kernel.skill.put')
  async put(@Payload() payload: unknown): Promise<SkillPutReply> {
    return await this.#skills.put(parseMessage(KERNEL_REQUESTS['skill.put'], payload));
  }

  @MessagePattern('kernel.skill.list')
  async list(@Payload() payload: unknown): Promise<ListPage<SkillView>> {
    return await this.#skills.list(parseMessage(KERNEL_REQUESTS['skill.list'], payload));
  }

  @MessagePattern('kernel.skill.read')
  async read(@Payload() payload: unknown): Promise<SkillDetails> {
    return await this.#skills.read(parseMessage(KERNEL_REQUESTS['skill.read'], payload));
  }

  @MessagePattern('kernel.skill.remove')
  async remove(@Payload() payload: unknown): Promise<{ removed: string }> {
    return await this.#skills.remove(parseMessage(KERNEL_REQUESTS['skill.remove'], payload));
  }
}
