// SPDX-License-Identifier: Apache-2.0
import {
  makeWorld,
  openFakeInternet,
  startStack,
  type JsonValue,
  type FakeInternet,
  type Stack,
  type World,
} from '@writ/stack';

/** A step of a script in a result. */
export interface Step {
  readonly verb: string;
  readonly status: string;
  readonly attempts: number;
  readonly duration_ms: number;
  readonly output: string;
  readonly error: string | null;
}

export interface Ran {
  readonly body: JsonValue;
  readonly steps: readonly Step[];
  readonly cleanup: readonly Step[];
}

type Operation = Readonly<Record<string, unknown>>;
export const op = (verb: string, ...args: string[]): Operation => ({ verb, args });

/** The output of each step that succeeded; the status and the error of any other. */
export const outputs = (steps: readonly Step[]): string[] =>
  steps.map(({ status, output, error }) =>
    status === 'ok' ? output : error === null ? status : `${status}: ${error}`,
  );

const NET = [{ domain: '*.outside.example', methods: ['GET', 'POST', 'PUT', 'DELETE', 'CONNECT'] }];
const FILES = { 'a.txt': 'one\ntwo\n', 'src/config.template.json': '{"host":"{{HOST}}"}', 'data.json': '{"n":[1,2]}' };

/** A stack whose executor reaches a server that stands for the internet, and a token for scripts of mk8.shell. */
export class ScriptStack {
  readonly stack: Stack;
  readonly world: World;
  readonly token: string;
  readonly #internet: FakeInternet;
  readonly #received: string[];

  private constructor(stack: Stack, world: World, token: string, fakeInternet: FakeInternet, received: string[]) {
    this.stack = stack;
    this.world = world;
    this.token = token;
    this.#internet = fakeInternet;
    this.#received = received;
  }

  static async start(): Promise<ScriptStack> {
    const received: string[] = [];
    const fakeInternet = await openFakeInternet((request, response) => {
      const parts: Buffer[] = [];
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          received.push(`${request.method ?? ''} ${request.url ?? ''} ${Buffer.concat(parts).toString()}`.trim());
          if (request.url === '/fails-twice' && received.filter((line) => line === 'GET /fails-twice').length < 3)
            response.writeHead(503).end('not yet');
          else response.writeHead(200, { 'content-type': 'text/plain' }).end('hello from outside\n');
        });
    });
    const stack = await startStack({
      programs: { executor: [fakeInternet.program] },
      env: { executor: fakeInternet.env },
    });
    const world = await makeWorld(stack.url, stack.keys.platformKey, { files: FILES });
    const { capability_token_id } = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['mk8.*'],
        fs: [{ path: '', read: true, write: true }],
        net: NET,
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    });
    return new ScriptStack(stack, world, capability_token_id as string, fakeInternet, received);
  }

  /** Requests that the server received since `clearReceived`. */
  get received(): readonly string[] {
    return this.#received;
  }

  clearReceived(): void {
    this.#received.length = 0;
  }

  async run(script: unknown, over: Record<string, unknown> = {}, args: Record<string, unknown> = {}): Promise<Ran> {
    const { world, token } = this;
    const { body } = await world.call('mk8.run', { script, ...args }, { capability_token_id: token, ...over }, 55_000);
    const settled = ['admitted', 'dispatched', 'performing'].includes(body.state as string)
      ? await world.until(body.operation_id as string, ['committed', 'rolled_back', 'no_op', 'refused', 'held'])
      : body;
    const result = settled.result as { steps?: readonly Step[]; cleanup?: readonly Step[] } | null;
    return { body: settled, steps: result?.steps ?? [], cleanup: result?.cleanup ?? [] };
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    this.#internet.close();
  }
}
