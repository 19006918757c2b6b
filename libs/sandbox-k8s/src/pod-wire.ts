// SPDX-License-Identifier: Apache-2.0
/**
 * The streams of an attached container over one WebSocket, in Kubernetes' channel protocol: each message begins with a
 * byte that says which stream it belongs to.
 *
 * INVARIANT (sealed voice): the kubelet keeps what a container sends in a file of its node, and not what it receives.
 * So the agent receives a key first, and encrypts all that it sends: outputs and files' contents are on no disk in
 * clear. INVARIANT (back pressure): what is sent counts as taken when the kernel has it, and a wire that is paused
 * reads nothing from its socket, so that neither side makes the other keep what it doesn't read.
 */
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { WebSocket, type RawData } from 'ws';
import { VOICE_KEY_BYTES, voiceOpener } from '@writ/sandbox';
import type { Wire, WireListener } from '@writ/sandbox-host';
import { ApiError } from './api-error.ts';
import { waitForApi } from './api-requests.ts';
import type { KubeApi } from './kube-api.ts';
import { CONTAINER } from './pod-shape.ts';

/** The fifth version can end one stream alone, which nothing here does: servers of either are as good. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

/** One message: what the server reads at once, several times over. */
const MESSAGE_BYTES_MAX = 128 * 1024;
/** What may wait to be sent before the sender is asked to stop. */
const WAITING_BYTES = 256 * 1024;
/** A longer message isn't one of a stream: servers send what they read at once. */
const RECEIVED_BYTES_MAX = 8 * 1024 * 1024;
/** Longer than anybody waits for an attached stream. */
const HANDSHAKE_MS_MAX = 30_000;
/** A pod may wait for its call for hours, and what is between us and it drops connections that are silent. */
const PING_MS = 20_000;
/** Pings without an answer, after which nobody is there. */
const MISSED_MAX = 3;

export class PodWire implements Wire {
  readonly input: Writable;
  /** what the agent must be greeted with before it says anything */
  readonly key = randomBytes(VOICE_KEY_BYTES);
  readonly #socket: WebSocket;
  readonly #pings: NodeJS.Timeout;
  #missed = 0;
  /** why the server says that the stream has ended */
  #status: Error | null = null;

  /**
   * Attaches to the container of a pod that runs. Rejects with ApiError where the server refuses, and with
   * EngineTimeout.
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

  /** Takes over a socket that has just opened: nothing is read until somebody hears. */
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
    // What ends the socket is told to who hears the wire.
    this.input.on('error', () => undefined);
    socket.on('error', (error) => {
      this.#status ??= error;
    });
    this.#pings = setInterval(() => this.#ping(), PING_MS).unref();
    socket.on('pong', () => {
      this.#missed = 0;
    });
  }

  hear({ stdout, stderr, closed }: WireListener): void {
    const open = voiceOpener(this.key);
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
    // A socket that isn't read brings no answers.
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
  const { url, options } = await api.reach(path);
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

/** What the server says at the end: null where all is well. */
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
