// SPDX-License-Identifier: Apache-2.0
import { createParser } from 'eventsource-parser';
import type { ServerEvent } from './answers.ts';

/** Chunks of bytes as events. An event without its blank line at the end is dropped, as the standard says. */
export class EventReader {
  readonly #events: ServerEvent[] = [];
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: ({ event = 'message', data, id }) => this.#events.push({ event, data: parsed(data), id: id ?? null }),
  });

  /** The events that this chunk completes. */
  read(chunk: Uint8Array): ServerEvent[] {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    return this.#events.splice(0);
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}

/** The chunks of an answer's body. Closes the connection when the reader stops. */
export async function* chunksOf(answer: Response): AsyncGenerator<Uint8Array, void, undefined> {
  if (answer.body === null) return;
  const reader = answer.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // It may have ended already, or failed: the reader has that error.
    await reader.cancel().catch(() => undefined);
  }
}

/** The events of an answer, until it ends. */
export async function* eventsOf(answer: Response): AsyncGenerator<ServerEvent, void, undefined> {
  const events = new EventReader();
  for await (const chunk of chunksOf(answer)) yield* events.read(chunk);
}
