// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type OperationId, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { viewOf } from '../specs/fake-views.ts';
import type { ParsedCall } from './parsed-call.ts';
import { ProposeInOrder } from './propose-in-order.ts';

const [tenant_id, agent_id] = [newId('tenant'), newId('agent')];
const caller: Caller = { tenant_id, api_key_id: newId('apiKey'), role: 'agent', agent_id };
const callOf = (tool_id: string, args: Record<string, unknown>): ParsedCall => ({
  v: 1,
  tenant_id,
  agent_id,
  proposed_by: caller.api_key_id,
  tool_id,
  args,
  capability_token_id: 'cap_x',
  workspace_id: 'wsp_x',
  session_id: null,
  session_mode: 'interactive',
  max_autonomy: null,
  task_class: 'general',
  idempotency_key: null,
  precondition_refs: [],
  provenance: {},
  deadline: null,
  dry_run: false,
});
const write = (path: string): ParsedCall => callOf('fs.write', { path, content: '' });
const nameOf = ({ tool_id, args }: ParsedCall): string => String(args['path'] ?? tool_id);

/** Calls that a test lets end, one by one. */
class ManualPropose {
  readonly begun: string[] = [];
  readonly waits: number[] = [];
  now = 0;
  readonly #ends = new Map<
    string,
    { resolve: (view: OperationView) => void; reject: (error: unknown) => void; id: OperationId; call: ParsedCall }
  >();

  run(_caller: Caller, id: OperationId, call: ParsedCall, { waitMs }: { waitMs: number }): Promise<OperationView> {
    this.begun.push(nameOf(call));
    this.waits.push(waitMs);
    return new Promise((resolve, reject) => {
      this.#ends.set(nameOf(call), { resolve, reject, id, call });
    });
  }

  async end(name: string, state: OperationView['state'] | Fault = 'committed'): Promise<void> {
    const { resolve, reject, id, call } = this.#ends.get(name)!;
    if (state instanceof Fault) reject(state);
    else resolve(viewOf({ ...call, operation_id: id, args_ref: null }, state));
    await new Promise(setImmediate);
  }
}

let hand: ManualPropose;
const start = (
  calls: ParsedCall[],
  order: 'sequence' | 'disjoint',
  over: { waitMs?: number; gone?: AbortSignal } = {},
) =>
  new ProposeInOrder(hand, () => hand.now).run(caller, calls, order, {
    waitMs: 1_000,
    gone: new AbortController().signal,
    ...over,
  });
const told = async (ran: ReturnType<typeof start>): Promise<string[]> =>
  (await ran).map((each) => (each === null ? 'queued' : each.kind === 'proposed' ? each.view.state : each.fault.code));
beforeEach(() => {
  hand = new ManualPropose();
});

test('calls that touch the same paths run in order, and others at once', async () => {
  const ran = start([write('a'), write('b'), write('a/c'), callOf('shell.run', { command: 'true' })], 'disjoint');
  expect(hand.begun).toEqual(['a', 'b']);
  await hand.end('a');
  expect(hand.begun).toEqual(['a', 'b', 'a/c']);
  await hand.end('a/c', 'refused');
  expect(hand.begun).toHaveLength(3);
  await hand.end('b');
  await hand.end('shell.run', 'no_op');
  expect(await told(ran)).toEqual(['committed', 'committed', 'refused', 'no_op']);
});

test('in sequence no call begins behind a held or running one', async () => {
  const ran = start([write('a'), write('b'), write('c')], 'sequence');
  await hand.end('a');
  await hand.end('b', 'held');
  expect([await told(ran), hand.begun]).toEqual([
    ['committed', 'held', 'queued'],
    ['a', 'b'],
  ]);
});

test('a held call does not block calls that touch other paths', async () => {
  const ran = start([write('a'), write('a/b'), write('c')], 'disjoint');
  await hand.end('a', 'held');
  await hand.end('c');
  expect(await told(ran)).toEqual(['held', 'queued', 'committed']);
});

test('the wait is for all calls together, and calls that ended earlier still return after it is over', async () => {
  const ran = start([write('a'), write('b'), write('c')], 'sequence');
  hand.now = 600;
  await hand.end('a');
  hand.now = 1_500;
  await hand.end('b');
  await hand.end('c', 'performing');
  expect([await told(ran), hand.waits]).toEqual([
    ['committed', 'committed', 'performing'],
    [1_000, 400, 0],
  ]);
});

test('no call begins long after the wait, or when no client waits for the response', async () => {
  const late = start([write('a'), write('b')], 'sequence');
  hand.now = 6_000;
  await hand.end('a');
  expect(await told(late)).toEqual(['committed', 'queued']);
  const gone = new AbortController();
  const left = start([write('c'), write('d')], 'sequence', { gone: gone.signal });
  gone.abort();
  await hand.end('c');
  expect(await told(left)).toEqual(['committed', 'queued']);
});

test('a fault that a call caused is its own result; any other fault ends all calls after the running ones', async () => {
  const unfit = start([write('a'), write('b')], 'sequence');
  await hand.end('a', new Fault('args.too_large'));
  await hand.end('b');
  expect(await told(unfit)).toEqual(['args.too_large', 'committed']);
  const broken = start([write('c'), write('d'), write('c/e')], 'disjoint');
  let ended = false;
  void broken
    .catch(() => undefined)
    .finally(() => {
      ended = true;
    });
  await hand.end('c', new Fault('queue.full'));
  expect([ended, hand.begun.slice(2)]).toEqual([false, ['c', 'd']]);
  await hand.end('d');
  await expect(broken).rejects.toMatchObject({ code: 'queue.full' });
});

test('no more than sixteen run at once', async () => {
  const ran = start(
    Array.from({ length: 20 }, (_none, n) => write(`f${n}`)),
    'disjoint',
  );
  expect(hand.begun).toHaveLength(16);
  for (let n = 0; n < 20; n++) await hand.end(`f${n}`);
  expect(new Set(await told(ran))).toEqual(new Set(['committed']));
});
