// SPDX-License-Identifier: Apache-2.0
import { approvalsOf } from './follow-approvals.ts';
import type { ApprovalsApi } from './generated/api-groups.ts';
import type { Approval } from './generated/types.ts';
import { listed, type ServerEvent } from './answers.ts';
import { sleep } from './platform.ts';

const approval = (approval_id: string, state = 'ready', effect_digest: string | null = null, round = 1): Approval =>
  ({ approval_id, of: 'effect', binding: { effect_digest }, preview: { state, round } }) as Approval;

/** An API in memory: what waits, and the streams of events that are open. */
class FakeApi {
  waiting: Approval[] = [];
  isStreaming = true;
  lists = 0;
  opened = 0;
  closed = 0;
  readonly decided: unknown[] = [];
  #send: (event: ServerEvent) => void = () => undefined;

  readonly client = approvalsOf({
    approvals: {
      list: () => {
        this.lists += 1;
        return listed(async () => ({ items: [...this.waiting], next_cursor: null }));
      },
      approve: async (id: string, body: unknown) => this.decided.push([id, body]),
      deny: async (id: string, body: unknown) => this.decided.push([id, body]),
    } as unknown as ApprovalsApi,
    events: { follow: (_query, options) => this.#follow(options?.signal as AbortSignal) },
    // A thousandth of each pause: what is tested is what happens, and not when.
    platform: { chance: () => 0, sleep: (ms, signal) => sleep(ms / 1_000, signal) },
  });

  add(...approvals: Approval[]): void {
    this.waiting.push(...approvals);
    this.#send({ event: 'operation', data: { approval_id: approvals[0]?.approval_id }, id: null });
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<ServerEvent, void, undefined> {
    this.opened += 1;
    if (!this.isStreaming) throw new Error('no stream');
    try {
      yield { event: 'ready', data: {}, id: null };
      for (;;) {
        yield await new Promise<ServerEvent>((resolve, reject) => {
          this.#send = resolve;
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      }
    } finally {
      this.closed += 1;
    }
  }
}

const idsOf = async (api: FakeApi, count: number, onEach: (approval: Approval) => void = () => undefined) => {
  const ids: string[] = [];
  for await (const one of api.client.pending()) {
    ids.push(one.approval_id);
    if (ids.length === count) break;
    onEach(one);
  }
  return ids;
};

it('gives what waits and what comes, each once, and closes its stream when it is left', async () => {
  const api = new FakeApi();
  api.waiting = [approval('a'), approval('b')];
  expect(
    await idsOf(api, 3, ({ approval_id }) => approval_id === 'b' && setTimeout(() => api.add(approval('c')), 20)),
  ).toEqual(['a', 'b', 'c']);
  expect([api.opened, api.closed]).toEqual([1, 1]);
});

it('gives an approval when its preview has ended, and again when another effect waits', async () => {
  const api = new FakeApi();
  api.waiting = [approval('a', 'running')];
  setTimeout(() => (api.waiting = [approval('a', 'ready', 'one')]), 30);
  expect(await idsOf(api, 2, () => (api.waiting = [approval('a', 'ready', 'two', 2)]))).toEqual(['a', 'a']);
});

it('goes on by lists alone while there is no stream, and opens it again', async () => {
  const api = new FakeApi();
  api.isStreaming = false;
  setTimeout(() => api.waiting.push(approval('a')), 30);
  expect(await idsOf(api, 1)).toEqual(['a']);
  expect(api.opened).toBeGreaterThan(1);
});

it("ends with the caller's reason", async () => {
  const api = new FakeApi();
  const stop = new AbortController();
  const left = (async () => {
    for await (const one of api.client.pending({ signal: stop.signal })) throw new Error(one.approval_id);
  })();
  setTimeout(() => stop.abort(new Error('enough')), 20);
  await expect(left).rejects.toThrow('enough');
  expect(api.closed).toBe(1);
});

it('approves what an approval shows, and by an id what the body says', async () => {
  const { client, decided } = new FakeApi();
  await client.approve(approval('a', 'ready', 'digest'), { comment: 'well' });
  await client.approve(approval('b'));
  await client.approve('c', { comment: 'by id' });
  await client.deny(approval('d', 'ready', 'digest'), { comment: 'no' });
  expect(decided).toEqual([
    ['a', { effect_digest: 'digest', comment: 'well' }],
    ['b', {}],
    ['c', { comment: 'by id' }],
    ['d', { comment: 'no' }],
  ]);
});
