// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { parseMessage } from '@writ/contract';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { Type } from 'typebox';
import { CliError } from './cli-error.ts';
import type { Client } from './http/client.ts';
import { parseRunEvent, type RunEvent } from './run-shapes.ts';

const Ended = Type.Object({ reason: Type.String() });

/** Before it connects again. */
const AGAIN_MS = 1_000;
/** Connections in a row that told nothing: a minute without the API, after which somebody has to look. */
const SILENT_MAX = 60;

/** What is known of a stream while it is read. */
interface Reading {
  /** the last durable event that was told; the next connection begins after it */
  after: number;
  told: boolean;
  ended: boolean;
}

/**
 * The events of a run up to its end, over as many connections as that takes: what is durable comes once and in order,
 * what is live may be missed where a connection breaks.
 * @param from the last durable event that is known already, and the milliseconds before it connects again
 * @throws CliError for what the API refuses, and where it isn't there for a minute
 */
export async function* followRun(
  client: Client,
  runId: string,
  { after = 0, pauseMs = AGAIN_MS }: { readonly after?: number; readonly pauseMs?: number } = {},
): AsyncGenerator<RunEvent> {
  const reading: Reading = { after, told: false, ended: false };
  for (let silent = 0; ; silent = reading.told ? 0 : silent + 1) {
    reading.told = false;
    try {
      yield* connection(client, runId, reading);
    } catch (error) {
      if (!isOfTheConnection(error) || silent >= SILENT_MAX) throw error;
    }
    if (reading.ended) return;
    await delay(pauseMs);
  }
}

/**
 * A connection that breaks off is what a long one does in the end (fetch says `TypeError: terminated`); an API that
 * restarts doesn't answer for a while.
 */
function isOfTheConnection(error: unknown): boolean {
  if (error instanceof CliError) return error.code === 'http';
  return (error as { name?: unknown }).name === 'TypeError';
}

async function* connection(client: Client, runId: string, reading: Reading): AsyncGenerator<RunEvent> {
  const gone = new AbortController();
  const headers = {
    accept: 'text/event-stream',
    ...(reading.after === 0 ? {} : { 'last-event-id': String(reading.after) }),
  };
  const answer = await client.ask(`/v1/runs/${encodeURIComponent(runId)}/events`, { headers, signal: gone.signal });
  if (answer.body === null) throw new CliError('answer', 'the stream of events has no body');
  try {
    for await (const message of answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())) {
      if (isOver(message)) return;
      const event = eventOf(message, reading);
      if (event === null) continue;
      yield event;
      if (event.kind === 'ended') return;
    }
  } finally {
    gone.abort();
  }
}

/** Last words of a connection. @throws CliError where no other one would be let in */
function isOver({ event, data }: EventSourceMessage): boolean {
  if (event !== 'end' && event !== 'cut') return false;
  const { reason } = parseMessage(Ended, JSON.parse(data));
  if (reason === 'auth')
    throw new CliError('auth.invalid', "the key is good no more, so the run can't be followed; it goes on");
  return true;
}

/** The event, where it is one that was not told before. */
function eventOf({ id, event, data }: EventSourceMessage, reading: Reading): RunEvent | null {
  const seq = id === undefined || id === '' ? null : Number(id);
  if (seq !== null && seq <= reading.after) return null;
  const known = parseRunEvent(event ?? '', data);
  if (seq !== null) {
    reading.after = seq;
    reading.told = true;
  }
  if (known?.kind === 'ended') reading.ended = true;
  return known;
}
