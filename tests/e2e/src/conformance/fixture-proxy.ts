// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite of MCP speaks to a server without credentials that has fixtures: tools, resources and prompts
// with certain names. This proxy stands before `/mcp` for it. It adds the key, and translates the names of fixtures for
// which Writ has something that behaves alike. Calls of tools that a server behind Writ has go to the mount of that
// server. It changes nothing else: statuses, headers, errors, the shape of results and `Host` and `Origin` are those of
// the client and of the API.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a fixture of the suite is called by Writ. */
export interface FixtureNames {
  /** a call of a fixture's tool, as a call of a tool of Writ; called anew for each request */
  readonly tools: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => Promise<FixtureCall>>>;
  readonly resources: Readonly<Record<string, string>>;
  readonly prompts: Readonly<Record<string, () => Promise<string>>>;
  /** keys of what the server asks its client for: that of the suite, and that of Writ */
  readonly inputs: readonly [suite: string, writ: string];
  /** the address of a mount, and the tools whose calls go there */
  readonly mounted?: { readonly api: string; readonly tools: readonly string[] };
}

/** Translates nothing: for an address at which the fixtures have their names. */
export const NO_NAMES: FixtureNames = { tools: {}, resources: {}, prompts: {}, inputs: ['approval', 'approval'] };

export interface FixtureCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly method?: unknown;
  readonly params?: Record<string, unknown>;
}

/** A proxy of the suite on a loopback address. */
export class FixtureProxy {
  readonly #server: Server;
  readonly #api: URL;
  readonly #key: string;
  readonly #names: FixtureNames;
  /** the last call of each fixture: a state continues only the call that it is of */
  readonly #calls = new Map<string, FixtureCall>();

  private constructor(api: string, key: string, names: FixtureNames) {
    this.#api = new URL(api);
    this.#key = key;
    this.#names = names;
    this.#server = createServer((asked, answer) => {
      this.#pass(asked, answer).catch((error: unknown) => {
        // The suite reports the broken connection as the failure of its scenario.
        answer.destroy(error instanceof Error ? error : undefined);
      });
    });
  }

  /** @param api the address of `/mcp`; @param key the API key that is added to each request */
  static async before(api: string, key: string, names: FixtureNames): Promise<FixtureProxy> {
    const proxy = new FixtureProxy(api, key, names);
    proxy.#server.listen({ host: '127.0.0.1', port: 0 });
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const text = Buffer.concat(await asked.toArray()).toString('utf8');
    const { body, nameHeader } = await this.#translated(text, asked.headers['mcp-name']);
    const api = this.#mountOf(messageOf(text)) ?? this.#api;
    const headers = {
      ...asked.headers,
      ...(nameHeader === undefined ? {} : { 'mcp-name': nameHeader }),
      authorization: `Bearer ${this.#key}`,
      'content-length': String(Buffer.byteLength(body)),
    };
    const passed = request(api, { method: asked.method, headers });
    // A client that closes its request cancels it.
    answer.on('close', () => passed.destroy());
    passed.end(body);
    const [got] = (await once(passed, 'response')) as [IncomingMessage];
    const { 'content-length': _length, ...kept } = got.headers;
    answer.writeHead(got.statusCode ?? 500, kept);
    for await (const part of got) answer.write(this.#named(String(part)));
    answer.end();
  }

  async #translated(
    text: string,
    nameHeader: string | string[] | undefined,
  ): Promise<{ readonly body: string; readonly nameHeader: string | undefined }> {
    const header = typeof nameHeader === 'string' ? nameHeader : undefined;
    const message = messageOf(text);
    const { params = {} } = message ?? {};
    const changed = message === null ? null : await this.#change(message);
    if (changed === null) return { body: text, nameHeader: header };
    const [before, after] = [params['name'] ?? params['uri'], changed['name'] ?? changed['uri']];
    const hasItsName = header !== undefined && header.trim() === before && typeof after === 'string';
    return {
      body: JSON.stringify({ ...message, params: { ...params, ...changed } }),
      nameHeader: hasItsName ? header.replace(before, after) : header,
    };
  }

  /** Where the call of a tool of the mounted server goes; null for any other message. */
  #mountOf(message: Message | null): URL | null {
    const { mounted } = this.#names;
    const isMounted =
      mounted !== undefined &&
      message?.method === 'tools/call' &&
      mounted.tools.includes(String(message.params?.['name']));
    return isMounted ? new URL(mounted.api) : null;
  }

  /** The parameters that change; null where none of them names a fixture. */
  async #change({ method, params = {} }: Message): Promise<Record<string, unknown> | null> {
    const { tools, resources, prompts } = this.#names;
    const name = String(params['name'] ?? params['uri']);
    if (method === 'tools/call' && Object.hasOwn(tools, name)) {
      const kept = params['requestState'] === undefined ? undefined : this.#calls.get(name);
      const call = kept ?? (await tools[name]!((params['arguments'] ?? {}) as Record<string, unknown>));
      this.#calls.set(name, call);
      return { ...call, ...this.#answers(params) };
    }
    if (method === 'resources/read' && Object.hasOwn(resources, name)) return { uri: resources[name] };
    if (method === 'prompts/get' && Object.hasOwn(prompts, name))
      return { name: await prompts[name]!(), ...this.#answers(params) };
    return null;
  }

  /** What the client answers to the server's questions, where it does. */
  #answers({ inputResponses }: Record<string, unknown>): { readonly inputResponses?: unknown } {
    const [suite, writ] = this.#names.inputs;
    if (inputResponses === undefined) return {};
    return { inputResponses: JSON.parse(JSON.stringify(inputResponses).replaceAll(`"${suite}":`, `"${writ}":`)) };
  }

  /** A part of an answer, with the names that the suite knows. */
  #named(text: string): string {
    const { resources, inputs } = this.#names;
    const [suite, writ] = inputs;
    const asked = text.replaceAll(`"inputRequests":{"${writ}":`, `"inputRequests":{"${suite}":`);
    return Object.entries(resources).reduce(
      (said, [theirs, ours]) => said.replaceAll(`"${ours}"`, `"${theirs}"`),
      asked,
    );
  }
}

function messageOf(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
