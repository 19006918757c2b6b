// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonValue } from './api.ts';
import { openFakeInternet, type FakeInternet } from './fake-internet.ts';
import { startStack, type Stack, type StackOptions } from './stack.ts';
import { makeWorld, type World } from './world.ts';

/** A request as the shop received it. */
export interface ShopRequest {
  readonly method: string;
  readonly url: string;
  /** names and values in their order, as they were sent */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ShopOptions {
  /** an OpenAPI document, of which all operations become tools `api.shop.…` */
  readonly document: string;
  /** the address of the API; that of the document unless given */
  readonly server?: string;
  readonly import?: Readonly<Record<string, unknown>>;
  /** values of secrets, by name */
  readonly secrets: Readonly<Record<string, string>>;
  readonly stack?: StackOptions;
  /** servers on loopback by the ports that they play */
  readonly others?: Readonly<Record<number, number>>;
  /** the port of the API; 443 unless given */
  readonly port?: number;
}

/** Whatever the risk is, nobody has to approve a call. */
const POLICY = {
  v: 1,
  name: 'shop',
  cedar: '@id("all") @reason("everything is permitted")\npermit (principal, action, resource);',
  thresholds: { general: { soft_gate: null, escalated: null, no_go: null } },
};

/** A stack whose internet is one HTTP API, and a tenant with tools of its operations. */
export class HttpShop {
  readonly stack: Stack;
  readonly world: World;
  readonly internet: FakeInternet;
  /** every request that reached a server of that internet */
  received: ShopRequest[] = [];
  /** how the API answers; 200 with `{}` unless a test says otherwise */
  answer: (response: ServerResponse, request: ShopRequest) => void = answers(200, {});
  readonly #options: ShopOptions;
  #token = '';

  private constructor(options: ShopOptions, internet: FakeInternet, stack: Stack, world: World) {
    this.#options = options;
    this.internet = internet;
    this.stack = stack;
    this.world = world;
  }

  static async open(options: ShopOptions): Promise<HttpShop> {
    // The shop takes the requests once it is there, which is before the first call.
    const opened: { shop?: HttpShop } = {};
    const internet = await openFakeInternet((request, response) => {
      const parts: Buffer[] = [];
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => opened.shop?.receive(request, parts, response));
    }, options.others);
    const { programs, env, ...rest } = options.stack ?? {};
    const stack = await startStack({
      ...rest,
      programs: { ...programs, executor: [internet.program] },
      env: { ...env, executor: { ...env?.executor, ...internet.env } },
    });
    try {
      const shop = new HttpShop(options, internet, stack, await makeWorld(stack.url, stack.keys.platformKey));
      opened.shop = shop;
      await shop.#prepare();
      return shop;
    } catch (error) {
      await stack.stop();
      internet.close();
      throw error;
    }
  }

  /** Takes the role of the API for one request. */
  receive({ method = '', url = '', headers, rawHeaders }: IncomingMessage, parts: Buffer[], to: ServerResponse): void {
    const request = { method, url, headers, rawHeaders, body: Buffer.concat(parts).toString() };
    this.received.push(request);
    this.answer(to, request);
  }

  async #prepare(): Promise<void> {
    const { admin, agentId, workspaceId } = this.world;
    for (const [name, value] of Object.entries(this.#options.secrets)) {
      const { status, text } = await admin.request('PUT', '/v1/secrets', { name, value });
      if (status !== 200) throw new Error(`the secret was answered with ${status}: ${text}`);
    }
    await this.import();
    const { policy } = await admin.must('/v1/policies', { document: POLICY });
    await admin.must('/v1/policies/activate', { policy: (policy as JsonValue).policy_hash });
    const grant = {
      tools: ['api.shop.*', 'net.egress'],
      fs: [],
      net: [
        {
          domain: 'api.outside.example',
          methods: ['GET', 'POST', 'PUT', 'DELETE'],
          ...(this.#options.port === undefined ? {} : { ports: [this.#options.port] }),
        },
      ],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    };
    const token = await admin.must('/v1/capability-tokens', { agent_id: agentId, workspace_id: workspaceId, grant });
    this.#token = token.capability_token_id as string;
  }

  /** Imports the document, with other options than before where a test says so. */
  async import(over: Readonly<Record<string, unknown>> = {}): Promise<JsonValue> {
    const { document, server, import: options } = this.#options;
    const imported = await this.world.admin.must('/v1/tools/imports/openapi', {
      document,
      options: { name: 'shop', ...(server === undefined ? {} : { server }), ...options, ...over },
    });
    if (imported.applied?.valid !== true) throw new Error(`nothing was imported: ${JSON.stringify(imported)}`);
    return imported;
  }

  /** Calls a tool of the shop, and resolves with the answer. */
  async call(operation: string, args: JsonValue, waitMs = 30_000): Promise<JsonValue> {
    return await this.tool(`api.shop.${operation}`, args, waitMs);
  }

  async tool(toolId: string, args: JsonValue, waitMs = 30_000): Promise<JsonValue> {
    return (await this.world.call(toolId, args, { capability_token_id: this.#token }, waitMs)).body;
  }

  async close(): Promise<void> {
    await this.stack.stop();
    this.internet.close();
  }
}

/** Answers with JSON. */
export const answers =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpShop['answer'] =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
