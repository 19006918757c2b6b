// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, TOOLS, type SearchProviderView, type ToolsApplied } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { SEARCH_PROVIDER, TOOL_ROUTES } from './routes.ts';
import type { ToolView } from './views.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { tenantTools } from '../../calls/kernel/tenant-tools.ts';
import { tenantView, viewOf } from './tool-view.ts';

const OWN = [...TOOLS.values()].map(viewOf);

@Controller()
export class ToolsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(TOOL_ROUTES.list)
  async list(@Asked() { caller }: AskedOf<typeof TOOL_ROUTES.list>): Promise<{ items: ToolView[] }> {
    return { items: [...OWN, ...(await tenantTools(this.kernel, caller)).map(tenantView)] };
  }

  @Route(TOOL_ROUTES.read)
  async read(@Asked() { caller, params: { tool_id } }: AskedOf<typeof TOOL_ROUTES.read>): Promise<ToolView> {
    const own = OWN.find((tool) => tool.tool_id === tool_id);
    if (own !== undefined) return own;
    const {
      items: [tool],
    } = await this.kernel.ask('tool.list', caller, { page: { cursor: null, limit: 1 }, tool_id });
    if (tool === undefined) throw new Fault('not_found');
    return tenantView(tool);
  }

  @Route(TOOL_ROUTES.apply)
  async apply(@Asked() { caller, body }: AskedOf<typeof TOOL_ROUTES.apply>): Promise<ToolsApplied> {
    const { dry_run = false, ...file } = body;
    return await this.kernel.ask('tool.apply', caller, { file, dry_run });
  }

  @Route(TOOL_ROUTES.remove)
  async remove(@Asked() { caller, params }: AskedOf<typeof TOOL_ROUTES.remove>): Promise<{ removed: string }> {
    return await this.kernel.ask('tool.remove', caller, params);
  }

  @Route(SEARCH_PROVIDER.read)
  async readSearch(@Asked() { caller }: AskedOf<typeof SEARCH_PROVIDER.read>): Promise<SearchProviderView> {
    return await this.kernel.ask('search.read', caller, {});
  }

  @Route(SEARCH_PROVIDER.set)
  async setSearch(
    @Asked() { caller, body: provider }: AskedOf<typeof SEARCH_PROVIDER.set>,
  ): Promise<SearchProviderView> {
    return await this.kernel.ask('search.set', caller, { provider });
  }

  @Route(SEARCH_PROVIDER.remove)
  async removeSearch(@Asked() { caller }: AskedOf<typeof SEARCH_PROVIDER.remove>): Promise<SearchProviderView> {
    return await this.kernel.ask('search.remove', caller, {});
  }
}
