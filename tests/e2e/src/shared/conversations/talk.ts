// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { AuditRecord } from '@writ/contract';
import { parseKeySet, verifyReceiptFile } from '@writ/receipt';
import {
  eventually,
  makeWorld,
  serveModels,
  sharedStack,
  type JsonValue,
  type ModelServer,
  type Proxy,
  type SharedStack,
  type World,
} from '@writ/stack';
import { chatChunk, sse, WireServer, type WireRequest } from '@writ/testing';

/** A message as the model receives it. */
export interface Message {
  readonly role: string;
  readonly content: string | null;
}

/** What the model has been told when it replies. */
export interface Heard {
  readonly system: string;
  /** the newest message, whoever wrote it */
  readonly last: string;
  readonly messages: readonly Message[];
  /** the names of the tools that the provider's own calls may use */
  readonly tools: readonly string[];
}

/** A reply: text alone, or with calls of the provider's own form. */
export type Said =
  string | { readonly text?: string; readonly calls: readonly { readonly name: string; readonly args: object }[] };

/** One reply of the model. It may expect something of what it heard: a failed expectation fails the conversation. */
export type Step = (heard: Heard) => Said;

const FINAL_REPLY = 'The script has no further reply.';
const ENDS = ['committed', 'rolled_back', 'no_op', 'refused', 'ambiguous'];

function chunksOf(said: Said, round: number): string[] {
  const { text = '', calls = [] } = typeof said === 'string' ? { text: said } : said;
  return [
    ...(text.match(/[^]{1,23}/g) ?? []).map((content) => chatChunk({ content })),
    ...calls.map(({ name, args }, index) =>
      chatChunk({
        tool_calls: [
          { index, id: `c${round}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
        ],
      }),
    ),
    chatChunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    sse('[DONE]'),
  ];
}

/** A model whose replies follow from what it hears, and the sessions of one agent that talk with it. */
export class Talk {
  readonly stack: SharedStack;
  readonly world: World;
  readonly #server: WireServer;
  readonly #served: Proxy;
  readonly #model: string;
  /** the replies to each task, in order */
  readonly #scripts = new Map<string, readonly Step[]>();
  readonly #failures: unknown[] = [];

  private constructor(stack: SharedStack, world: World, server: WireServer, served: Proxy, model: string) {
    this.stack = stack;
    this.world = world;
    this.#server = server;
    this.#served = served;
    this.#model = model;
    server.script = (asked) => this.#reply(asked);
  }

  static async open(server: ModelServer, files: Readonly<Record<string, string>>): Promise<Talk> {
    const wire = await new WireServer().open();
    const served = await serveModels(server, wire.url);
    const stack = await sharedStack();
    const world = await makeWorld(stack.url, stack.keys.platformKey, { files });
    return new Talk(stack, world, wire, served, server);
  }

  /** A token of the whole workspace. */
  async token(grant: Readonly<Record<string, unknown>>): Promise<string> {
    const { world } = this;
    const { capability_token_id } = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
        ...grant,
      },
    });
    return capability_token_id as string;
  }

  async session(fields: Readonly<Record<string, unknown>>): Promise<string> {
    const { session_id } = await this.world.agent.must('/v1/sessions', {
      workspace_id: this.world.workspaceId,
      model: this.#model,
      ...fields,
    });
    return session_id as string;
  }

  /** Sets the replies to a task: a run of a sub-agent or of a job begins with it too. */
  script(task: string, steps: readonly Step[]): void {
    this.#scripts.set(task, steps);
  }

  /**
   * Runs a task to its end. `decide` is the person who is asked about each held call; without it none may be held.
   * @throws the first failed expectation of the script
   */
  async run(
    sessionId: string,
    task: string,
    steps: readonly Step[],
    decide?: (operation: JsonValue) => Promise<unknown>,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<JsonValue> {
    this.script(task, steps);
    const { run_id } = await this.world.agent.must(`/v1/sessions/${sessionId}/runs`, { input: task, ...fields });
    const decided = new Set<string>();
    const ended = await eventually(
      `the end of the run \`${task}\``,
      async () => {
        const { body } = await this.world.admin.get(`/v1/runs/${run_id as string}`);
        if (this.#failures.length > 0 || body.state === 'ended') return body as JsonValue;
        for (const id of (body.waits_for as string[]).filter((each) => !decided.has(each))) {
          const operation = (await this.world.operator.get(`/v1/operations/${id}`)).body as JsonValue;
          if (operation.state !== 'held') continue;
          if (decide === undefined) throw new Error(`nobody expected this to be held: ${JSON.stringify(operation)}`);
          decided.add(id);
          await decide(operation);
        }
        return null;
      },
      120_000,
    );
    this.check();
    return ended;
  }

  /** @throws the first failed expectation of a script */
  check(): void {
    const [first] = this.#failures.splice(0);
    if (first !== undefined) throw first;
  }

  /** The operations of a session, oldest first, without the reading of `CODE.md` that begins it. */
  async operations(sessionId: string): Promise<JsonValue[]> {
    const { body } = await this.world.admin.get(`/v1/operations?session_id=${sessionId}&limit=200`);
    return (body.items as JsonValue[]).reverse().filter(({ provenance }) => provenance?.turn !== '0');
  }

  /**
   * The records of all operations of the session, oldest first, each from a receipt that verifies with the public keys
   * alone. Waits until each has ended and is in the log.
   */
  async records(sessionId: string): Promise<AuditRecord[]> {
    const keys = parseKeySet(readFileSync(this.stack.keys.publicKeysFile));
    const records: AuditRecord[] = [];
    for (const { operation_id, tool_id, state, outcome_record_id } of await this.operations(sessionId)) {
      expect(ENDS).toContain(state);
      // The decision of a refused call and of a dry run is its end.
      const phase = outcome_record_id === null ? 'decision' : 'outcome';
      const { text } = await eventually(`the receipt of ${operation_id as string}`, async () => {
        const answer = await this.world.auditor.get(`/v1/operations/${operation_id as string}/receipt?phase=${phase}`);
        return answer.status === 200 ? answer : null;
      });
      const { record } = verifyReceiptFile(text, keys, { operationId: operation_id as string });
      expect(record).toMatchObject({ operation_id, tool_id, agent_id: this.world.agentId, phase });
      records.push(record);
    }
    return records;
  }

  /** The tool and the end of each operation of the session, whose receipts are verified. */
  async verified(sessionId: string): Promise<[tool: string, end: string][]> {
    const states = (await this.operations(sessionId)).map(({ state }) => state as string);
    return (await this.records(sessionId)).map(({ tool_id }, index) => [String(tool_id), states[index] ?? '']);
  }

  async close(): Promise<void> {
    await this.#served.close();
    await this.#server.close();
  }

  #reply({ body }: WireRequest): { chunks: string[]; end: 'whole' } {
    const messages = body['messages'] as readonly Message[];
    const from = messages.findLastIndex(({ content }) => content !== null && this.#scripts.has(content));
    const steps = this.#scripts.get(messages[from]?.content ?? '');
    const round = messages.slice(from).filter(({ role }) => role === 'assistant').length;
    const tools = (body['tools'] as readonly { readonly function: { readonly name: string } }[] | undefined) ?? [];
    let said: Said = FINAL_REPLY;
    try {
      const step = steps?.[round];
      if (step === undefined) throw new Error(`no reply ${round} to ${JSON.stringify(messages.at(-1))}`);
      said = step({
        system: messages[0]?.content ?? '',
        last: messages.at(-1)?.content ?? '',
        messages,
        tools: tools.map((tool) => tool.function.name),
      });
    } catch (error) {
      this.#failures.push(error);
    }
    return { chunks: chunksOf(said, round), end: 'whole' };
  }
}
