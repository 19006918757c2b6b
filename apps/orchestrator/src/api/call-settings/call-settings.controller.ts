// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { CallSettingsView } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { CALL_SETTINGS } from './routes.ts';

@Controller()
export class CallSettingsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(CALL_SETTINGS.read)
  read(@RequestInput() { caller }: RequestInputOf<typeof CALL_SETTINGS.read>): Promise<CallSettingsView> {
    return this.kernel.ask('call_settings.read', caller, {});
  }

  @Route(CALL_SETTINGS.set)
  set(@RequestInput() request: RequestInputOf<typeof CALL_SETTINGS.set>): Promise<CallSettingsView> {
    const { caller, body: change } = request;
    return this.kernel.ask('call_settings.set', caller, { change, ...conditionMembers(request) });
  }
}
