// SPDX-License-Identifier: Apache-2.0
//
// Calls of tools of MCP servers that are programs, with the session in a thread and a fake container.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bindTool,
  formatId,
  RESOURCE_SECRET_PREFIX,
  type BoundResource,
  type McpStdioSettings,
  type McpTool,
  type Redemption,
  type ReportRequest,
  type WaitingProgram,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { acceptedTool, mcpDefinition } from '@writ/mcp-tool';
import { FakeSandbox, type ContainerUsage } from '@writ/sandbox';
import { WorkerPool } from '@writ/worker-pool';
import type { PerformOptions } from '../attempts/perform.ts';
import { sessionPoolSizes } from '../calls/executor-pool.ts';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';
import { BrokerRunner } from '../runners/broker-runner.ts';
import { McpPrograms, type McpProgramsOptions } from '../runners/mcp/stdio/mcp-programs.ts';
import { EgressFixture } from './egress-fixture.ts';
import { McpProgram } from './mcp-program.ts';
import { REMOTE_TOOL } from './mcp-upstream.ts';

export const SECRET = 'key-0123456789-secret';
export const SETTINGS: McpStdioSettings = {
  transport: 'stdio',
  command: ['mcp-files', '--stdio'],
  env: { ROOT: '/data', TOKEN: { secret: 'FILES' } },
};
export const serverOf = (settings: Partial<McpStdioSettings> = {}) => {
  const meaning = { kind: 'mcp_server', name: 'files', settings: { ...SETTINGS, ...settings } } as const;
  return { ...meaning, digest: resourceDigest(meaning) };
};
export const TOOL: McpTool = { ...acceptedTool(serverOf(), 'create_issue', REMOTE_TOOL, 'write'), version: 1 };
const NET: Redemption['net'] = [[{ domain: '*.outside.example', methods: ['GET', 'POST'] }]];
const GIB = 1_073_741_824;

type EngineStep = 'freeze' | 'thaw';

export interface Given {
  readonly tool?: McpTool;
  readonly settings?: Partial<McpStdioSettings>;
  readonly redemption?: Partial<Redemption>;
  readonly args?: Record<string, unknown>;
  readonly wall_ms?: number;
}

/** A call of a server with these hosts. */
export const withHosts = (hosts: readonly string[]): Given => ({
  settings: { hosts: [...hosts] },
  tool: { ...TOOL, server_digest: serverOf({ hosts: [...hosts] }).digest },
});

/** An executor with a program, for one test. */
export class ProgramScene {
  readonly on: EgressFixture;
  readonly program = new McpProgram();
  readonly programs: McpPrograms;
  /** what the containers have used in all, as their engine counts it */
  usage: ContainerUsage = { cpuMs: 0, memoryPeakBytes: 0, countedBy: 'host' };
  /** what the engine was asked to do to a container that is kept, and what it fails at */
  readonly engine = { asked: [] as EngineStep[], fails: new Set<EngineStep>(), hangs: new Set<EngineStep>() };
  /** the last calls of processes that may not wait on; null: the kernel does not answer */
  over: Set<string> | null = new Set();
  /** what it was asked of a tenant's processes */
  readonly asked: (readonly [tenantId: string, readonly WaitingProgram[]])[] = [];
  /** why it could not be asked, where that was reported */
  readonly failures: unknown[] = [];
  beforeAnswer = (): Promise<unknown> => Promise.resolve();
  readonly #sandbox: FakeSandbox;
  #ms = 0;

  constructor(on: EgressFixture, threads: WorkerPool<ExecutorTasks>, options: Partial<McpProgramsOptions> = {}) {
    this.on = on;
    this.#sandbox = new FakeSandbox({
      programs: { 'mcp-files --stdio': this.program.run },
      running: {
        usage: async () => this.usage,
        freeze: () => this.#engineDoes('freeze'),
        thaw: async () => void (await this.#engineDoes('thaw')),
      },
      sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    });
    this.programs = new McpPrograms({
      sandbox: this.#sandbox,
      threads,
      processesMax: 4,
      memoryBytesMax: 16 * GIB,
      now: () => performance.now() + this.#ms,
      findLive: async (tenantId, programs) => {
        this.asked.push([tenantId, programs]);
        await this.beforeAnswer();
        const { over } = this;
        if (over === null) throw new Error('nobody answers');
        return programs.flatMap(({ last }) => (over.has(last) ? [] : [last]));
      },
      failed: (error) => void this.failures.push(error),
      ...options,
    });
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  async #engineDoes(what: EngineStep): Promise<boolean> {
    this.engine.asked.push(what);
    if (this.engine.hangs.has(what)) await new Promise(() => undefined);
    if (this.engine.fails.has(what)) throw new Error('the engine failed');
    return true;
  }

  announced(): boolean {
    return this.on.kernel.requestedVerbs.includes('kernel.effect_started');
  }

  /** What became of a call, which may have ended without a report. */
  async run(
    { tool = TOOL, settings = {}, redemption = {}, args = { title: 'A leak' }, wall_ms = 60_000 }: Given = {},
    options: Partial<PerformOptions> = {},
  ): Promise<string> {
    const resource_id = formatId('resource', new Uint8Array(16));
    const resources: BoundResource[] = [{ resource_id, ...serverOf(settings), owner_agent_id: null }];
    const definition = bindTool(mcpDefinition(tool), resources);
    const { kernel } = this.on;
    const message = kernel.order(tool.tool_id, args, this.on.root, {
      definition,
      redemption: {
        net: NET,
        acts_for: 'person-1',
        session: 'session-1',
        cli_tool: tool,
        resources,
        limits: { ...definition.limits, wall_ms },
        secrets: { [`${RESOURCE_SECRET_PREFIX}FILES`]: SECRET },
        ...redemption,
      },
    });
    const runner = new BrokerRunner(kernel.blobs, this.on.gate(), () => performance.now(), { programs: this.programs });
    return await kernel.executor([runner], options).run(message, 'broker');
  }

  /** The report of a call. */
  async call(given: Given = {}): Promise<ReportRequest> {
    expect(await this.run(given)).toBe('reported');
    const report = this.on.kernel.reports.at(-1)!;
    expect(JSON.stringify(report)).not.toContain(SECRET);
    return report;
  }

  async close(): Promise<void> {
    await this.programs.close();
    await this.#sandbox.close();
    await this.on.close();
  }
}

/** Opens one for each test of a file. */
export function openProgramScene(opened: (scene: ProgramScene) => void): void {
  let threads: WorkerPool<ExecutorTasks>;
  let scene: ProgramScene;
  beforeAll(() => {
    threads = new WorkerPool({ ...sessionPoolSizes(3), filename: new URL('../executor.worker.ts', import.meta.url) });
  });
  afterAll(() => threads.close());
  beforeEach(async () => {
    scene = new ProgramScene(await EgressFixture.open(), threads);
    opened(scene);
  });
  afterEach(() => scene.close());
}
