// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { parseMessage } from '@writ/contract';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { Type } from 'typebox';
import { CliError } from './cli-error.ts';
import type { Client } from './http/client.ts';
import { parseRunEvent, type RunEvent } from './run-schemas.ts';

const Ended = Type.Object({ reason: Type.String() });

/** The pause before a reconnect. */
const RECONNECT_MS = 1_000;
/** Consecutive connections without an event: about a minute without the API. Then a person has to look. */
const EMPTY_CONNECTIONS_MAX = 60;

/** The state of a stream while it is read. */
interface StreamState {
  /** the last durable event that was yielded; the next connection begins after it */
  after: number;
  hasNewEvent: boolean;
  ended: boolean;
}

/**
 * The events of a run up to its end, over as many connections as needed. Durable events come once and in order. Live
 * events can be missed when a connection breaks.
 * @param options the last durable event that the caller already has, and the pause before a reconnect in milliseconds
 * @throws CliError where the API refuses the request, or doesn't answer for a minute
 */
export async function* followRun(
  client: Client,
  runId: string,
  { after = 0, pauseMs = RECONNECT_MS }: { readonly after?: number; readonly pauseMs?: number } = {},
): AsyncGenerator<RunEvent> {
  const reading: StreamState = { after, hasNewEvent: false, ended: false };
  for (let emptyConnections = 0; ; emptyConnections = reading.hasNewEvent ? 0 : emptyConnections + 1) {
    reading.hasNewEvent = false;
    try {
      yield* readConnection(client, runId, reading);
    } catch (error) {
      if (!isConnectionError(error) || emptyConnections >= EMPTY_CONNECTIONS_MAX) throw error;
    }
    if (reading.ended) return;
    await delay(pauseMs);
  }
}

/**
 * Long connections break sooner or later (`fetch` throws `TypeError: terminated`). An API that restarts doesn't answer
 * for a while.
 */
function isConnectionError(error: unknown): boolean {
  if (error instanceof CliError) return error.code === 'http';
  return (error as { name?: unknown }).name === 'TypeError';
}

async function* readConnection(client: Client, runId: string, reading: StreamState): AsyncGenerator<RunEvent> {
  const abort = new AbortController();
  const headers = {
    accept: 'text/event-stream',
    ...(reading.after === 0 ? {} : { 'last-event-id': String(reading.after) }),
  };
  const answer = await client.request(`/v1/runs/${encodeURIComponent(runId)}/events`, {
    headers,
    signal: abort.signal,
  });
  if (answer.body === null) throw new CliError('answer', 'the stream of events has no body');
  try {
    for await (const message of answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())) {
      if (isEndOfConnection(message)) return;
      const event = eventOf(message, reading);
      if (event === null) continue;
      yield event;
      if (event.kind === 'ended') return;
    }
  } finally {
    abort.abort();
  }
}

/** Whether the message ends the connection. @throws CliError where a new connection would be refused */
function isEndOfConnection({ event, data }: EventSourceMessage): boolean {
  if (event !== 'end' && event !== 'cut') return false;
  const { reason } = parseMessage(Ended, JSON.parse(data));
  if (reason === 'auth')
    throw new CliError('auth.invalid', "the key is good no more, so the run can't be followed; it goes on");
  return true;
}

/** The event, unless it was yielded before. */
function eventOf({ id, event, data }: EventSourceMessage, reading: StreamState): RunEvent | null {
  const seq = id === undefined || id === '' ? null : Number(id);
  if (seq !== null && seq <= reading.after) return null;
  const parsed = parseRunEvent(event ?? '', data);
  if (seq !== null) {
    reading.after = seq;
    reading.hasNewEvent = true;
  }
  if (parsed?.kind === 'ended') reading.ended = true;
  return parsed;
}
