// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, TOOLS, type ToolsApplied } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { TOOL_ROUTES } from './routes.ts';
import type { ToolView } from './views.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { tenantTools } from '../../calls/kernel/tenant-tools.ts';
import { WorkerTasks } from '../../edge/work/worker-tasks.ts';
import { IMPORT_OPENAPI } from './import-tasks.ts';
import { IMPORT_DEFAULTS, type ApiImported } from './import-views.ts';
import { tenantView, viewOf } from './tool-view.ts';

const BUILT_IN_TOOLS = [...TOOLS.values()].map(viewOf);

/** The most that one message to the kernel carries, with its envelope. */
const TOOLS_BYTES_MAX = 900_000;

@Controller()
export class ToolsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly tasks: WorkerTasks,
  ) {}

  @Route(TOOL_ROUTES.list)
  async list(@RequestInput() { caller }: RequestInputOf<typeof TOOL_ROUTES.list>): Promise<{ items: ToolView[] }> {
    return { items: [...BUILT_IN_TOOLS, ...(await tenantTools(this.kernel, caller)).map(tenantView)] };
  }

  @Route(TOOL_ROUTES.read)
  async read(
    @RequestInput() { caller, params: { tool_id } }: RequestInputOf<typeof TOOL_ROUTES.read>,
  ): Promise<ToolView> {
    const own = BUILT_IN_TOOLS.find((tool) => tool.tool_id === tool_id);
    if (own !== undefined) return own;
    const {
      items: [tool],
    } = await this.kernel.ask('tool.list', caller, { page: { cursor: null, limit: 1 }, tool_id });
    if (tool === undefined) throw new Fault('not_found');
    return tenantView(tool);
  }

  @Route(TOOL_ROUTES.apply)
  async apply(@RequestInput() { caller, body }: RequestInputOf<typeof TOOL_ROUTES.apply>): Promise<ToolsApplied> {
    const { dry_run = false, ...file } = body;
    return await this.kernel.ask('tool.apply', caller, { file, dry_run });
  }

  /**
   * The kernel checks the tools as it does all others. `strict`: an operation that can't be had keeps all from being
   * registered.
   */
  @Route(TOOL_ROUTES.importOpenApi)
  async importOpenApi(
    @RequestInput() { caller, body }: RequestInputOf<typeof TOOL_ROUTES.importOpenApi>,
  ): Promise<ApiImported> {
    const { document, dry_run = false, strict = false, options } = body;
    const imported = await this.tasks.run(IMPORT_OPENAPI, caller.tenant_id, {
      document,
      options: { ...IMPORT_DEFAULTS, ...options },
    });
    const { tools, ...report } = imported;
    const isRefused =
      tools.length === 0 ||
      imported.problems.some(({ of, pointer }) => strict || of === 'options' || pointer === '/paths');
    const bytes = Buffer.byteLength(JSON.stringify(tools));
    if (bytes > TOOLS_BYTES_MAX)
      throw new Fault(
        'request.too_large',
        `the tools take ${bytes} bytes, and one import has at most ${TOOLS_BYTES_MAX}: import a part with \`include\``,
      );
    const applied = isRefused ? null : await this.kernel.ask('tool.apply', caller, { file: { http: tools }, dry_run });
    return {
      ...report,
      operations: [...report.operations],
      problems: [...report.problems],
      notes: [...report.notes],
      applied,
    };
  }

  @Route(TOOL_ROUTES.remove)
  async remove(
    @RequestInput() { caller, params }: RequestInputOf<typeof TOOL_ROUTES.remove>,
  ): Promise<{ removed: string }> {
    return await this.kernel.ask('tool.remove', caller, params);
  }
}
