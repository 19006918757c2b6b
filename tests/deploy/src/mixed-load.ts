// SPDX-License-Identifier: Apache-2.0
// A mixed load, repeated: calls of each lane, refusals, approvals, outgoing requests, runs, webhooks.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mustApproveShown, type JsonValue, type World } from '@writ/stack';
import { chatChunk, sse, type WireScript } from '@writ/testing';

/** A reply of the scripted model, with its token usage. */
export const REPLY: WireScript = {
  chunks: [
    chatChunk({ content: 'Done.' }),
    chatChunk({}, 'stop'),
    sse({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'm',
      choices: [],
      usage: { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 },
    }),
    sse('[DONE]'),
  ],
  end: 'whole',
};

/** Reads a file first, so that a run has a round with a call. */
export const CALLING_REPLY: WireScript = {
  chunks: [
    chatChunk({
      tool_calls: [
        {
          index: 0,
          id: 'call_0',
          type: 'function',
          function: { name: 'write_file', arguments: JSON.stringify({ path: 'run.txt', content: 'written' }) },
        },
      ],
    }),
    chatChunk({}, 'tool_calls'),
    sse({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'm',
      choices: [],
      usage: { prompt_tokens: 700, completion_tokens: 60, total_tokens: 760 },
    }),
    sse('[DONE]'),
  ],
  end: 'whole',
};

/** Writes a models file with one model that is served at the address. */
export function writeModels(folder: string, url: string): string {
  const file = join(folder, 'models.json');
  writeFileSync(join(folder, 'key'), 'sk-of-this-spec-0123456789', { mode: 0o600 });
  const prices = { input: 1_000_000, cached: 1_000_000, output: 10_000_000 };
  writeFileSync(
    file,
    JSON.stringify({
      models: [
        {
          name: 'wire',
          provider: 'openai',
          model: 'm-1',
          base_url: `${url}/v1`,
          key_file: 'key',
          prices,
          currency: 'EUR',
        },
      ],
    }),
  );
  return file;
}

/** A receiver of webhooks that accepts everything. */
export async function openReceiver(): Promise<{ readonly server: Server; readonly place: string }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, place: `127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

const PAUSE_MS = 200;
const ROUNDS_MIN = 4;
/** The services parse bodies of this length outside of the event loop. */
const LONG = 'a line of a long file\n'.repeat(20_000);

/** Load of one tenant. */
export class MixedLoad {
  readonly #world: World;
  readonly #outsideToken: string;
  readonly #sessionId: string;

  private constructor(world: World, outsideToken: string, sessionId: string) {
    this.#world = world;
    this.#outsideToken = outsideToken;
    this.#sessionId = sessionId;
  }

  /** Creates what the load needs: a token with egress, a webhook, a session with a model. */
  static async of(world: World, receiver: string): Promise<MixedLoad> {
    const { capability_token_id } = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['shell.run', 'net.egress', 'web.fetch'],
        fs: [{ path: '', read: true, write: true }],
        net: [{ domain: '*.outside.example', methods: ['GET', 'CONNECT'] }],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    });
    await world.admin.must('/v1/webhooks', {
      name: 'ops',
      url: `http://${receiver}/hooks`,
      events: ['approval.pending', 'approval.approved', 'approval.denied'],
    });
    const session = await world.agent.must('/v1/sessions', {
      workspace_id: world.workspaceId,
      capability_token_id: world.tokenId,
      model: 'wire',
    });
    return new MixedLoad(world, capability_token_id as string, session.session_id as string);
  }

  /** Runs for that many milliseconds, and at least some rounds: one may take long on a busy machine. */
  async run(seconds: number): Promise<void> {
    const until = Date.now() + seconds * 1_000;
    const again = async (part: (n: number) => Promise<void>): Promise<void> => {
      for (let n = 1; n <= ROUNDS_MIN || Date.now() < until; n += 1) {
        await part(n);
        await sleep(PAUSE_MS);
      }
    };
    await Promise.all([again((n) => this.#quick(n)), again((n) => this.#contained(n))]);
  }

  /** Calls without a container. */
  async #quick(n: number): Promise<void> {
    const { call, agent } = this.#world;
    await Promise.all([
      call('fs.write', { path: `file-${String(n % 8)}.txt`, content: `round ${String(n)}` }),
      call('fs.read', { path: 'a.txt' }),
      call('fs.list', { path: '' }),
    ]);
    // Long enough for a worker thread.
    await call('fs.write', { path: 'long.txt', content: LONG });
    await Promise.all([
      call('no.such_tool', {}),
      call('fs.write', { path: '../outside.txt', content: 'x' }),
      agent.get('/v1/operations?limit=5'),
    ]);
    await Promise.all([
      call(
        'web.fetch',
        { url: 'http://api.outside.example/a', purpose: 'a test' },
        { capability_token_id: this.#outsideToken },
      ),
      agent.post(`/v1/sessions/${this.#sessionId}/runs`, { input: `round ${String(n)}` }),
    ]);
    await this.#decide(n);
  }

  /** Calls in a container. */
  async #contained(n: number): Promise<void> {
    const { call } = this.#world;
    await call('shell.run', { command: `echo ${String(n)} > out.txt` });
    await call(
      'shell.run',
      { command: 'curl -sS http://api.outside.example/a; curl -sS http://elsewhere.example/b; true' },
      { capability_token_id: this.#outsideToken },
    );
  }

  async #decide(n: number): Promise<void> {
    const { call, operator } = this.#world;
    const { body: held } = await call('shell.run', { command: 'rm -rf old' });
    // One in five stays undecided, so that something waits.
    if (n % 5 === 0) return;
    const { approval_id } = held as JsonValue;
    if (n % 2 === 0) await mustApproveShown(operator, approval_id);
    else await operator.post(`/v1/approvals/${approval_id as string}/deny`, { comment: 'no' });
  }
}
