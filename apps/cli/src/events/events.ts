// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { parseMessage } from '@writ/contract';
import { Command } from 'commander';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { Type, type Static } from 'typebox';
import { CliError } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, queryOf } from '../http/lists.ts';
import { momentOf, paintState } from '../terminal.ts';
import { visibleLine } from '../visible.ts';

const orNull = Type.Union([Type.String(), Type.Null()]);
const Told = Type.Object({
  operation_id: Type.String(),
  state: Type.String(),
  agent_id: orNull,
  tool_id: orNull,
  approval_id: orNull,
  fault_code: orNull,
  resolution: orNull,
  at: Type.Union([Type.Integer(), Type.Null()]),
});
type Told = Static<typeof Told>;
const Ended = Type.Object({ reason: Type.String() });

interface EventsOptions extends CommonOptions {
  readonly count?: number;
  readonly for?: number;
}

/** Before it connects again. */
const AGAIN_MS = 1_000;

/**
 * `writ events`: until it is stopped, or has told as much as was asked for. With `--json` a line of JSON for each
 * event.
 */
export function eventsCommand(context: Context): Command {
  const command = new Command('events')
    .description('follow what becomes of operations, as it happens')
    .option('--count <n>', 'end after so many', parseCount)
    .option('--for <seconds>', 'end after so long', parseCount);
  return command.action(async () => {
    const options = command.optsWithGlobals<EventsOptions>();
    const { client } = connect(context, options, 'admin');
    let left = options.count ?? Infinity;
    const until = options.for === undefined ? null : performance.now() + options.for * 1_000;
    for (;;) {
      const heard = await follow(client, context, options, { left, until });
      left -= heard.told;
      if (left <= 0 || heard.reason === 'asked' || (until !== null && performance.now() >= until)) return;
      context.complain(`${visibleLine(heard.reason)}; connecting again: what happens meanwhile is not shown\n`);
      await delay(AGAIN_MS);
    }
  });
}

interface Bounds {
  readonly left: number;
  /** by the monotonic clock, in milliseconds */
  readonly until: number | null;
}

/**
 * Follows one connection to its end: how many it told, and why it ended.
 * @throws CliError where the API refuses it, or isn't there
 */
async function follow(
  client: Client,
  context: Context,
  options: EventsOptions,
  { left, until }: Bounds,
): Promise<{ told: number; reason: string }> {
  const for_ms = until === null ? undefined : Math.max(0, Math.ceil(until - performance.now()));
  const gone = new AbortController();
  const answer = await client.ask(`/v1/events${queryOf({ for_ms })}`, {
    headers: { accept: 'text/event-stream' },
    signal: gone.signal,
  });
  if (answer.body === null) throw new CliError('answer', 'the stream of events has no body');
  let told = 0;
  try {
    for await (const message of answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())) {
      const reason = lastWordsOf(message);
      if (reason !== null) return { told, reason };
      if (message.event !== 'operation') continue;
      tell(context, options, parseMessage(Told, JSON.parse(message.data)));
      if (++told >= left) return { told, reason: 'asked' };
    }
    return { told, reason: 'the stream ended' };
  } catch (error) {
    // A connection that breaks off is what a long one does in the end: fetch says `TypeError: terminated`. What is said
    // wrongly is another error.
    if ((error as { name?: unknown }).name === 'TypeError') return { told, reason: 'the connection broke' };
    throw error;
  } finally {
    gone.abort();
  }
}

function lastWordsOf({ event, data }: EventSourceMessage): string | null {
  return event === 'end' || event === 'cut' ? parseMessage(Ended, JSON.parse(data)).reason : null;
}

function tell(context: Context, { json }: CommonOptions, told: Told): void {
  if (json === true) return context.write(`${JSON.stringify(told)}\n`);
  const more = [
    told.fault_code,
    told.resolution === null ? null : `resolved: ${told.resolution}`,
    told.state === 'held' ? told.approval_id : null,
  ].filter((each) => each !== null);
  context.write(
    `${told.at === null ? '' : `${momentOf(told.at)} `}${visibleLine(told.operation_id)} ${visibleLine(told.tool_id ?? '')} ${paintState(visibleLine(told.state))}${more.map((each) => ` ${visibleLine(each)}`).join('')}\n`,
  );
}
