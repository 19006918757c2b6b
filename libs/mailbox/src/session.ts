// SPDX-License-Identifier: Apache-2.0
//
// One session over one given connection. INVARIANT (given connection): the client gets a transport that has this one
// connection, so that it opens none. INVARIANT (private first): over `starttls`, the login is sent after a handshake
// with a certificate of the host, or never.
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { ImapFlow, type ImapFlowOptions, type ImapTransport } from 'imapflow';
import type { MailboxSettings } from '@writ/contract';
import { BoundedConnection } from './bounded-connection.ts';
import { failureOf } from './failure-of.ts';
import { MailboxError } from './mailbox-error.ts';

export interface SessionOptions {
  /** Ends the session. */
  readonly signal?: AbortSignal;
  /** For all of the session, in milliseconds. */
  readonly timeoutMs?: number;
  /** PEM certificates of authorities, instead of those of Node.js. They count for STARTTLS alone. */
  readonly authorities?: readonly string[];
}

/** As long as a person waits; fifty messages of a slow server fit. */
const SESSION_MS = 60_000;
/** Received in one session: fifty excerpts with their structures are a tenth of it. */
const RECEIVED_BYTES_MAX = 16 * 1_048_576;
/** A list of two hundred thousand matches. */
const LINE_BYTES_MAX = 2 * 1_048_576;
const LITERAL_BYTES_MAX = 1_048_576;
const RESPONSE_BYTES_MAX = 4 * 1_048_576;
/** A token costs about a hundred bytes of memory. */
const RESPONSE_TOKENS_MAX = 50_000;
/** A server that does not say goodbye is left. */
const LOGOUT_MS = 2_000;

/**
 * Logs in over the connection, runs, and closes the connection in any case.
 *
 * @param connection already private with `tls: 'implicit'`, in clear with `starttls`
 * @throws MailboxError; its cause is the error that the connection broke with, where it did
 */
export async function inSession<T>(
  connection: Duplex,
  settings: MailboxSettings,
  password: string,
  options: SessionOptions,
  run: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const bounded = new BoundedConnection(connection, RECEIVED_BYTES_MAX);
  // An error event without a listener ends the process, and the other side can cause one at any time.
  bounded.on('error', () => undefined);
  const client = new ImapFlow(clientOptions(bounded, settings, password, options));
  // What ends a session for its size is told here alone; the command then fails for want of a connection.
  let first: unknown;
  client.on('error', (error) => (first ??= error));
  const deadline = new Deadline(options);
  try {
    return await deadline.race(async () => {
      verifySendable(settings.username, password);
      await client.connect();
      const result = await run(client);
      await leave(client);
      return result;
    });
  } catch (error) {
    const failure = failureOf(error);
    throw withCause(
      failure.reason === 'unreachable' && first !== undefined ? failureOf(first) : failure,
      bounded.errored,
    );
  } finally {
    deadline.clear();
    client.close();
    bounded.destroy();
  }
}

/** The reason that the connection broke with says more than what the client saw of it. */
function withCause(error: MailboxError, broken: Error | null): MailboxError {
  if (broken === null || error.reason === 'timeout' || error.reason === 'tls') return error;
  const { mayHaveStored } = error;
  return broken instanceof MailboxError
    ? new MailboxError(broken.reason, broken.message, { mayHaveStored })
    : new MailboxError('unreachable', 'the connection to the server broke off', { mayHaveStored, cause: broken });
}

/** NUL and line breaks can't be sent in a command (RFC 3501, section 9), and nobody's password has one. */
function verifySendable(...texts: readonly string[]): void {
  if (texts.some((text) => /[\u0000\r\n]/.test(text)))
    throw new MailboxError('auth', 'the user name or the password has a line break or a NUL');
}

async function leave(client: ImapFlow): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, LOGOUT_MS)));
  await Promise.race([client.logout().catch(() => undefined), over]);
  clearTimeout(timer);
}

/** Ends what takes too long, or what the caller gives up. */
class Deadline {
  readonly #signal: AbortSignal;
  #stop: () => void = () => undefined;

  constructor({ signal, timeoutMs = SESSION_MS }: SessionOptions) {
    this.#signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
  }

  async race<T>(run: () => Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#stop = () => reject(new MailboxError('timeout', 'the server did not answer in time'));
    this.#signal.addEventListener('abort', this.#stop, { once: true });
    if (this.#signal.aborted) this.#stop();
    return await Promise.race([promise, run()]);
  }

  clear(): void {
    this.#signal.removeEventListener('abort', this.#stop);
  }
}

function clientOptions(
  bounded: BoundedConnection,
  { host, port, tls, username }: MailboxSettings,
  password: string,
  { authorities, timeoutMs = SESSION_MS }: SessionOptions,
): ImapFlowOptions {
  return {
    host,
    port,
    secure: tls === 'implicit',
    ...(tls === 'implicit' ? {} : { doSTARTTLS: true }),
    auth: { user: username, pass: password },
    transport: givenTransport(bounded, host, authorities),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    logger: false,
    clientInfo: { name: 'writ', version: false, vendor: false, 'support-url': false },
    // Nothing runs beside what is asked, and the bounds below count what really arrives.
    disableAutoIdle: true,
    disableCompression: true,
    disableAutoEnable: true,
    disableIMAP4rev2: true,
    disableBinary: true,
    maxLineLength: LINE_BYTES_MAX,
    maxLiteralSize: LITERAL_BYTES_MAX,
    maxResponseSize: RESPONSE_BYTES_MAX,
    maxResponseTokens: RESPONSE_TOKENS_MAX,
  };
}

function givenTransport(bounded: BoundedConnection, host: string, authorities?: readonly string[]): ImapTransport {
  return {
    connect: (_options, onConnect) => {
      setImmediate(onConnect);
      return bounded;
    },
    upgrade: (socket, _options, onSecure) =>
      connectTls(
        {
          socket,
          host,
          // A name of a server is no address (RFC 6066, section 3); `host` is what the certificate has to name.
          ...(isIP(host) === 0 ? { servername: host } : {}),
          ...(authorities === undefined ? {} : { ca: [...authorities] }),
          rejectUnauthorized: true,
          minVersion: 'TLSv1.2',
        },
        onSecure,
      ),
  };
}
