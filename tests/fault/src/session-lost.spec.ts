// SPDX-License-Identifier: Apache-2.0
// The shell of a session when its executor or its container is killed.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import Docker from 'dockerode';
import { testAddress } from '@writ/testing';
import {
  eventually,
  makeWorld,
  Observer,
  startStack,
  type JsonValue,
  type Service,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A lease of the shell, and the time that a permit for a dead executor stays valid. */
const PROMPTLY_MS = 12_000;

let stack: Stack;
let world: World;
let observer: Observer;
beforeAll(async () => {
  stack = await startStack({
    env: {
      // An executor that is busy with other processes of the machine still renews its calls in time.
      kernel: { WRIT_SWEEP_MS: '200', WRIT_LEASE_MS: '6000' },
      // Sessions of all tests stay open, those of a repeated test too: where no slot is left, a call waits.
      executor: { WRIT_SESSIONS: '40' },
    },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

function session() {
  const session_id = `s-${randomUUID()}`;
  return async (args: Record<string, unknown>, waitMs = 40_000): Promise<JsonValue> =>
    (await world.call('shell.session', args, { session_id }, waitMs)).body;
}
/** The first call of a session, which starts its shell: what a test does to a shell that is not there tells nothing. */
const open = async (ask: ReturnType<typeof session>, command: string): Promise<void> => {
  expect(await ask({ command })).toMatchObject({ status: 'ok', result: { shell: 'started' } });
};
const killed = async (service: Service): Promise<void> => {
  await service.kill();
  await service.start();
};

it('executor killed between calls: one call fails as session lost, the next starts from the head', async () => {
  const ask = session();
  await open(ask, 'X=5; echo kept > kept.txt; sleep 1000 &');
  await killed(stack.services.executor);
  const started = Date.now();
  expect(await ask({ command: 'echo "$X" > never.txt' })).toMatchObject({
    status: 'error',
    error: { code: 'session.lost' },
    tx_outcome: 'rolled_back',
  });
  expect(Date.now() - started).toBeLessThan(PROMPTLY_MS);
  expect(await world.file('never.txt')).toBeNull();
  expect(await ask({ command: 'cat kept.txt; echo "X is $X"' })).toMatchObject({
    status: 'ok',
    result: { shell: 'started', output: 'kept\nX is \n' },
  });
});

it('executor killed during a command: the call fails as session lost, and commits nothing', async () => {
  const ask = session();
  await open(ask, 'echo before > before.txt');
  const running = ask({ command: 'echo half > half.txt; sleep 1000', yield_ms: 30_000 });
  await eventually(
    'the command is under way',
    async () =>
      (await observer.rows(`SELECT 1 FROM kernel.operation WHERE tool_id = 'shell.session' AND state = 'performing'`))
        .length > 0,
  );
  await killed(stack.services.executor);
  expect(await running).toMatchObject({ status: 'error', error: { code: 'session.lost' }, tx_outcome: 'rolled_back' });
  expect([await world.file('before.txt'), await world.file('half.txt')]).toEqual(['before\n', null]);
  const [row] = await observer.rows<{ operation_id: string }>(
    `SELECT operation_id FROM kernel.operation WHERE tool_id = 'shell.session' AND fault_code = 'session.lost' ORDER BY updated_at DESC LIMIT 1`,
  );
  expect(await observer.outcomes(row?.operation_id ?? '')).toBe(1);
});

it('executor killed beside another one: a session of the other continues', async () => {
  const other = await stack.another('executor');
  const since = Date.now();
  try {
    // Chance decides which executor gets a session: open as many as it takes for both to have one.
    const asks = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const ask = session();
        const { result } = await ask({ command: 'X=5' });
        return result?.shell === 'started' ? ask : null;
      }),
    );
    const owners = await observer.rows<{ executor_id: string }>(
      `SELECT DISTINCT executor_id FROM kernel.shell WHERE ending IS NULL AND created_at >= ${since}`,
    );
    await other.kill();
    const answers = await Promise.all(
      asks.flatMap((ask) => (ask === null ? [] : [ask({ command: 'echo "X is $X"' })])),
    );
    for (const answer of answers)
      expect([answer.error?.code ?? answer.result.output]).toEqual([
        expect.stringMatching(/^(session\.lost|X is 5\n)$/),
      ]);
    expect(answers.some(({ error }) => error?.code === 'session.lost')).toBe(owners.length > 1);
  } finally {
    await other.kill();
  }
});

it('container killed: the session is lost, and its executor serves others', async () => {
  const ask = session();
  await open(ask, 'X=5');
  const docker = new Docker({ socketPath: testAddress('DOCKER_HOST').replace('unix://', '') });
  const [row] = await observer.rows<{ executor_id: string }>(
    'SELECT executor_id FROM kernel.shell WHERE ending IS NULL ORDER BY created_at DESC LIMIT 1',
  );
  const containers = await docker.listContainers({ filters: { label: [`writ.owner=${row?.executor_id ?? 'none'}`] } });
  await Promise.all(
    containers.map(({ Id }) =>
      docker
        .getContainer(Id)
        .kill()
        .catch(() => undefined),
    ),
  );
  expect(await ask({ command: 'echo "$X"' })).toMatchObject({ status: 'error', error: { code: 'session.lost' } });
  expect(await ask({ command: 'echo "X is $X"' })).toMatchObject({ result: { output: 'X is \n' } });
});

it('executor frozen past its leases: the session is lost, and its shell is killed when it thaws', async () => {
  const ask = session();
  await open(ask, 'true');
  const running = ask({ command: 'sleep 4; echo late > late.txt', yield_ms: 20_000 });
  await eventually(
    'the command is under way',
    async () =>
      (await observer.rows(`SELECT 1 FROM kernel.operation WHERE tool_id = 'shell.session' AND state = 'performing'`))
        .length > 0,
  );
  stack.services.executor.freeze();
  const other = await stack.another('executor');
  try {
    expect(await running).toMatchObject({ status: 'error', error: { code: 'session.lost' } });
    stack.services.executor.thaw();
    expect(await ask({ command: 'sleep 5; ls' })).toMatchObject({
      result: { output: expect.not.stringContaining('late.txt') },
    });
    expect(await world.file('late.txt')).toBeNull();
  } finally {
    stack.services.executor.thaw();
    await other.kill();
  }
});
