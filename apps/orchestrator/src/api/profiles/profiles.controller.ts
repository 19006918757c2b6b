// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ProfilePut, ProfileView } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { EXECUTION_PROFILES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class ProfilesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(EXECUTION_PROFILES.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof EXECUTION_PROFILES.list>,
  ): Promise<{ items: ProfileView[]; next_cursor: string | null }> {
    return this.kernel.ask('profile.list', caller, { page: pageOf(query) });
  }

  @Route(EXECUTION_PROFILES.create)
  create(@Asked() { caller, body: { name, ...sent } }: AskedOf<typeof EXECUTION_PROFILES.create>): Promise<ProfilePut> {
    return this.kernel.ask('profile.create', caller, {
      name,
      definition: { workspace_id: null, environment: {}, net: [], ...sent },
    });
  }

  @Route(EXECUTION_PROFILES.read)
  read(@Asked() { caller, params: { profile: name } }: AskedOf<typeof EXECUTION_PROFILES.read>): Promise<ProfileView> {
    return this.kernel.ask('profile.read', caller, { name });
  }

  @Route(EXECUTION_PROFILES.remove)
  remove(
    @Asked() { caller, params: { profile: name } }: AskedOf<typeof EXECUTION_PROFILES.remove>,
  ): Promise<{ removed: string }> {
    return this.kernel.ask('profile.remove', caller, { name });
  }
}
