// SPDX-License-Identifier: Apache-2.0
/**
 * The streams of an attached container over one WebSocket, in Kubernetes' channel protocol: the first byte of each
 * message is the number of its stream.
 *
 * INVARIANT (sealed voice): the kubelet logs a container's output to a file of its node, and not its input. So the
 * agent receives a key first, and encrypts everything that it sends. Outputs and contents of files are on no disk in
 * clear.
 * INVARIANT (back pressure): bytes count as sent when the kernel has them, and a paused wire reads nothing from its
 * socket. So neither side makes the other buffer bytes that it doesn't read.
 */
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { WebSocket, type RawData } from 'ws';
import { OUTPUT_KEY_BYTES, outputOpener } from '@writ/sandbox';
import type { Wire, WireListener } from '@writ/sandbox-host';
import { ApiError } from './api-error.ts';
import { waitForApi } from './api-requests.ts';
import type { KubeApi } from './kube-api.ts';
import { CONTAINER } from './pod-shape.ts';

/** The fifth version can also close a single stream, which this driver doesn't use: either version will do. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

/** Bytes of one message: several times as many as the server reads at once. */
const MESSAGE_BYTES_MAX = 128 * 1024;
/** Bytes that may wait before the sender is paused. */
const WAITING_BYTES = 256 * 1024;
/** No message of a stream is longer: servers send the bytes that they read at once. */
const RECEIVED_BYTES_MAX = 8 * 1024 * 1024;
/** Longer than the attachment of a stream takes. */
const HANDSHAKE_MS_MAX = 30_000;
/** A pod may wait for its call for hours, and devices in between drop idle connections. */
const PING_MS = 20_000;
/** Unanswered pings after which the other side counts as gone. */
const MISSED_MAX = 3;

export class PodWire implements Wire {
  readonly input: Writable;
  /** the key in the agent's greeting, which precedes its first message */
  readonly key = randomBytes(OUTPUT_KEY_BYTES);
  readonly #socket: WebSocket;
  readonly #pings: NodeJS.Timeout;
  #missed = 0;
  /** why the stream has ended, from the server */
  #status: Error | null = null;

  /**
   * Attaches to the container of a running pod. Rejects with ApiError where the server refuses, and with EngineTimeout.
   */
  static async attach(api: KubeApi, namespace: string, pod: string): Promise<PodWire> {
    const query = new URLSearchParams({
      container: CONTAINER,
      stdin: 'true',
      stdout: 'true',
      stderr: 'true',
      tty: 'false',
    });
    return await waitForApi(
      api,
      'attach to a pod',
      connect(api, `/api/v1/namespaces/${namespace}/pods/${pod}/attach?${query}`),
      (late) => late.destroy(),
    );
  }

  /** Takes over a socket that has just opened: it reads nothing until there is a listener. */
  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.pause();
    this.input = new Writable({
      highWaterMark: WAITING_BYTES,
      decodeStrings: true,
      write: (chunk: Buffer, _encoding, done) => this.#send([chunk], done),
      writev: (chunks, done) =>
        this.#send(
          chunks.map(({ chunk }) => chunk as Buffer),
          done,
        ),
      destroy: (error, done) => {
        clearInterval(this.#pings);
        socket.terminate();
        done(error);
      },
    });
    // The listener of the wire receives the error that ends the socket.
    this.input.on('error', () => undefined);
    socket.on('error', (error) => {
      this.#status ??= error;
    });
    this.#pings = setInterval(() => this.#ping(), PING_MS).unref();
    socket.on('pong', () => {
      this.#missed = 0;
    });
  }

  listen({ stdout, stderr, closed }: WireListener): void {
    const open = outputOpener(this.key);
    this.#socket.on('message', (data: RawData) => {
      const message = bytesOf(data);
      const bytes = message.subarray(1);
      if (message[0] === STDOUT && bytes.length > 0) stdout(open(bytes));
      else if (message[0] === STDERR && bytes.length > 0) stderr(bytes);
      else if (message[0] === STATUS) this.#status ??= failureOf(bytes);
    });
    this.#socket.once('close', () => {
      this.destroy();
      closed(this.#status);
    });
    this.#socket.resume();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.input.destroy();
  }

  #send(parts: readonly Buffer[], done: (error?: Error | null) => void): void {
    const whole = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    for (let at = 0; at < whole.length; at += MESSAGE_BYTES_MAX) {
      const piece = whole.subarray(at, at + MESSAGE_BYTES_MAX);
      const message = Buffer.allocUnsafe(1 + piece.length);
      message[0] = STDIN;
      message.set(piece, 1);
      this.#socket.send(
        message,
        { binary: true },
        at + MESSAGE_BYTES_MAX >= whole.length ? (error) => done(error) : undefined,
      );
    }
    if (whole.length === 0) done();
  }

  #ping(): void {
    // A paused socket delivers no answers.
    if (this.#socket.isPaused) return;
    this.#missed += 1;
    if (this.#missed > MISSED_MAX) {
      this.#status ??= new Error('the connection to the pod answers no more');
      return void this.#socket.terminate();
    }
    this.#socket.ping();
  }
}

async function connect(api: KubeApi, path: string): Promise<PodWire> {
  const { url, options } = await api.webSocketTarget(path);
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  const socket = new WebSocket(url, PROTOCOLS, {
    ...options,
    perMessageDeflate: false,
    maxPayload: RECEIVED_BYTES_MAX,
    handshakeTimeout: HANDSHAKE_MS_MAX,
  });
  return await new Promise((resolve, reject) => {
    socket.once('open', () => resolve(new PodWire(socket)));
    socket.once('error', reject);
    socket.once('unexpected-response', (request, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body = (body + text).slice(0, MESSAGE_BYTES_MAX);
      });
      response.once('close', () => {
        reject(new ApiError('attach to a pod', response.statusCode ?? 0, body, response.headers['retry-after']));
        request.destroy();
      });
    });
  });
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** The server's status at the end: null for success. */
function failureOf(bytes: Buffer): Error | null {
  try {
    const { status, message } = JSON.parse(bytes.toString('utf8')) as { status?: unknown; message?: unknown };
    return status === 'Success'
      ? null
      : new Error(
          `the attached stream ended: ${typeof message === 'string' ? message.slice(0, 500) : 'no reason is given'}`,
        );
  } catch {
    return null;
  }
}
