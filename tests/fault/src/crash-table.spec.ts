// SPDX-License-Identifier: Apache-2.0
// Every row of the crash table (docs/architecture/failures.md) on real processes. Locks and proxies stop a process at
// exactly that point, where it is killed with SIGKILL or frozen with SIGSTOP.
import { createHash, randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  expectConsistent,
  makeWorld,
  Observer,
  freezeUntilUnassigned,
  startStack,
  type Answer,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

const LEASE_MS = 4_000;
const TUNING = { WRIT_LEASE_MS: String(LEASE_MS), WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('the crash table', () => {
  let stack: Stack;
  let world: World;
  let observer: Observer;
  let key: string;

  beforeAll(async () => {
    stack = await startStack({ env: { kernel: TUNING }, busProxies: ['kernel', 'executor', 'ledger'] });
    world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
    observer = new Observer(stack);
  });
  afterAll(async () => {
    await observer?.close();
    await stack?.stop();
  });
  beforeEach(() => {
    key = randomUUID();
  });
  afterEach(async () => {
    await observer.close();
    for (const name of ['kernel', 'executor', 'ledger'] as const) stack.busProxy(name).release();
    for (const service of Object.values(stack.services)) {
      service.thaw();
      if (!service.isRunning) await service.start();
    }
  });

  const write = (path: string): Promise<Answer<JsonValue>> =>
    world.call('fs.write', { path, content: key }, { idempotency_key: key }).catch(gone);
  const shell = (command: string): Promise<Answer<JsonValue>> =>
    world.call('shell.run', { command }, { idempotency_key: key }).catch(gone);
  /** The API closed the connection; the call continues. */
  const gone = (): Answer<JsonValue> => ({ status: 0, headers: new Headers(), text: '', body: null });
  /**
   * Starts calls until one is directly dispatched, which depends on its executor's last announcement and on the state
   * of the lane. `interfere` runs before each call, `undo` after one that went through a lane. The test awaits the
   * answer of the dispatched one.
   */
  const assigned = async (
    begin: () => Promise<Answer<JsonValue>>,
    interfere: () => void,
    undo: () => void,
  ): Promise<{ answer: Promise<Answer<JsonValue>> }> => {
    for (let tries = 1; ; tries++) {
      interfere();
      const answer = begin();
      try {
        await eventually(
          'an operation in performing',
          async () => ((await observer.operation(key)) as JsonValue | undefined)?.state === 'performing',
          2_000,
        );
        return { answer };
      } catch (error) {
        if (tries === 10) throw error;
      }
      undo();
      await answer;
      key = randomUUID();
    }
  };
  const operationId = async (): Promise<string> =>
    ((await eventually('the operation', () => observer.operation(key))) as JsonValue).operation_id as string;

  it('orchestrator dies after sending: the client repeats the call with its key and gets the one outcome', async () => {
    const first = shell('sleep 1; echo once >> orchestrator.txt');
    await observer.untilState(key, 'performing');
    await stack.services.orchestrator.kill();
    await first;
    await stack.services.orchestrator.start();
    const again = await shell('sleep 1; echo once >> orchestrator.txt');
    expect(again.status).toBe(200);
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 1 });
    expect(await world.file('orchestrator.txt')).toBe('once\n');
  });

  it("kernel dies before the decision's COMMIT: nothing happened, and the repeated call is decided", async () => {
    const letGo = await observer.hold('LOCK TABLE kernel.outbox IN ACCESS EXCLUSIVE MODE');
    const answer = write('before-commit.txt');
    await observer.untilBlocked('writ_kernel');
    await stack.services.kernel.kill();
    await observer.abort('writ_kernel');
    await letGo();
    expect(await observer.operation(key)).toBeUndefined();
    await stack.services.kernel.start();
    const { status } = await answer;
    if (status !== 200) await write('before-commit.txt');
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 1 });
    expect(await world.file('before-commit.txt')).toBe(key);
  });

  it('kernel dies with its decision committed and the reply lost: the same operation returns it', async () => {
    stack.busProxy('kernel').hold('out');
    const answer = write('reply-lost.txt');
    const id = await operationId();
    await stack.services.kernel.kill();
    stack.busProxy('kernel').cut();
    await stack.services.kernel.start();
    await answer;
    expect((await write('reply-lost.txt')).body.operation_id).toBe(id);
    await expectConsistent(stack, world, observer, id, { tx_outcome: 'committed' });
  });

  it('a call is assigned and never sent: its lease expires, and another attempt runs the call', async () => {
    const bus = stack.busProxy('kernel');
    const { answer } = await assigned(
      () => write('not-sent.txt'),
      () => bus.hold('out'),
      () => bus.release(),
    );
    await stack.services.kernel.kill();
    stack.busProxy('kernel').cut();
    await stack.services.kernel.start();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 2 });
    expect(await world.file('not-sent.txt')).toBe(key);
  });

  it('an executor dies before it receives a call: the lease expires, and another attempt runs the call', async () => {
    const { executor } = stack.services;
    const { answer } = await assigned(
      () => shell(`echo once >> ${key}.txt`),
      () => executor.freeze(),
      () => executor.thaw(),
    );
    await stack.services.executor.kill();
    await stack.services.executor.start();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 2 });
    expect(await world.file(`${key}.txt`)).toBe('once\n');
  });

  it('a permit is signed and never published: it expires unredeemed, and the call is dispatched again', async () => {
    await freezeUntilUnassigned(stack.services.executor);
    stack.busProxy('kernel').hold('out');
    const answer = write('no-bell.txt');
    await observer.untilState(key, 'dispatched');
    stack.services.executor.thaw();
    await stack.services.kernel.kill();
    stack.busProxy('kernel').cut();
    await stack.services.kernel.start();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 2 });
  });

  it('the reply to a redemption is lost: the same nonce redeems again, and the call runs once', async () => {
    // The lease runs while the redemption is held up; a short one might expire before the second redemption.
    await stack.services.kernel.kill();
    const patient = await stack.another('kernel', { ...TUNING, WRIT_LEASE_MS: '30000' });
    await freezeUntilUnassigned(stack.services.executor);
    const letGo = await holdRedemptions();
    try {
      const answer = shell('echo ran >> redeemed.txt');
      const id = await operationId();
      stack.services.executor.thaw();
      await observer.untilBlocked('writ_kernel');
      stack.busProxy('executor').hold('in');
      await letGo();
      await observer.untilState(key, 'performing');
      stack.busProxy('executor').cut();
      await answer;
      await expectConsistent(stack, world, observer, id, { tx_outcome: 'committed', attempt: 1 });
      expect(await world.file('redeemed.txt')).toBe('ran\n');
    } finally {
      await observer.close();
      await observer.rows('DROP FUNCTION kernel.gate_of_a_test CASCADE');
      await patient.kill();
    }
  });

  it('executor dies while it performs: the lease expires, and another attempt runs the call', async () => {
    const answer = shell('echo half > half.txt; sleep 2; echo whole > whole.txt');
    await observer.untilState(key, 'performing');
    await stack.services.executor.kill();
    await stack.services.executor.start();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 2 });
    expect([await world.file('half.txt'), await world.file('whole.txt')]).toEqual(['half\n', 'whole\n']);
  });

  it('a report is lost: the executor repeats it while its lease is valid', async () => {
    const answer = shell(`${longFileOf('reported.txt')}; sleep 1`);
    await observer.untilState(key, 'performing');
    stack.busProxy('executor').hold('out');
    await untilBlobOfLongFile();
    stack.busProxy('executor').cut();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 1 });
  });

  it('executor dies with its blobs stored and its report unsent: the next attempt commits', async () => {
    const answer = shell(`${longFileOf('unsent.txt')}; sleep 1`);
    await observer.untilState(key, 'performing');
    stack.busProxy('executor').hold('out');
    await untilBlobOfLongFile();
    await stack.services.executor.kill();
    stack.busProxy('executor').cut();
    await stack.services.executor.start();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 2 });
  });

  it('kernel dies in the commit transaction: the repeated report gets the one outcome', async () => {
    const answer = shell('sleep 1; echo done > committed.txt');
    await observer.untilState(key, 'performing');
    const letGo = await observer.hold('LOCK TABLE kernel.snapshot IN ACCESS EXCLUSIVE MODE');
    await observer.untilBlocked('writ_kernel');
    await stack.services.kernel.kill();
    await observer.abort('writ_kernel');
    await letGo();
    expect((await observer.operation(key))?.state).toBe('performing');
    await stack.services.kernel.start();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed' });
    expect(await world.file('committed.txt')).toBe('done\n');
  });

  it('kernel dies during its commit: the repeated report is answered with the stored outcome', async () => {
    const answer = shell('sleep 1; echo done > late.txt');
    await observer.untilState(key, 'performing');
    const letGo = await observer.hold('LOCK TABLE kernel.snapshot IN ACCESS EXCLUSIVE MODE');
    await observer.untilBlocked('writ_kernel');
    await stack.services.kernel.kill();
    await letGo();
    await observer.untilState(key, 'committed');
    await stack.services.kernel.start();
    await answer;
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 1 });
    expect(await world.file('late.txt')).toBe('done\n');
  });

  it("the ledger's answer to an append is lost: the repeated record is dropped by its id", async () => {
    stack.busProxy('ledger').hold('out');
    await write('appended.txt');
    const id = await operationId();
    await eventually(
      'leaves of the operation',
      async () => (await observer.rows('SELECT 1 FROM ledger.leaf WHERE operation_id = $1', [id])).length === 2,
    );
    await stack.services.kernel.kill();
    stack.busProxy('ledger').cut();
    await stack.services.kernel.start();
    await expectConsistent(stack, world, observer, id, { tx_outcome: 'committed', attempt: 1 });
  });

  it('ledger dies with leaves committed and the root unsigned: the root is signed when it is back', async () => {
    const letGo = await observer.hold('LOCK TABLE ledger.checkpoint IN ACCESS EXCLUSIVE MODE');
    await write('unsigned.txt');
    await observer.untilBlocked('writ_ledger');
    await stack.services.ledger.kill();
    await observer.abort('writ_ledger');
    await letGo();
    await stack.services.ledger.start();
    await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed', attempt: 1 });
  });

  it('an executor frozen past its lease thaws: its attempt is fenced', async () => {
    const answer = shell('sleep 1; echo x >> frozen.txt');
    await observer.untilState(key, 'performing');
    stack.services.executor.freeze();
    const other = await stack.another('executor');
    try {
      await observer.untilState(key, 'committed');
      stack.services.executor.thaw();
      await answer;
      await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed' });
      expect((await observer.operation(key))?.attempt).toBeGreaterThan(1);
      expect(await world.file('frozen.txt')).toBe('x\n');
    } finally {
      await other.kill();
    }
  });

  it('a kernel frozen during a call thaws: nothing is done twice', async () => {
    const answer = shell('sleep 1; echo x >> kernel-frozen.txt');
    await observer.untilState(key, 'performing');
    stack.services.kernel.freeze();
    const other = await stack.another('kernel', TUNING);
    try {
      await observer.untilState(key, 'committed');
      stack.services.kernel.thaw();
      await answer;
      await expectConsistent(stack, world, observer, await operationId(), { tx_outcome: 'committed' });
      expect(await world.file('kernel-frozen.txt')).toBe('x\n');
    } finally {
      await other.kill();
    }
  });

  /** Holds each redemption in its transaction from now on; returns a function that releases them. */
  async function holdRedemptions(): Promise<() => Promise<void>> {
    await observer.rows(
      `CREATE FUNCTION kernel.gate_of_a_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(hashtext('redemptions')); RETURN NEW; END $$`,
    );
    await observer.rows(`CREATE TRIGGER gate_of_a_test BEFORE UPDATE ON kernel.operation FOR EACH ROW
      WHEN (OLD.state = 'dispatched' AND NEW.state = 'performing') EXECUTE FUNCTION kernel.gate_of_a_test()`);
    return await observer.hold(`SELECT pg_advisory_xact_lock(hashtext('redemptions'))`);
  }

  // Shorter contents travel inside the report and are stored with the delta.
  const LINES = 2_000;
  const longFileOf = (path: string): string => `yes ${key} | head -n ${LINES} > ${path}`;

  async function untilBlobOfLongFile(): Promise<void> {
    const hash = createHash('sha256').update(`${key}\n`.repeat(LINES)).digest();
    await eventually(
      'the blob of the change',
      async () => (await observer.rows('SELECT 1 FROM blobs.blob WHERE sha256 = $1', [hash])).length > 0,
      30_000,
    );
  }
});
