// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { McpRemoteTool } from '@writ/contract';
import type { FakeEnd, FakeWorld } from '@writ/sandbox';
import { REMOTE_TOOL } from './mcp-upstream.ts';

/** A message as a process received it. */
export interface ProgramMessage {
  readonly method: string;
  readonly id: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One process of the program. */
export class ProgramProcess {
  readonly world: FakeWorld;
  readonly messages: ProgramMessage[] = [];
  readonly #exit = Promise.withResolvers<FakeEnd>();

  constructor(world: FakeWorld) {
    this.world = world;
  }

  get stdio(): Duplex {
    return this.world.stdio!;
  }

  get methods(): readonly string[] {
    return this.messages.map(({ method }) => method);
  }

  get calls(): readonly ProgramMessage[] {
    return this.messages.filter(({ method }) => method === 'tools/call');
  }

  get exited(): Promise<FakeEnd> {
    return this.#exit.promise;
  }

  say(line: string | object): void {
    this.stdio.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  }

  result({ id }: ProgramMessage, result: Readonly<Record<string, unknown>>): void {
    this.say({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
  }

  error({ id }: ProgramMessage, code: number, message: string): void {
    this.say({ jsonrpc: '2.0', id, error: { code, message } });
  }

  exit(end: FakeEnd): void {
    this.#exit.resolve(end);
  }
}

export type ProgramAnswer = (message: ProgramMessage, process: ProgramProcess) => unknown;

/** A program that speaks MCP over its standard input and output, whose answers a test replaces by the method. */
export class McpProgram {
  readonly processes: ProgramProcess[] = [];
  tools: readonly McpRemoteTool[] = [REMOTE_TOOL];
  capabilities: Readonly<Record<string, unknown>> = { tools: {} };
  /** whether it speaks the revision 2025-11-25 alone */
  isLegacy = false;
  answers: Readonly<Record<string, ProgramAnswer>> = {};
  /** runs as a process starts */
  begin: (process: ProgramProcess) => unknown = () => undefined;

  readonly run = async (world: FakeWorld): Promise<FakeEnd> => {
    const process = new ProgramProcess(world);
    this.processes.push(process);
    void this.#read(process);
    this.begin(process);
    return await Promise.race([
      process.exited,
      once(process.stdio, 'end').then(
        () => 0,
        () => 0,
      ),
    ]);
  };

  get calls(): readonly ProgramMessage[] {
    return this.processes.flatMap(({ calls }) => calls);
  }

  async #read(process: ProgramProcess): Promise<void> {
    let rest = '';
    process.stdio.on('error', () => undefined);
    process.stdio.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#receive(process, JSON.parse(line) as Partial<ProgramMessage>);
    });
  }

  #receive(process: ProgramProcess, { method = '', id, params = {} }: Partial<ProgramMessage>): void {
    const message = { method, id, params };
    process.messages.push(message);
    (this.answers[method] ?? ((asked, own) => this.#usual(asked, own)))(message, process);
  }

  #usual(message: ProgramMessage, process: ProgramProcess): void {
    const cached = { ttlMs: 0, cacheScope: 'private' };
    const about = { name: 'files', version: '1' };
    if (message.method === 'server/discover')
      if (this.isLegacy) process.error(message, -32_601, 'Method not found');
      else
        process.result(message, {
          supportedVersions: ['2026-07-28'],
          capabilities: this.capabilities,
          serverInfo: about,
          ...cached,
        });
    else if (message.method === 'initialize')
      process.say({
        jsonrpc: '2.0',
        id: message.id,
        result: { protocolVersion: '2025-11-25', capabilities: this.capabilities, serverInfo: about },
      });
    else if (message.method === 'tools/list') process.result(message, { tools: this.tools, ...cached });
    else if (message.method === 'tools/call')
      process.result(message, { content: [{ type: 'text', text: 'done' }], structuredContent: { number: 7 } });
  }
}
