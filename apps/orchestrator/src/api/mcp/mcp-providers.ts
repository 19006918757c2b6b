// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy, provideValue } from '@writ/nest-kit';
import type { Logger } from '@writ/telemetry';
import { AskConnection } from '../../calls/ask-connection.ts';
import { CallDefaults } from '../../calls/call-defaults.ts';
import { Follow } from '../../calls/follow.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { Offers } from '../../calls/kernel/offers.ts';
import { Propose } from '../../calls/propose.ts';
import { ShowOperation } from '../../calls/show-operation.ts';
import { ReadReceipt } from '../../delivery/read-receipt.ts';
import { FullQueues } from '../../edge/access/full-queues.ts';
import { CallTool } from './call-tool.ts';
import { AccessFinder } from './access.ts';
import { ConsentPages } from './consent-pages.ts';
import { heldStates, McpEndpoint } from './mcp-endpoint.ts';
import { McpOrigins } from './mcp-origins.ts';
import { McpPrompts } from './mcp-prompts.ts';
import { McpResources } from './mcp-resources.ts';
import { RemoteTools } from './mount/remote-tools.ts';
import { answerKeys } from './mount/server-questions.ts';
import { McpTasks } from './tasks.ts';
import { ToolIds } from './tool-names.ts';

/** The configuration of `/mcp`. */
export interface McpConfig {
  readonly WRIT_HTTP_HOST: string;
  /** host names, with commas between */
  readonly WRIT_MCP_HOSTS: string;
  /** the key from which the keys of request states and of answers are derived */
  readonly webhookKey: Buffer;
}

/** Provides the endpoint of the Model Context Protocol. */
export function mcpProviders(config: McpConfig, logger: Logger): Provider[] {
  const states = heldStates(config.webhookKey);
  const answerKey = answerKeys(config.webhookKey);
  const report = (err: unknown): void => logger.error({ err }, 'mcp: a request failed by a bug');
  return [
    provideValue(new McpOrigins(config.WRIT_HTTP_HOST, config.WRIT_MCP_HOSTS)),
    provideBy(AccessFinder, [KernelClient, CallDefaults], (kernel, defaults) => new AccessFinder(kernel, defaults)),
    provideBy(
      CallTool,
      [KernelClient, Propose, Follow, ShowOperation, FullQueues, AskConnection],
      (kernel, propose, follow, show, queues, asking) => {
        const consents = new ConsentPages(kernel, asking, Date.now);
        return new CallTool({
          kernel,
          propose,
          follow,
          show,
          queues,
          states,
          answerKey,
          consents,
          monotonic: () => performance.now(),
        });
      },
    ),
    provideBy(
      McpResources,
      [KernelClient, CallTool, ShowOperation, ReadReceipt],
      (kernel, calls, show, receipts) => new McpResources(kernel, calls, show, receipts),
    ),
    provideBy(McpPrompts, [Offers, CallTool], (offers, calls) => new McpPrompts(offers, calls)),
    provideBy(McpTasks, [KernelClient, ShowOperation], (kernel, show) => new McpTasks(kernel, show)),
    provideBy(ToolIds, [KernelClient], (kernel) => new ToolIds(kernel, () => performance.now())),
    provideBy(RemoteTools, [KernelClient], (kernel) => new RemoteTools(kernel)),
    provideBy(
      McpEndpoint,
      [Offers, CallTool, ToolIds, RemoteTools, McpResources, McpPrompts, McpTasks],
      (offers, calls, ids, remote, resources, prompts, tasks) =>
        new McpEndpoint({ offers, calls, ids, remote, resources, prompts, tasks, report }, (err) =>
          logger.debug({ err }, 'mcp: a request was rejected'),
        ),
    ),
  ];
}
