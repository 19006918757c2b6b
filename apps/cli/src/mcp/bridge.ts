// SPDX-License-Identifier: Apache-2.0
//
// Passes messages of the Model Context Protocol between a client on standard input and output and the API. It reads
// only what the HTTP transport needs in headers, and decides nothing.

/** How a bridge reaches both sides. */
export interface BridgeEnds {
  /** Posts a message. Resolves with any answer, whatever its status; rejects where there is none. */
  readonly send: (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>;
  /** writes one message, without its newline */
  readonly write: (line: string) => void;
}

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
/** Errors of JSON-RPC: the text is no JSON, and an error of the server. */
const [PARSE_ERROR, SERVER_ERROR] = [-32_700, -32_000];

/** The bridge of one client. Messages are passed on concurrently, so that one that waits holds up no other. */
export class Bridge {
  readonly #ends: BridgeEnds;
  readonly #underWay = new Map<string, AbortController>();
  readonly #pending = new Set<Promise<void>>();
  /** of the revision that `initialize` agreed on; undefined for the stateless one, whose messages say it themselves */
  #version: string | undefined;

  constructor(ends: BridgeEnds) {
    this.#ends = ends;
  }

  /** Takes one message of the client, as a line of JSON. */
  receive(line: string): void {
    const message = parsed(line);
    if (message === null) {
      this.#fail(null, PARSE_ERROR, 'the message is no JSON object');
      return;
    }
    // Over HTTP a request is cancelled by closing it.
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined;
    if (cancelled !== undefined) this.#underWay.get(JSON.stringify(cancelled))?.abort();
    const passing = this.#pass(line, message).finally(() => this.#pending.delete(passing));
    this.#pending.add(passing);
  }

  /** Resolves when every message that was received is answered. */
  async finished(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Ends all requests that are under way. */
  close(): void {
    for (const request of this.#underWay.values()) request.abort();
  }

  async #pass(line: string, message: Message): Promise<void> {
    const { id, method } = message;
    const isRequest = id !== undefined && id !== null && method !== undefined;
    const stop = new AbortController();
    const name = JSON.stringify(id);
    if (isRequest) this.#underWay.set(name, stop);
    try {
      const answer = await this.#ends.send(line, this.#headersOf(message), stop.signal);
      await this.#answered(message, answer, isRequest);
    } catch (error) {
      if (stop.signal.aborted) return;
      const reason = networkReason(error);
      // Any other error is a bug, which must end the program with its trace.
      if (reason === null) throw error;
      if (isRequest) this.#fail(id, SERVER_ERROR, `the API does not answer (${reason}): is it running?`);
    } finally {
      if (isRequest) this.#underWay.delete(name);
    }
  }

  async #answered(message: Message, answer: Response, isRequest: boolean): Promise<void> {
    const type = answer.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) {
      for await (const event of eventsOf(answer)) this.#written(event, message);
      return;
    }
    const text = await answer.text();
    const body = parsed(text);
    // An answer of the protocol, with or without an error.
    if (body !== null && 'jsonrpc' in body) {
      if (isRequest) this.#written(text, message);
      return;
    }
    if (isRequest) {
      const { detail, title, code } = (body ?? {}) as Readonly<Record<string, unknown>>;
      this.#fail(message.id ?? null, SERVER_ERROR, String(detail ?? title ?? `status ${answer.status}`), { code });
    }
  }

  #written(text: string, { id = null, method }: Message): void {
    const message = parsed(text) as { readonly result?: { readonly protocolVersion?: unknown } } | null;
    if (message === null) {
      this.#fail(id, SERVER_ERROR, 'the answer of the API is no JSON object: does a proxy change it?');
      return;
    }
    const version = message.result?.protocolVersion;
    if (method === 'initialize' && typeof version === 'string') this.#version = version;
    // One message a line: JSON needs no newline.
    this.#ends.write(JSON.stringify(message));
  }

  #fail(id: string | number | null, code: number, message: string, data?: unknown): void {
    this.#ends.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
  }

  /** The headers by which the HTTP transport repeats parts of a message. */
  #headersOf({ method, params = {} }: Message): Record<string, string> {
    const meta = (params['_meta'] ?? {}) as Readonly<Record<string, unknown>>;
    const claimed = meta[META_VERSION];
    const version = typeof claimed === 'string' ? claimed : this.#version;
    const name = [params['name'], params['uri'], params['taskId']].find((value) => typeof value === 'string');
    return {
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...(typeof claimed === 'string' && method !== undefined ? { 'mcp-method': headerText(method) } : {}),
      ...(typeof claimed === 'string' && name !== undefined ? { 'mcp-name': headerText(name as string) } : {}),
    };
  }
}

/** Why a request got no whole answer, such as `ECONNREFUSED`; null for an error that is not of the network. */
function networkReason(error: unknown): string | null {
  // `fetch` puts the error of the connection into the cause of its own.
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return null;
  const { code, message } = error.cause as NodeJS.ErrnoException;
  return code ?? message;
}

/** A text as a header's value: one with other characters than visible ASCII is encoded, as the transport says. */
const headerText = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;

function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The data of each event of a stream. */
async function* eventsOf(answer: Response): AsyncGenerator<string> {
  let [rest, data] = ['', [] as string[]];
  const decoder = new TextDecoder();
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(part, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
      if (line !== '' || data.length === 0) continue;
      if (data.join('\n').trim() !== '') yield data.join('\n');
      data = [];
    }
  }
}
