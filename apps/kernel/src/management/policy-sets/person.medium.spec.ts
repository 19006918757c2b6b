// SPDX-License-Identifier: Apache-2.0
// The person on whose behalf a call is made: in policy, in its row and in its record.
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: PolicyKernel;
let tenant: TestTenant;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
});

const decided = async (more: object) => {
  const view = await kernel.admit.run(tenant.call(await tenant.token(), more), null);
  return [view.state, view.reasons[0]?.code];
};
const not = (condition: string) =>
  setOf(
    'person',
    `@id("person") @reason("not for that person") @would_pass("another person") forbid (principal, action, resource) when { ${condition} };`,
  );

it('a rule reads the pseudonym of the person, and the key of a call without one', async () => {
  const [ann, bob] = [newId('person'), newId('person')];
  await kernel.install(tenant, not(`context has person && context.person.id == "${ann}"`));
  expect(await decided({ person: ann })).toEqual(['refused', 'person']);
  expect((await decided({ person: bob }))[0]).toBe('admitted');
  await kernel.install(tenant, not('context has person && !context.person.known'));
  expect(await decided({})).toEqual(['refused', 'person']);
  expect((await decided({ person: bob }))[0]).toBe('admitted');
  await kernel.install(tenant, not(`context has person && context.person.id == "${tenant.keyId}"`));
  expect(await decided({})).toEqual(['refused', 'person']);
});

it('the record of a call has the pseudonym, and none where no person is known', async () => {
  const person = newId('person');
  for (const more of [{ person }, {}]) {
    const { operation_id } = await kernel.admit.run(tenant.call(await tenant.token(), more), null);
    expect(await tenant.row(operation_id)).toMatchObject({ operation_id });
  }
  const [named, unnamed] = (await tenant.records()).filter(({ kind }) => kind === 'tool_call');
  expect(named).toMatchObject({ person });
  expect(unnamed).not.toHaveProperty('person');
});

it('a proposal that is sent again after its person was forgotten is the same call', async () => {
  const call = tenant.call(await tenant.token(), { person: newId('person') });
  const first = await kernel.admit.run(call, null);
  const again = await kernel.admit.run({ ...call, person: newId('person') }, null);
  expect(again.operation_id).toBe(first.operation_id);
});
