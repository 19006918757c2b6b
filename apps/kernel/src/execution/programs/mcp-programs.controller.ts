// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { McpProgramsRequest, parseMessage, type McpProgramsReply } from '@writ/contract';
import { McpPrograms } from './mcp-programs.ts';

@Controller()
export class McpProgramsController {
  readonly #programs: McpPrograms;

  constructor(programs: McpPrograms) {
    this.#programs = programs;
  }

  @MessagePattern('kernel.mcp.programs')
  async programs(@Payload() payload: unknown): Promise<McpProgramsReply> {
    return { v: 1, live: await this.#programs.live(parseMessage(McpProgramsRequest, payload)) };
  }
}
