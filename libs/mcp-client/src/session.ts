// SPDX-License-Identifier: Apache-2.0
//
// One session with a server, in a thread. INVARIANT (no capabilities): the client declares none, so that a server has
// nothing to ask of it: no sampling, no elicitation, no files. A call alone declares those that it was decided with.
import type { MessagePort } from 'node:worker_threads';
import type { McpAbout, McpInput } from '@writ/contract';
import {
  Client,
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { failureOf } from './failure-of.ts';
import { McpError, type Redact } from './mcp-error.ts';
import { PortFetch } from './port-fetch.ts';
import { capabilitiesOf } from './server-question.ts';
import { SessionTransport } from './session-transport.ts';
import { LineTransport } from './stdio/line-transport.ts';
import type { ListWork, SessionDone } from './session-work.ts';

/** It is never resolved: the relay has the address. */
const NO_ADDRESS = new URL('http://server.invalid/');
/** As much as the contract has room for. */
const ABOUT_CHARS_MAX = 128;
/** As much as a report of a listing has room for. */
const MESSAGE_CHARS_MAX = 2_048;
const CLIENT = { name: 'writ', version: '1' };
/** An answer that has come is read within this time after its end. */
const SETTLED_MS = 200;
/** A server that takes no notice of the end is left. */
const GOODBYE_MS = 1_000;
/** As long as a connection that breaks is worth waiting for. */
const RECONNECTION = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};
/** Results are checked by the pinned schema, and by nothing that compiles a server's schemas to code. */
const UNCHECKED = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
};
/** A program of the older revision may leave the first question unanswered, and is asked in its words then. */
const PROBE_MS = 10_000;
type Validate = (value: unknown) => { readonly value: unknown };
/** Takes any result: it is read by whoever asked. */
const ANY = { '~standard': { version: 1 as const, vendor: 'writ', validate: ((value) => ({ value })) as Validate } };

/** A connected session. */
export class Session {
  readonly #link: PortFetch | LineTransport;
  readonly #work: ListWork;
  readonly #until: AbortSignal;
  /** removes secret values from what the server says */
  readonly redact: Redact;
  #client: Client | null = null;
  #transport: SessionTransport | null = null;
  #broken = Promise.withResolvers<never>();
  /** advances when a wait begins and when it ends: what ended in another one, or between two, breaks none off */
  #generation = 0;
  #isLegacy = false;
  /** what went wrong beside an answer, such as an event that is no JSON */
  #strange: Error | null = null;
  #wantsMore = false;

  constructor(link: PortFetch | LineTransport, work: ListWork, until: AbortSignal, redact: Redact) {
    this.#link = link;
    this.#work = work;
    this.#until = until;
    this.redact = redact;
    // Of a stream the transport knows whether it goes on elsewhere.
    if (link instanceof PortFetch) link.onEnd = (isStream) => isStream || this.#ended(false);
  }

  /** Whether the server speaks the revision 2025-11-25. */
  get isLegacy(): boolean {
    return this.#isLegacy;
  }

  /** What the server declares that it can do, since the session is connected. */
  get capabilities(): Readonly<Record<string, unknown>> {
    return { ...this.#client?.getServerCapabilities() };
  }

  /** What the server says about itself. */
  get about(): McpAbout {
    const { name = '', version = '' } = this.#client?.getServerVersion() ?? {};
    const said = (text: string): string =>
      this.redact(text.replaceAll(/\p{C}/gu, '')).slice(0, ABOUT_CHARS_MAX).toWellFormed();
    return {
      protocol: said(this.#client?.getNegotiatedProtocolVersion() ?? '').slice(0, 32),
      name: said(name),
      version: said(version),
    };
  }

  /** Negotiates a revision. A session that was connected before is forgotten. */
  async connect(): Promise<void> {
    await this.#client?.close().catch(() => undefined);
    const client = new Client(CLIENT, {
      capabilities: {},
      versionNegotiation: {
        mode: 'auto',
        ...(this.#link instanceof LineTransport ? { probe: { timeoutMs: PROBE_MS } } : {}),
      },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: UNCHECKED,
    });
    client.onerror = (error) => (this.#strange ??= error);
    client.fallbackRequestHandler = ({ method }) => {
      this.#wantsMore ||= method !== 'ping';
      return Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found'));
    };
    this.#client = client;
    const transport = this.#transportOver(this.#link);
    const prior = this.#work.isLegacy ? { prior: { kind: 'legacy' as const } } : {};
    await this.#run(() => client.connect(transport, { ...this.#options(), ...prior }));
    this.#isLegacy = client.getProtocolEra() !== 'modern';
  }

  #transportOver(link: PortFetch | LineTransport): SessionTransport | LineTransport {
    if (link instanceof LineTransport) return link;
    const transport = new SessionTransport(NO_ADDRESS, { fetch: link.fetch, reconnectionOptions: RECONNECTION });
    transport.onStreamEnd = () => this.#ended(true);
    this.#transport = transport;
    return transport;
  }

  /**
   * The result of a request, as it came. A reply that asks for input is one, too.
   * @param input null: the server may ask for nothing, and its question is an error
   */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    input: McpInput | null = null,
  ): Promise<unknown> {
    const client = this.#connected();
    const sent = { method, params: { ...params, ...this.#inputIn(input) } };
    return await this.#run(() => client.request(sent, ANY, { ...this.#options(), ...this.#questionsOf(input) }));
  }

  /**
   * Calls the tool. A reply that asks for input is returned as it came.
   * @param inputSchema of its definition: it may say which arguments are repeated in headers
   * @param input null: the server may ask for nothing, and its question is an error
   */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    inputSchema: Readonly<Record<string, unknown>>,
    input: McpInput | null,
  ): ReturnType<Client['callTool']> {
    const client = this.#connected();
    // INVARIANT (sent once): with a definition of its caller the SDK repeats no call for the sake of its headers.
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
    const params = { name, arguments: { ...args }, ...this.#inputIn(input) };
    return await this.#run(() =>
      client.callTool(params, { ...this.#options(), toolDefinition, ...this.#questionsOf(input) }),
    );
  }

  /** The option by which the SDK returns a question. */
  #questionsOf(input: McpInput | null): { readonly allowInputRequired?: true } {
    return input === null || this.#isLegacy ? {} : { allowInputRequired: true };
  }

  /** In the revision 2025-11-25 a server asks within a session, and calls have none. */
  #inputIn(input: McpInput | null): Readonly<Record<string, unknown>> {
    const { responses, state } = input ?? {};
    const answers = {
      ...(responses === undefined ? {} : { inputResponses: responses }),
      ...(state === undefined ? {} : { requestState: state }),
    };
    if (this.#isLegacy && Object.keys(answers).length > 0)
      throw new McpError('unsupported', 'the server asked in a newer revision of MCP than it speaks now');
    if (input === null || this.#isLegacy) return {};
    return { _meta: { [CLIENT_CAPABILITIES_META_KEY]: capabilitiesOf(input) }, ...answers };
  }

  /** Whether an error says that the server doesn't know the session any more. */
  isLost(error: unknown): boolean {
    return error instanceof SdkHttpError && error.status === 404 && this.#transport?.sessionId !== undefined;
  }

  /** What the session failed with, by the words that say most. */
  failure(error: unknown): McpError {
    const failure =
      error instanceof McpError
        ? error
        : (this.#timedOut(error) ?? this.#link.failure ?? failureOf(error, this.redact));
    const isAnswer = failure.reason === 'refused' || failure.reason === 'failed';
    // INVARIANT (a program's word proves nothing): it reads lines as they come, and may have done anything before.
    if (failure.reason === 'refused' && this.#link instanceof LineTransport && !this.#wantsMore)
      return new McpError('failed', failure.message, { cause: failure });
    return this.#wantsMore && isAnswer
      ? new McpError('unsupported', 'the server asked its client for more than is supported, and then failed', {
          cause: failure,
        })
      : failure;
  }

  /** Says goodbye where the server has a session, and ends it. */
  async close(): Promise<void> {
    const transport = this.#transport;
    await transport?.settle(GOODBYE_MS);
    if (this.#work.methods.includes('DELETE') && transport?.sessionId !== undefined) {
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
      await Promise.race([transport.terminateSession().catch(() => undefined), over]);
      clearTimeout(timer);
    }
    await this.#client?.close().catch(() => undefined);
  }

  #connected(): Client {
    if (this.#client === null) throw new Error('the session is not connected');
    return this.#client;
  }

  #options(): { readonly signal: AbortSignal; readonly timeout: number } {
    return { signal: this.#until, timeout: this.#work.timeoutMs };
  }

  #timedOut(error: unknown): McpError | null {
    return this.#until.aborted || failureOf(error, this.redact).reason === 'timeout'
      ? new McpError('timeout', 'the server did not answer in time', { cause: error })
      : null;
  }

  async #run<T>(start: () => Promise<T>): Promise<T> {
    this.#broken = Promise.withResolvers<never>();
    this.#broken.promise.catch(() => undefined);
    this.#generation += 1;
    try {
      return await Promise.race([start(), this.#broken.promise, this.#over()]);
    } finally {
      this.#generation += 1;
    }
  }

  /** The SDK gives up its requests by the same signal, but not all that it does between them. */
  async #over(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (): void =>
      void setTimeout(() => reject(new McpError('timeout', 'the server did not answer in time')));
    this.#until.addEventListener('abort', stop, { once: true });
    if (this.#until.aborted) stop();
    return await promise;
  }

  /** An answer is complete, and may not be the one that is waited for. */
  #ended(isStream: boolean): void {
    const { sends } = this.#transport ?? { sends: 0 };
    const generation = this.#generation;
    setTimeout(() => {
      if (this.#generation !== generation || this.#transport?.sends !== sends) return;
      this.#broken.reject(
        this.#link.failure ??
          (isStream && this.#strange === null
            ? new McpError('unreachable', 'the server ended its answer early')
            : new McpError('malformed', "the server's answer is none of MCP", { cause: this.#strange ?? undefined })),
      );
    }, SETTLED_MS);
  }
}

/**
 * Runs a session in a thread, over the requests that the other end of the port sends.
 * @param redact removes secret values from what the server says, before it is cut
 */
export async function inSession<T>(
  work: ListWork & { readonly port: MessagePort },
  redact: Redact,
  run: (session: Session) => Promise<T>,
): Promise<SessionDone<T>> {
  const link =
    work.lines === undefined
      ? new PortFetch(work.port, { mayResume: work.methods.includes('GET') })
      : new LineTransport(work.port, work.lines);
  const until = new AbortController();
  const timer = setTimeout(() => until.abort(), work.timeoutMs);
  const session = new Session(link, work, until.signal, redact);
  try {
    return { value: await run(session) };
  } catch (error) {
    const { reason, message } = session.failure(error);
    // Whatever it has of the server's words is redacted by now, or whole.
    return { failed: { reason, message: redact(message).slice(0, MESSAGE_CHARS_MAX).toWellFormed() } };
  } finally {
    await session.close();
    clearTimeout(timer);
    await link.close();
  }
}
