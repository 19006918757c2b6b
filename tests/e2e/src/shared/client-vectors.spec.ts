// SPDX-License-Identifier: Apache-2.0
// The scenarios of the client libraries against a real Writ. WRIT_RECORD_VECTORS=1 writes what sdk/vectors has of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { ReceiptVerificationError, verifyReceipt, Writ, type Call } from '@writ/client';
import { runStep, type Actor, type Exchange, type RecordedStep, type Scenario, type Step } from '@writ/client/contract';
import { eventually, makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { SCENARIOS } from '../client-scenarios.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const RECORDS = process.env['WRIT_RECORD_VECTORS'] === '1';
const fileOf = (name: string): string => join(repositoryRoot(), 'sdk/vectors', `${name}.json`);
const save = (name: string, value: unknown): void => writeFileSync(fileOf(name), `${JSON.stringify(value, null, 2)}\n`);

/** Headers of answers that client libraries read. */
const HEADERS = ['content-type', 'writ-operation-id', 'idempotent-replayed', 'retry-after', 'location', 'writ-outcome'];

let stack: SharedStack;
let world: World;
let trusted: string;
const exchanges: Exchange[] = [];
const calls = new Map<string, Call>();
const recorded: Scenario[] = [];
const receipts: { text: string; operationId: string }[] = [];

beforeAll(async () => {
  stack = await sharedStack();
  trusted = readFileSync(stack.keys.publicKeysFile, 'utf8');
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'a.txt': 'one\n', 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n' },
  });
});

const clientOf = (by: Actor): Writ =>
  new Writ({
    url: stack.url,
    apiKey: world[by].key,
    fetch: async (url: string, init: RequestInit) => {
      const answer = await fetch(url, init);
      const body = await answer.clone().text();
      const headers = HEADERS.flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name)!]] : []));
      exchanges.push({
        by,
        method: init.method ?? '',
        path: url.slice(stack.url.length),
        idempotency_key: new Headers(init.headers).get('idempotency-key'),
        body: init.body === undefined ? null : (JSON.parse(String(init.body)) as unknown),
        answer: { status: answer.status, headers: Object.fromEntries(headers) as Record<string, string>, body },
      });
      return answer;
    },
  });

/** Waits for what a step would otherwise wait for by itself, so that each step has the same requests in each run. */
async function before(step: Step): Promise<void> {
  if (!('of' in step)) return;
  const operation = await calls.get(step.of)!.operation();
  if (step.do === 'approve')
    await eventually('a preview', async () => {
      const { body } = await world.operator.get(`/v1/approvals/${operation.approval_id ?? ''}`);
      return body.preview.state !== 'waiting' && body.preview.state !== 'running';
    });
  if (step.do === 'result' || step.do === 'receipt')
    await world.until(operation.operation_id, ['refused', 'committed', 'rolled_back', 'no_op']);
  if (step.do === 'receipt')
    await eventually('a receipt', async () => {
      const answer = await world.agent.get(`/v1/operations/${operation.operation_id}/receipt`);
      return answer.status === 200 && !answer.text.includes('"phase":"decision"');
    });
}

it.each(SCENARIOS)('$name', async ({ name, begins, steps }) => {
  const clients = { agent: clientOf('agent'), operator: clientOf('operator') };
  const done: RecordedStep[] = [];
  for (const step of steps) {
    await before(step);
    exchanges.length = 0;
    const gives = await runStep({ clients, trusted, calls }, step);
    done.push({ step, exchanges: [...exchanges], gives });
    if (step.do === 'receipt') {
      const { operationId } = calls.get(step.of)!;
      receipts.push({ text: exchanges.at(-1)!.answer.body, operationId });
    }
  }
  expect((done[0]?.gives as { outcome?: unknown }).outcome).toBe(begins);
  recorded.push({ name, steps: done });
  if (RECORDS) return;
  const { scenarios } = JSON.parse(readFileSync(fileOf('scenarios'), 'utf8')) as { scenarios: Scenario[] };
  const given = (some: readonly RecordedStep[]): unknown =>
    some.map(({ step, gives, exchanges: own }) => [
      step,
      withoutTimes(gives),
      own.map(({ method, answer }) => [method, answer.status]),
    ]);
  // Ids and times differ. What the program does and gets, and how often it asks, must not.
  expect(given(done)).toEqual(given(scenarios.find((one) => one.name === name)?.steps ?? []));
});

/** The same without how long a command took. */
const withoutTimes = (gives: unknown): unknown =>
  JSON.parse(JSON.stringify(gives, (name, value: unknown) => (name === 'wall_ms' ? 0 : value))) as unknown;

/** The receipt with another value in its envelope or its proof. */
const changed = (text: string, change: (receipt: ReceiptJson) => void): string => {
  const receipt = JSON.parse(text) as ReceiptJson;
  change(receipt);
  return `${JSON.stringify(receipt)}\n`;
};
interface ReceiptJson {
  envelope: { payload: string; payloadType: string; signatures: { keyid: string; sig: string }[] };
  inclusion: { leaf_index: number; tree_size: number; hashes: string[]; checkpoint: string };
}
const flipped = (base64: string): string => `${base64.startsWith('A') ? 'B' : 'A'}${base64.slice(1)}`;

it('receipts of the run verify, and each changed one fails by the check of what was changed', () => {
  const { text, operationId } = receipts.at(-1)!;
  const other = receipts[0]!;
  const variants: [string, string, string | null, string?][] = [
    ['as it is', text, null],
    ['as the receipt of its call', text, null, operationId],
    ['as the receipt of another call', text, 'expectation', other.operationId],
    [
      'with another payload',
      changed(text, ({ envelope }) => (envelope.payload = flipped(envelope.payload))),
      'signature',
    ],
    [
      'with another signature',
      changed(text, ({ envelope: { signatures } }) => (signatures[0]!.sig = flipped(signatures[0]!.sig))),
      'signature',
    ],
    [
      'with another key',
      changed(text, ({ envelope: { signatures } }) => (signatures[0]!.keyid = flipped(signatures[0]!.keyid))),
      'signature',
    ],
    [
      'with the payload of another receipt',
      changed(text, ({ envelope }) => Object.assign(envelope, (JSON.parse(other.text) as ReceiptJson).envelope)),
      'inclusion',
    ],
    ['with another place', changed(text, ({ inclusion }) => (inclusion.leaf_index = 0)), 'inclusion'],
    [
      'with another checkpoint',
      changed(text, ({ inclusion }) => (inclusion.checkpoint = inclusion.checkpoint.replace('\n', 'x\n'))),
      'checkpoint',
    ],
    ['cut', text.slice(0, -2), 'format'],
    ['that is no JSON', 'receipt', 'format'],
  ];
  const vectors = variants.map(([name, file, fails, operation_id]) => ({
    name,
    file,
    ...(operation_id === undefined ? {} : { operation_id }),
    fails,
  }));
  for (const { name, file, operation_id, fails } of vectors) {
    let failed: string | null = null;
    try {
      verifyReceipt(file, trusted, operation_id === undefined ? {} : { operationId: operation_id });
    } catch (error) {
      failed = (error as ReceiptVerificationError).check;
    }
    expect([name, failed]).toEqual([name, fails]);
  }
  if (RECORDS) {
    save('scenarios', { keys: trusted, scenarios: recorded });
    save('receipts', { keys: trusted, receipts: vectors });
  }
});

it('approvals that wait are given as they come', async () => {
  // Not those that record: they read an answer to its end, and a stream of events has none.
  const agent = new Writ({ url: stack.url, apiKey: world.agent.key });
  const person = new Writ({ url: stack.url, apiKey: world.operator.key });
  const seen: string[] = [];
  const watching = (async () => {
    for await (const approval of person.approvals.pending()) {
      seen.push(approval.operation_id);
      await person.approvals.approve(approval);
      if (seen.length === 2) break;
    }
  })();
  const held: Call[] = [];
  for (const folder of ['one', 'two']) {
    await agent.call('fs.write', { path: `${folder}/x.txt`, content: 'x' });
    held.push(await agent.call('shell.run', { command: `rm -rf ${folder}` }));
  }
  expect(held.map(({ outcome }) => outcome)).toEqual(['held', 'held']);
  await Promise.all(held.map((call) => call.result()));
  await watching;
  expect(seen.toSorted()).toEqual(held.map(({ operationId }) => operationId).toSorted());
});
