// SPDX-License-Identifier: Apache-2.0
import { performance } from 'node:perf_hooks';
import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { MailboxError } from './mailbox-error.ts';
import type { FromThread, SessionDone, ToThread } from './session-messages.ts';

type Done = (error?: Error | null) => void;

/** A connection as a thread has it: its bytes come and go over a port, at whose other end is a `ConnectionRelay`. */
export class PortConnection extends Duplex {
  readonly #port: MessagePort;
  readonly #opened = performance.eventLoopUtilization();
  /** bytes that were received, and wait to be read */
  #unread = 0;
  #announced: ((may: boolean) => void) | null = null;

  constructor(port: MessagePort) {
    super({ allowHalfOpen: false });
    this.#port = port;
    port.on('message', (message: ToThread) => this.#receive(message));
    port.on('close', () => this.destroy());
    // What goes wrong is told by the session; an error event without a listener would end the thread.
    this.on('error', () => undefined);
    this.#post({ kind: 'open' });
  }

  /** Asks whether a message may be stored, right before it is sent. */
  announce(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#announced = resolve;
      this.#post({ kind: 'announce' });
    });
  }

  override _read(): void {
    if (this.#unread === 0) return;
    this.#post({ kind: 'consumed', bytes: this.#unread });
    this.#unread = 0;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#post({ kind: 'bytes', bytes: Uint8Array.from(bytes) });
    done();
  }

  override _final(done: Done): void {
    this.#post({ kind: 'end' });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#announced?.(false);
    this.#port.close();
    done(error);
  }

  #receive(message: ToThread): void {
    if (message.kind === 'ping')
      this.#post({ kind: 'pong', busyMs: performance.eventLoopUtilization(this.#opened).active });
    else if (message.kind === 'announced') this.#announced?.(message.may);
    else if (message.kind === 'end') this.push(null);
    else if (message.kind === 'broken') this.destroy(new Error('the connection broke'));
    else {
      this.#unread += message.bytes.length;
      if (this.push(message.bytes)) this._read();
    }
  }

  #post(message: FromThread): void {
    this.#port.postMessage(message);
  }
}

/** Runs a session in a thread, over the connection at the other end of a port. */
export async function sessionInThread<T>(
  port: MessagePort,
  run: (connection: PortConnection) => Promise<T>,
): Promise<SessionDone<T>> {
  const connection = new PortConnection(port);
  try {
    return { value: await run(connection) };
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    const { reason, message, mayHaveStored } = error;
    return { failed: { reason, message, mayHaveStored } };
  } finally {
    connection.destroy();
  }
}
