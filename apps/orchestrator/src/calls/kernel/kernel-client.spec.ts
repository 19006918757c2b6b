// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import { Fault, subjectsOf, type FaultCode, type TenantCreate } from '@writ/contract';
import { KernelClient } from './kernel-client.ts';

/** A client of a kernel that answers each attempt with the next of these faults. */
function clientOf(faults: readonly FaultCode[]): { client: KernelClient; attempts: () => number } {
  let attempts = 0;
  const request = async (): Promise<never> => {
    const code = faults[attempts] ?? 'internal';
    attempts += 1;
    throw new Fault(code);
  };
  const client = new KernelClient({ request } as unknown as Bus, subjectsOf('s0'), () => Date.now());
  return { client, attempts: () => attempts };
}
const create = async (client: KernelClient): Promise<unknown> =>
  await client.createTenant({ v: 1 } as TenantCreate).catch((error: unknown) => (error as Fault).code);

describe('a change that the kernel is asked for several times', () => {
  it.each<[FaultCode[], FaultCode]>([
    [['overloaded'], 'overloaded'],
    [['conflict'], 'conflict'],
    [['deadline', 'overloaded'], 'bus.unreachable'],
    [['database.unavailable', 'record.backlog'], 'bus.unreachable'],
    [['bus.unreachable', 'deadline', 'rate.limited'], 'bus.unreachable'],
    [['deadline', 'conflict'], 'conflict'],
    [['deadline', 'internal'], 'internal'],
  ])('ends after %j as `%s`: nobody says that nothing happened where it may have', async (faults, code) => {
    const { client, attempts } = clientOf(faults);
    expect([await create(client), attempts()]).toEqual([code, faults.length]);
  });
});

describe('a kernel of the version before', () => {
  // It reads closed messages, and refuses a member that it doesn't know before it does anything.
  const sent: object[] = [];
  const request = async (_subject: string, message: object): Promise<never> => {
    sent.push(message);
    const member = 'if_match' in message ? '/if_match' : '/other';
    throw new Fault('request.malformed', `\`${member}\` is not known`, { pointer: member });
  };
  const client = new KernelClient({ request } as unknown as Bus, subjectsOf('s0'), () => Date.now());
  const change = (more: object) =>
    client.ask('call_settings.set', { tenant_id: 't' } as never, { change: { output_bytes: 2_000 }, ...more });

  it('is asked once for a change with a condition, which is then refused and not made without it', async () => {
    await expect(change({ if_match: ['a'] })).rejects.toMatchObject({ code: 'overloaded', retryable: true });
    expect(sent).toHaveLength(1);
    await expect(change({})).rejects.toMatchObject({ code: 'request.malformed', pointer: '/other' });
  });
});
