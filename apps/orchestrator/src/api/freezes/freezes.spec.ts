// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelVerb } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { freezeOf } from '../../specs/fake-views.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

const FREEZE_ID = newId('freeze');
const place = () =>
  api.ask('POST', '/v1/freezes', { key: tenant.operator, body: { scope: 'tenant', reason: 'it runs wild' } });
const lift = () => api.ask('POST', `/v1/freezes/${FREEZE_ID}/lift`, { key: tenant.admin, body: {} });
const askedOf = (verb: KernelVerb) =>
  api.kernel.requests.filter((asked) => asked.verb === verb).map(({ request }) => JSON.stringify(request));

describe.each([
  ['freeze.place', place, 201],
  ['freeze.lift', lift, 200],
] as const)('%s', (verb, ask, done) => {
  it.each(['deadline', 'bus.unreachable', 'database.unavailable'] as const)(
    'is sent again, the same, when its answer is lost (%s)',
    async (lost) => {
      api.kernel.handlers.set(verb, () => {
        if (askedOf(verb).length < 3) throw new Fault(lost);
        return freezeOf(FREEZE_ID);
      });
      const { status, json } = await ask();
      expect([status, json['freeze_id']]).toEqual([done, FREEZE_ID]);
      expect(askedOf(verb)).toHaveLength(3);
      expect(new Set(askedOf(verb)).size).toBe(1);
    },
  );

  it('is not sent again if it was refused', async () => {
    api.kernel.handlers.set(verb, () => {
      throw new Fault('not_found');
    });
    expect((await ask()).json['code']).toBe('not_found');
    expect(askedOf(verb)).toHaveLength(1);
  });

  it('ends as `bus.unreachable` without a reply', async () => {
    api.kernel.handlers.set(verb, () => {
      throw new Fault('deadline');
    });
    const { status, json } = await ask();
    expect([status, json['code']]).toEqual([503, 'bus.unreachable']);
    expect(askedOf(verb)).toHaveLength(4);
  });
});
