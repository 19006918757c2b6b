// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { ReportSystem } from './report-system.ts';
import { SYSTEM } from './routes.ts';
import type { SystemView } from './views.ts';

@Controller()
export class SystemReportController {
  constructor(private readonly reportSystem: ReportSystem) {}

  @Route(SYSTEM.report)
  report(@RequestInput() _input: RequestInputOf<typeof SYSTEM.report>): Promise<SystemView> {
    return this.reportSystem.run();
  }
}
