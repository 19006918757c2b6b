// SPDX-License-Identifier: Apache-2.0
import type { Api, JsonValue } from '@writ/stack';

/** An event of a stream of output. */
export interface OutputMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: JsonValue;
}

/** Follows the output of an operation to its end, or until `enough` is true for an event. */
export async function followOutput(
  by: Api,
  operationId: string,
  {
    after,
    query = 'follow',
    enough = () => false,
  }: { after?: string; query?: string; enough?: (message: OutputMessage) => boolean } = {},
): Promise<OutputMessage[]> {
  const abort = new AbortController();
  const answer = await fetch(`${by.url}/v1/operations/${operationId}/output?${query}`, {
    headers: { authorization: `Bearer ${by.key ?? ''}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal: abort.signal,
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const messages: OutputMessage[] = [];
  let text = '';
  try {
    for await (const bytes of answer.body!) {
      text += Buffer.from(bytes as Uint8Array).toString('utf8');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const event = field('event');
        if (event === undefined) continue;
        messages.push({ id: field('id') ?? null, event, data: JSON.parse(field('data') ?? 'null') as JsonValue });
        if (enough(messages.at(-1)!)) return messages;
      }
    }
    return messages;
  } finally {
    abort.abort();
  }
}

/** The text that the events show. */
export const shownText = (messages: readonly OutputMessage[]): string =>
  messages
    .filter(({ event }) => event === 'output')
    .map(({ data }) => data['text'] as string)
    .join('');
