// SPDX-License-Identifier: Apache-2.0
import { eventually, type Api, type JsonValue, type World } from '@writ/stack';
import type { Reply, ScriptedModel } from './scripted-model.ts';

/** An event of a run's stream. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: JsonValue;
}

/** The durable events: a reader that reconnects gets them again. */
export const durable = (received: readonly StreamedEvent[]): StreamedEvent[] =>
  received.filter(({ id }) => id !== undefined);

/** Opens sessions and follows runs of a world, through the API. */
export class RunClient {
  readonly #world: World;
  readonly #model: ScriptedModel;

  constructor(world: World, model: ScriptedModel) {
    this.#world = world;
    this.#model = model;
  }

  async session(over: object = {}, by = this.#world.agent): Promise<JsonValue> {
    return await by.must('/v1/sessions', {
      workspace_id: this.#world.workspaceId,
      capability_token_id: this.#world.tokenId,
      model: 'wire',
      ...over,
    });
  }

  async start(
    sessionId: string,
    input: string,
    script: readonly Reply[],
    over: object = {},
    by = this.#world.agent,
  ): Promise<JsonValue> {
    this.#model.scripts.set(input, script);
    const { status, headers, body } = await by.post(`/v1/sessions/${sessionId}/runs`, { input, ...over });
    expect([status, headers.get('location')]).toEqual([202, `/v1/runs/${body.run_id as string}`]);
    return body;
  }

  async run(runId: string, by: Api = this.#world.admin): Promise<JsonValue> {
    return (await by.get(`/v1/runs/${runId}`)).body;
  }

  async until(runId: string, state: string, by: Api = this.#world.admin): Promise<JsonValue> {
    return await eventually(
      `${runId} ${state}`,
      async () => {
        const now = await this.run(runId, by).catch(() => null);
        return now?.state === state ? (now as JsonValue) : null;
      },
      120_000,
    );
  }

  /** Reads the stream of a run until it ends, or until `enough` returns true for an event. */
  async listen(
    runId: string,
    {
      after,
      enough = () => false,
      by = this.#world.agent,
    }: { after?: number; enough?: (received: StreamedEvent) => boolean; by?: Api } = {},
  ): Promise<StreamedEvent[]> {
    const abort = new AbortController();
    const answer = await fetch(`${by.url}/v1/runs/${runId}/events`, {
      headers: {
        authorization: `Bearer ${by.key ?? ''}`,
        ...(after === undefined ? {} : { 'last-event-id': String(after) }),
      },
      signal: abort.signal,
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const received: StreamedEvent[] = [];
    let text = '';
    try {
      for await (const bytes of answer.body!) {
        text += Buffer.from(bytes as Uint8Array).toString('utf8');
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const field = (name: string) =>
            block
              .split('\n')
              .find((line) => line.startsWith(`${name}: `))
              ?.slice(name.length + 2);
          const event = field('event');
          if (event === undefined) continue;
          received.push({ id: field('id'), event, data: JSON.parse(field('data') ?? 'null') as JsonValue });
          if (enough(received.at(-1)!)) return received;
        }
      }
      return received;
    } finally {
      abort.abort();
    }
  }
}
