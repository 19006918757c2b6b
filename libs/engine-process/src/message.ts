// SPDX-License-Identifier: Apache-2.0
//
// Messages between a service and an engine: on the engine's standard input and output, since neither needs a socket.
// Each has a header of two lengths (unsigned, 32 bits, little-endian): of its JSON, and of the bytes after it.

const HEADER_BYTES = 8;

export function encodeMessage(json: object, bytes: Uint8Array = new Uint8Array()): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(json));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(text.length, 0);
  header.writeUInt32LE(bytes.length, 4);
  return [header, text, bytes];
}

/** A message that was received: its JSON as text, since the peer may be hostile. */
export interface ReceivedMessage {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Assembles messages from the parts of a stream. */
export class MessageReader {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  /** @param bytesMax of one message; a longer one is an error before it is kept */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The messages that end in this part. @throws Error for one that is too long */
  push(part: Uint8Array): ReceivedMessage[] {
    this.#parts.push(part);
    this.#length += part.length;
    const messages: ReceivedMessage[] = [];
    for (let message = this.#take(); message !== null; message = this.#take()) messages.push(message);
    return messages;
  }

  #take(): ReceivedMessage | null {
    if (this.#length < HEADER_BYTES) return null;
    const head = this.#joined(HEADER_BYTES);
    const textLength = head.readUInt32LE(0);
    const total = HEADER_BYTES + textLength + head.readUInt32LE(4);
    if (total > this.#bytesMax) throw new Error(`a message has ${total} bytes, and ${this.#bytesMax} are allowed`);
    if (this.#length < total) return null;
    const whole = this.#joined(total);
    this.#parts = whole.length > total ? [whole.subarray(total)] : [];
    this.#length -= total;
    return {
      text: whole.toString('utf8', HEADER_BYTES, HEADER_BYTES + textLength),
      bytes: whole.subarray(HEADER_BYTES + textLength, total),
    };
  }

  /** The first bytes in one buffer, which has at least that many. Joins only when they are in several parts. */
  #joined(length: number): Buffer {
    const [first] = this.#parts;
    if (first === undefined || first.length < length) this.#parts = [Buffer.concat(this.#parts)];
    const { buffer, byteOffset, byteLength } = this.#parts[0] as Uint8Array;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}

/** Its starter bounds what it sends; this is the most that a message can say. */
const REQUEST_BYTES_MAX = 2 ** 31;

/** For an engine: the requests on its standard input. It ends when nobody waits for replies any more. */
export async function* requestsOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedMessage> {
  const reader = new MessageReader(REQUEST_BYTES_MAX);
  for await (const part of input) yield* reader.push(part);
}

/** For an engine: writes a reply to its standard output. */
export function sendReply(output: { write(part: Uint8Array): unknown }, json: object, bytes?: Uint8Array): void {
  for (const part of encodeMessage(json, bytes)) output.write(part);
}
