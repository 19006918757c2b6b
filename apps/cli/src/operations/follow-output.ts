// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { parseMessage } from '@writ/contract';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { Type, type Static } from 'typebox';
import { CliError } from '../cli-error.ts';
import type { Client } from '../http/client.ts';

/** The pause before a reconnect. */
const RECONNECT_MS = 1_000;
/** Consecutive connections without an event: about a minute without the API. Then a person has to look. */
const EMPTY_CONNECTIONS_MAX = 60;

const Ended = Type.Object({ reason: Type.String() });
const Piece = Type.Object({ text: Type.String() });
const Skipped = Type.Object({ from: Type.Integer(), to: Type.Integer() });
const orNull = <T extends import('typebox').TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** How an operation ended, as its stream of output says. */
export const FollowedEnd = Type.Object({
  reason: Type.Literal('ended'),
  state: Type.String(),
  exit_code: orNull(Type.Integer()),
  error: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
  withheld: Type.Boolean(),
});
export type FollowedEnd = Static<typeof FollowedEnd>;

/** Receives what a stream of output shows. */
export interface OutputPrinter {
  output(text: string): void;
  note(text: string): void;
}

/**
 * Follows the output of an operation to its end, over as many connections as needed. Each byte comes once.
 * @throws CliError where the API refuses the request, or doesn't answer for a minute
 */
export async function followOutput(
  client: Client,
  operationId: string,
  printer: OutputPrinter,
  pauseMs: number = RECONNECT_MS,
): Promise<FollowedEnd> {
  const reader = new FollowReader(printer);
  for (let empty = 0; ; empty = reader.tookNews() ? 0 : empty + 1) {
    try {
      const end = await readConnection(client, operationId, reader);
      if (end !== null) return end;
    } catch (error) {
      if (!isConnectionError(error) || empty >= EMPTY_CONNECTIONS_MAX) throw error;
    }
    await delay(pauseMs);
  }
}

/** Long connections break sooner or later (`fetch` throws `TypeError: terminated`). */
function isConnectionError(error: unknown): boolean {
  if (error instanceof CliError) return error.code === 'http';
  return (error as { name?: unknown }).name === 'TypeError';
}

async function readConnection(client: Client, operationId: string, reader: FollowReader): Promise<FollowedEnd | null> {
  const abort = new AbortController();
  const answer = await client.request(`/v1/operations/${encodeURIComponent(operationId)}/output?follow=true`, {
    headers: { accept: 'text/event-stream', ...(reader.lastId === null ? {} : { 'last-event-id': reader.lastId }) },
    signal: abort.signal,
  });
  if (answer.body === null) throw new CliError('answer', 'the stream of output has no body');
  try {
    for await (const message of answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())) {
      const end = reader.read(message);
      if (end !== undefined) return end;
    }
    return null;
  } finally {
    abort.abort();
  }
}

/** Reads the events of a stream over its connections. */
class FollowReader {
  readonly #printer: OutputPrinter;
  #attempts = 0;
  #hasNews = false;
  lastId: string | null = null;

  constructor(printer: OutputPrinter) {
    this.#printer = printer;
  }

  /** Whether something new came since the last time that this was asked. */
  tookNews(): boolean {
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }

  /** Null where the connection ends, but not the operation. @throws CliError where a new connection would be refused */
  read({ id, event, data }: EventSourceMessage): FollowedEnd | null | undefined {
    this.#hasNews = true;
    if (id !== undefined && id !== '') this.lastId = id;
    switch (event) {
      case 'output':
        this.#printer.output(parseMessage(Piece, JSON.parse(data)).text);
        return undefined;
      case 'skipped': {
        const { from, to } = parseMessage(Skipped, JSON.parse(data));
        this.#printer.note(`${to - from} bytes are no longer there to be shown`);
        return undefined;
      }
      case 'attempt':
        if (this.#attempts++ > 0) this.#printer.note('the call begins again from its start, on another executor');
        return undefined;
      case 'withheld':
        this.#printer.note('the call has secrets: its output is shown when it has ended');
        return undefined;
      case 'end':
        return this.#end(data);
      default:
        return undefined;
    }
  }

  #end(data: string): FollowedEnd | null {
    const { reason } = parseMessage(Ended, JSON.parse(data));
    if (reason === 'ended') return parseMessage(FollowedEnd, JSON.parse(data));
    if (reason === 'auth')
      throw new CliError('auth.invalid', "the key is good no more, so the output can't be followed; the call goes on");
    return null;
  }
}
