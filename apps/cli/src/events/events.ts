// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { parseMessage } from '@writ/contract';
import { Command } from 'commander';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { Type, type Static } from 'typebox';
import { CliError } from '../cli-error.ts';
import { showItem, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, queryOf } from '../http/lists.ts';
import { momentOf, paintState } from '../terminal.ts';
import { visibleLine } from '../visible.ts';

const orNull = Type.Union([Type.String(), Type.Null()]);
const OperationEvent = Type.Object({
  operation_id: Type.String(),
  state: Type.String(),
  agent_id: orNull,
  tool_id: orNull,
  approval_id: orNull,
  fault_code: orNull,
  resolution: orNull,
  at: Type.Union([Type.Integer(), Type.Null()]),
});
type OperationEvent = Static<typeof OperationEvent>;
const Ended = Type.Object({ reason: Type.String() });

interface EventsOptions extends CommonOptions {
  readonly count?: number;
  readonly for?: number;
}

/** The pause before a reconnect. */
const RECONNECT_MS = 1_000;

/**
 * `writ events`: runs until it is stopped, or has printed the requested number. With `--json`, one line of JSON per
 * event.
 */
export function eventsCommand(context: Context): Command {
  const command = new Command('event')
    .description('follow changes of operations as they happen')
    .option('--count <n>', 'end after this many events', parseCount)
    .option('--for <seconds>', 'end after this time', parseCount);
  return command.action(async () => {
    const options = command.optsWithGlobals<EventsOptions>();
    const { client } = connect(context, options, 'admin');
    let left = options.count ?? Infinity;
    const until = options.for === undefined ? null : performance.now() + options.for * 1_000;
    for (;;) {
      const result = await follow(client, context, options, { left, until });
      left -= result.told;
      if (left <= 0 || result.reason === 'asked' || (until !== null && performance.now() >= until)) return;
      context.writeError(`${visibleLine(result.reason)}; connecting again: what happens meanwhile is not shown\n`);
      await delay(RECONNECT_MS);
    }
  });
}

interface Bounds {
  readonly left: number;
  /** by the monotonic clock, in milliseconds */
  readonly until: number | null;
}

/**
 * Follows one connection to its end. Returns how many events it printed, and why it ended.
 * @throws CliError where the API refuses it or doesn't answer
 */
async function follow(
  client: Client,
  context: Context,
  options: EventsOptions,
  { left, until }: Bounds,
): Promise<{ told: number; reason: string }> {
  const for_ms = until === null ? undefined : Math.max(0, Math.ceil(until - performance.now()));
  const abort = new AbortController();
  const answer = await client.request(`/v1/events${queryOf({ for_ms })}`, {
    headers: { accept: 'text/event-stream' },
    signal: abort.signal,
  });
  if (answer.body === null) throw new CliError('answer', 'the stream of events has no body');
  let printed = 0;
  try {
    for await (const message of answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())) {
      const reason = endReasonOf(message);
      if (reason !== null) return { told: printed, reason };
      if (message.event !== 'operation') continue;
      printEvent(context, options, parseMessage(OperationEvent, JSON.parse(message.data)));
      if (++printed >= left) return { told: printed, reason: 'asked' };
    }
    return { told: printed, reason: 'the stream ended' };
  } catch (error) {
    // Long connections break sooner or later: `fetch` throws `TypeError: terminated`. A malformed message is another
    // error.
    if ((error as { name?: unknown }).name === 'TypeError') return { told: printed, reason: 'the connection broke' };
    throw error;
  } finally {
    abort.abort();
  }
}

function endReasonOf({ event, data }: EventSourceMessage): string | null {
  return event === 'end' || event === 'cut' ? parseMessage(Ended, JSON.parse(data)).reason : null;
}

function printEvent(context: Context, options: CommonOptions, event: OperationEvent): void {
  showItem(context, options, event, () => lineOf(event));
}

function lineOf(event: OperationEvent): string {
  const more = [
    event.fault_code,
    event.resolution === null ? null : `resolved: ${event.resolution}`,
    event.state === 'held' ? event.approval_id : null,
  ].filter((each) => each !== null);
  return `${event.at === null ? '' : `${momentOf(event.at)} `}${visibleLine(event.operation_id)} ${visibleLine(event.tool_id ?? '')} ${paintState(visibleLine(event.state))}${more.map((each) => ` ${visibleLine(each)}`).join('')}`;
}
