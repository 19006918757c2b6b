// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type SystemReport } from '@writ/contract';
import { ReportSystem } from './report-system.ts';

@Controller()
export class SystemController {
  readonly #report: ReportSystem;

  constructor(report: ReportSystem) {
    this.#report = report;
  }

  @MessagePattern('kernel.system.report')
  async report(@Payload() payload: unknown): Promise<SystemReport> {
    parseMessage(KERNEL_REQUESTS['system.report'], payload);
    return await this.#report.run();
  }
}
