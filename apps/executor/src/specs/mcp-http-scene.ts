// SPDX-License-Identifier: Apache-2.0
import {
  bindTool,
  formatId,
  RESOURCE_SECRET_PREFIX,
  type BoundResource,
  type McpHttpSettings,
  type McpTool,
  type Redemption,
  type ReportRequest,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { mcpDefinition } from '@writ/mcp-tool';
import { WorkerPool } from '@writ/worker-pool';
import { sessionPoolSizes } from '../calls/executor-pool.ts';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';
import { BrokerRunner } from '../runners/broker-runner.ts';
import { McpHttpTools } from '../runners/mcp/mcp-http-tools.ts';
import { credentialIn } from '../runners/mcp/mcp-sender.ts';
import { McpSessions } from '../runners/mcp/mcp-sessions.ts';
import { EgressFixture } from './egress-fixture.ts';
import { McpUpstream } from './mcp-upstream.ts';

/** A registered server, without its id. */
export type McpHttpServer = ReturnType<typeof mcpHttpServer>;

/** A server with one credential, the secret of that name. */
export function mcpHttpServer(name: string, secret: string, settings: Partial<McpHttpSettings> = {}) {
  const whole: McpHttpSettings = {
    transport: 'http',
    url: 'https://mcp.outside.example/mcp',
    credential: { secret },
    ...settings,
  };
  const meaning = { kind: 'mcp_server', name, settings: whole } as const;
  return { ...meaning, digest: resourceDigest(meaning) };
}

/** One call: its tool with the server that has it. */
export interface McpHttpCall {
  readonly tool: McpTool;
  readonly server: McpHttpServer;
  readonly args: Readonly<Record<string, unknown>>;
  /** the value of the server's credential */
  readonly secret: string;
  readonly redemption?: Partial<Redemption>;
  /** 60,000 by default */
  readonly wallMs?: number;
}

/** An executor whose calls leave through the gate to an MCP server over HTTP, with the sessions in threads. */
export class McpHttpScene {
  threads!: WorkerPool<ExecutorTasks>;
  on!: EgressFixture;
  server!: McpUpstream;
  tools!: McpHttpTools;

  /** Is open in each test of the file, and new in each but for its threads. */
  static open(): McpHttpScene {
    const scene = new McpHttpScene();
    beforeAll(() => {
      const filename = new URL('../executor.worker.ts', import.meta.url);
      scene.threads = new WorkerPool({ ...sessionPoolSizes(3), filename });
    });
    afterAll(() => scene.threads.close());
    beforeEach(async () => {
      scene.on = await EgressFixture.open();
      scene.server = new McpUpstream(scene.on.outside);
      scene.tools = new McpHttpTools(new McpSessions(scene.threads), () => performance.now());
    });
    afterEach(() => scene.on.close());
    return scene;
  }

  /** Makes the call, which the executor reports. */
  async call({ tool, server, args, secret, redemption, wallMs = 60_000 }: McpHttpCall): Promise<ReportRequest> {
    const { on, tools } = this;
    const resource_id = formatId('resource', new Uint8Array(16));
    const resources: BoundResource[] = [{ resource_id, ...server, owner_agent_id: null }];
    const definition = bindTool(mcpDefinition(tool), resources);
    const message = on.kernel.order(tool.tool_id, args, on.root, {
      definition,
      redemption: {
        net: [[{ domain: '*.outside.example', methods: ['POST'] }]],
        cli_tool: tool,
        resources,
        limits: { ...definition.limits, wall_ms: wallMs },
        secrets: { [`${RESOURCE_SECRET_PREFIX}${credentialIn(server.settings)?.secret ?? ''}`]: secret },
        ...redemption,
      },
    });
    const runner = new BrokerRunner(on.kernel.blobs, on.gate(), () => performance.now(), { mcp: tools });
    expect(await on.kernel.executor([runner]).run(message, 'broker')).toBe('reported');
    return on.kernel.reports.at(-1)!;
  }

  /** Whether the kernel has heard that something is about to leave. */
  get isAnnounced(): boolean {
    return this.on.kernel.requestedVerbs.includes('kernel.effect_started');
  }
}
