// SPDX-License-Identifier: Apache-2.0
// A permit orders one attempt, once, for the first executor that redeems it; nothing else is an order.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { canonicalBytes } from '@writ/digest';
import { PERMIT_PAYLOAD_TYPE, RECORD_PAYLOAD_TYPE, subjectsOf, type Envelope } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { parseSigner, sealEnvelope, type Signer } from '@writ/signing';
import {
  BusExecutor,
  eventually,
  makeWorld,
  Observer,
  SHARD,
  startStack,
  type Answer,
  type JsonValue,
  type ReceivedPermit,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TTL_MS = 4_000;
const subjects = subjectsOf(SHARD);
const OUTPUT = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 1 };

let stack: Stack;
let world: World;
let observer: Observer;
let executor: BusExecutor;

beforeAll(async () => {
  stack = await startStack({
    without: ['executor'],
    env: { kernel: { WRIT_PERMIT_TTL_MS: String(TTL_MS), WRIT_SWEEP_MS: '200' } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
beforeEach(async () => {
  executor = await BusExecutor.join(stack);
});
afterEach(async () => {
  await executor.disconnect();
});

/** A call, and the permit for it. */
async function ring(
  command = 'true',
  key: string = randomUUID(),
): Promise<ReceivedPermit & { answer: Promise<Answer<JsonValue>>; key: string }> {
  const answer = world.call('shell.run', { command }, { idempotency_key: key });
  return { ...(await executor.next()), answer, key };
}
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  );
const state = async (key: string): Promise<string> => (await observer.operation(key)).state as string;

it('of two executors that redeem one permit at once, exactly one wins', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { envelope, permit, answer } = await ring();
    const contenders = Array.from({ length: 2 }, () => ({
      executorId: newId('executor'),
      nonce: BusExecutor.newNonce(),
    }));
    const said = await Promise.all(
      contenders.map(({ executorId, nonce }) => codeOf(executor.redeem(envelope, nonce, executorId))),
    );
    expect([...said].sort()).toEqual(['ok', 'permit.spent']);
    const winner = contenders[said.indexOf('ok')]!;
    const loser = contenders[said.indexOf('permit.spent')]!;
    // The winner may redeem again, since the answer can be lost; the loser may not, with any nonce.
    expect(await codeOf(executor.redeem(envelope, winner.nonce, winner.executorId))).toBe('ok');
    expect(await codeOf(executor.redeem(envelope, winner.nonce, loser.executorId))).toBe('permit.spent');
    expect(await codeOf(executor.redeem(envelope, loser.nonce, winner.executorId))).toBe('permit.spent');
    expect(
      await codeOf(
        executor.report(
          { ...executor.credentialsOf(permit, loser.nonce), executor_id: loser.executorId },
          { result: OUTPUT },
        ),
      ),
    ).toBe('attempt.fenced');
    await executor.report(
      { ...executor.credentialsOf(permit, winner.nonce), executor_id: winner.executorId },
      { result: OUTPUT },
    );
    expect((await answer).body).toMatchObject({ status: 'ok', tx_outcome: 'no_op' });
    for (const { executorId, nonce } of contenders)
      expect(await codeOf(executor.redeem(envelope, nonce, executorId))).toBe('permit.spent');
  }
});

it('a repeated report gets the outcome of the first, even with another content', async () => {
  const { envelope, permit, answer } = await ring();
  const nonce = BusExecutor.newNonce();
  await executor.redeem(envelope, nonce);
  const credentials = executor.credentialsOf(permit, nonce);
  const first = await executor.report(credentials, { result: OUTPUT });
  expect(await executor.report(credentials, { result: { ...OUTPUT, output: 'another' }, exit_code: 1 })).toEqual(first);
  expect((await answer).body.tx_outcome).toBe('no_op');
  expect(await observer.outcomes(permit.operation_id)).toBe(1);
});

describe("a message that isn't the kernel's order is refused and changes nothing", () => {
  const stranger = parseSigner(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  );
  const sealed = (value: unknown, signer: Signer, type = PERMIT_PAYLOAD_TYPE): Envelope =>
    sealEnvelope(type, canonicalBytes(value), signer);
  const flip = (
    envelope: Envelope,
    change: (permit: Record<string, JsonValue>) => Record<string, JsonValue>,
  ): Envelope => ({
    ...envelope,
    payload: Buffer.from(
      canonicalBytes(change(JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')))),
    ).toString('base64'),
  });

  it('one of another key, an altered one, one of another type, and one that is no permit', async () => {
    const { envelope, permit, answer, key } = await ring();
    const [signature] = envelope.signatures;
    const forged: Record<string, unknown> = {
      'signed by a stranger': sealed(permit, stranger),
      'signed by a stranger under our key id': {
        ...sealed(permit, stranger),
        signatures: [{ ...sealed(permit, stranger).signatures[0]!, keyid: signature!.keyid }],
      },
      'with another attempt': flip(envelope, (p) => ({ ...p, attempt: 2 })),
      'with another operation': flip(envelope, (p) => ({ ...p, operation_id: `op_${'0'.repeat(26)}` })),
      'with another tenant': flip(envelope, (p) => ({ ...p, tenant_id: `ten_${'0'.repeat(26)}` })),
      'with a longer life': flip(envelope, (p) => ({ ...p, expires_at: Number(p['expires_at']) + 60_000 })),
      'with another action': flip(envelope, (p) => ({ ...p, action_digest: 'a'.repeat(64) })),
      'of another type': { ...envelope, payloadType: RECORD_PAYLOAD_TYPE },
      'signed as a record': sealed(permit, stack.keys.permit, RECORD_PAYLOAD_TYPE),
      'without a signature': { ...envelope, signatures: [] },
      'with a cut signature': {
        ...envelope,
        signatures: [{ keyid: signature!.keyid, sig: signature!.sig.slice(0, -4) }],
      },
      'with a flipped signature': {
        ...envelope,
        signatures: [
          {
            keyid: signature!.keyid,
            sig: Buffer.from(
              Buffer.from(signature!.sig, 'base64').map((byte, i) => (i === 0 ? byte ^ 1 : byte)),
            ).toString('base64'),
          },
        ],
      },
      'with a payload that is no JSON': { ...envelope, payload: Buffer.from('permit').toString('base64') },
      'too long': { ...envelope, payload: Buffer.alloc(8_192).toString('base64') },
      'no envelope': 'permit',
      null: null,
      'an array': [envelope],
    };
    for (const [what, permitOf] of Object.entries(forged)) {
      const code = await codeOf(executor.redeem(permitOf, BusExecutor.newNonce()));
      expect({ what, isRefused: ['permit.invalid', 'request.malformed'].includes(code) }).toEqual({
        what,
        isRefused: true,
      });
    }
    expect(await state(key)).toBe('dispatched');
    const nonce = BusExecutor.newNonce();
    await executor.redeem(envelope, nonce);
    await executor.report(executor.credentialsOf(permit, nonce), { result: OUTPUT });
    expect((await answer).body.status).toBe('ok');
  });

  it("the kernel's own signature on an order that it didn't issue", async () => {
    const { envelope, permit, answer, key } = await ring();
    const other = await ring();
    for (const [what, value] of Object.entries({
      'the action of another call': {
        ...permit,
        action_digest: other.permit.action_digest.replace(/^./, (c) => (c === '0' ? '1' : '0')),
      },
      "an attempt that isn't there yet": { ...permit, attempt: permit.attempt + 1 },
      "an operation that isn't there": { ...permit, operation_id: `op_${'0'.repeat(26)}` },
      "another tenant's": { ...permit, tenant_id: `ten_${'0'.repeat(26)}` },
    })) {
      expect({
        what,
        code: await codeOf(executor.redeem(sealed(value, stack.keys.permit), BusExecutor.newNonce())),
      }).toEqual({ what, code: 'permit.invalid' });
    }
    expect(await state(key)).toBe('dispatched');
    for (const received of [{ envelope, permit, answer }, other]) {
      const nonce = BusExecutor.newNonce();
      await executor.redeem(received.envelope, nonce);
      await executor.report(executor.credentialsOf(received.permit, nonce), { result: OUTPUT });
      await received.answer;
    }
  });

  it('an expired one, and one of a past attempt', async () => {
    const first = await ring();
    const second = await executor.next();
    expect(second.permit).toMatchObject({ operation_id: first.permit.operation_id, attempt: 2 });
    expect(await codeOf(executor.redeem(first.envelope, BusExecutor.newNonce()))).toBe('permit.expired');
    const nonce = BusExecutor.newNonce();
    await executor.redeem(second.envelope, nonce);
    expect(await codeOf(executor.redeem(first.envelope, BusExecutor.newNonce()))).toBe('permit.expired');
    await executor.report(executor.credentialsOf(second.permit, nonce), { result: OUTPUT });
    expect((await first.answer).body.status).toBe('ok');
  });
});

it('a work message that is delivered twice, to two executors, runs once', async () => {
  const { message, permit, lane, answer } = await ring('echo ran >> once.txt');
  await executor.disconnect();
  const kernel = await stack.busAs('kernel');
  const real = await Promise.all([stack.another('executor'), stack.another('executor')]);
  for (const copy of ['a', 'b', 'c', 'd'])
    await kernel.enqueue(subjects.work(lane), message.bytes, { messageId: `${permit.operation_id}.${copy}` });
  expect((await answer).body).toMatchObject({ tx_outcome: 'committed' });
  // The lane is empty: every copy was processed.
  await eventually(
    'all copies are taken',
    async () => (await world.call('shell.run', { command: 'cat once.txt' })).body.result.output === 'ran\n',
  );
  expect(await world.file('once.txt')).toBe('ran\n');
  expect(await observer.outcomes(permit.operation_id)).toBe(1);
  await Promise.all(real.map((service) => service.kill()));
  await kernel.close();
});
