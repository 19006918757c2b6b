// SPDX-License-Identifier: Apache-2.0
import { StreamableHTTPClientTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';

/** A server that asks for more gets no answer any more. */
const ANSWERS_MAX = 8;

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** The SDK's transport, which tells when an answer can't come any more: the SDK alone would wait for its timeout. */
export class SessionTransport extends StreamableHTTPClientTransport {
  readonly #notices = new Set<Promise<void>>();
  #sends = 0;
  #answers = 0;
  /** called when the stream ended that an answer was to come in */
  onStreamEnd: () => void = () => undefined;

  /** How many messages were sent. */
  get sends(): number {
    return this.#sends;
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    const isAnswer = !Array.isArray(message) && !('method' in message);
    if (isAnswer && (this.#answers += 1) > ANSWERS_MAX) return;
    this.#sends += 1;
    const isRequest = !Array.isArray(message) && 'method' in message && 'id' in message;
    const sending = super.send(
      message,
      isRequest ? { ...options, onRequestStreamEnd: () => this.onStreamEnd() } : options,
    );
    if (!isRequest) this.#note(sending);
    await sending;
  }

  /** Resolves when what needs no answer is sent, such as that a request was given up. It never rejects. */
  async settle(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    await Promise.race([Promise.allSettled(this.#notices), over]);
    clearTimeout(timer);
  }

  #note(sending: Promise<void>): void {
    const noted = sending.catch(() => undefined).finally(() => this.#notices.delete(noted));
    this.#notices.add(noted);
  }
}
