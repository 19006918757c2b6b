// SPDX-License-Identifier: Apache-2.0
//
// Which errors end a call with an external effect, and which are a fault of the executor.
import { VECDB_QUERY } from '@writ/contract';
import { InlineTaskRunner } from '@writ/worker-pool';
import type { Call, RunContext } from '../calls/runner.ts';
import { executorTasks } from '../calls/worker-tasks.ts';
import type { CallGate } from '../egress/call-gate.ts';
import { callWork } from '../foundation/call-work.ts';
import { EgressFixture, OUTSIDE_HOSTS } from '../specs/egress-fixture.ts';
import { tenantId } from '../specs/scripted-kernel.ts';
import { BrokerRunner } from './broker-runner.ts';
import type { StoreCalls } from './stores/store-calls.ts';

let world: EgressFixture;
beforeEach(async () => {
  world = await EgressFixture.open();
});
afterEach(() => world.close());

const { signal } = new AbortController();
const context = (): RunContext => ({
  signal,
  work: callWork(new InlineTaskRunner(executorTasks), tenantId, signal),
  mode: 'run',
  recordNeed: () => undefined,
  confirmMayContinue: () => Promise.resolve(),
  announceEffectStarted: () => Promise.resolve(),
  attachShell: () => Promise.reject(new Error('there are no shells')),
  endShell: () => Promise.resolve(),
});
const call = (): Call => ({
  tenantId,
  operationId: 'op',
  workspaceId: 'wsp',
  attempt: 1,
  toolId: VECDB_QUERY.tool_id,
  cli: null,
  resources: [],
  imageDigest: null,
  args: {},
  root: '0'.repeat(64),
  fs: [],
  net: OUTSIDE_HOSTS ?? [],
  secrets: {},
  resourceSecrets: {},
  limits: { ...VECDB_QUERY.limits },
  nodes: new Map(),
});
/** Runs a call whose store throws the error, after a request or without one. */
function run(error: Error, sends: boolean) {
  const stores = {
    run: async (_call: Call, gate: CallGate) => {
      if (sends) gate.refuse('GET', 'https://api.outside.example/', 'a request of the store');
      return await Promise.reject(error);
    },
  } as unknown as StoreCalls;
  return new BrokerRunner(world.kernel.blobs, world.gate(), () => performance.now(), { stores }).run(call(), context());
}
const withCode = (code: string): Error => Object.assign(new Error('it went wrong'), { code });

it.each(['ECONNRESET', 'HPE_INVALID_CHUNK_SIZE', 'ERR_SSL_BAD_DECRYPT', 'ERR_STREAM_PREMATURE_CLOSE'])(
  'a connection that breaks with %s ends the call as `egress.failed`',
  async (code) => {
    expect(await run(withCode(code), true)).toMatchObject({ ended: 'failed', error: { code: 'egress.failed' } });
  },
);

it.each(['42501', '23514', 'ERR_INVALID_ARG_TYPE', 'ENOENT', 'EMFILE'])(
  'an error with the code %s, which no other side causes, is a fault of the executor',
  async (code) => {
    const error = withCode(code);
    await expect(run(error, true)).rejects.toBe(error);
  },
);

it('a connection within this installation that breaks is a fault of the executor: the call sent nothing outside', async () => {
  const error = withCode('ECONNRESET');
  await expect(run(error, false)).rejects.toBe(error);
});
