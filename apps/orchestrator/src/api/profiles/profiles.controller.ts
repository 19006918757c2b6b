// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ProfilePutReply, ProfileView } from '@writ/contract';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { EXECUTION_PROFILES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class ProfilesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(EXECUTION_PROFILES.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof EXECUTION_PROFILES.list>,
  ): Promise<{ items: ProfileView[]; next_cursor: string | null }> {
    return this.kernel.ask('profile.list', caller, { page: pageOf(query) });
  }

  @Route(EXECUTION_PROFILES.create)
  create(
    @RequestInput() { caller, body: { name, ...sent } }: RequestInputOf<typeof EXECUTION_PROFILES.create>,
  ): Promise<ProfilePutReply> {
    return this.kernel.ask('profile.create', caller, {
      name,
      definition: { workspace_id: null, environment: {}, net: [], ...sent },
    });
  }

  @Route(EXECUTION_PROFILES.read)
  read(
    @RequestInput() { caller, params: { profile: name } }: RequestInputOf<typeof EXECUTION_PROFILES.read>,
  ): Promise<ProfileView> {
    return this.kernel.ask('profile.read', caller, { name });
  }

  @Route(EXECUTION_PROFILES.remove)
  remove(@RequestInput() request: RequestInputOf<typeof EXECUTION_PROFILES.remove>): Promise<{ removed: string }> {
    const { caller, params } = request;
    return this.kernel.ask('profile.remove', caller, { name: params.profile, ...conditionMembers(request) });
  }
}
