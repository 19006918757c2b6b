// SPDX-License-Identifier: Apache-2.0
//
// What a narrow token learns from the preconditions that it names: nothing of what lies outside of its roots.
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  kernel.policy.answer = () => AUTOPILOT;
  await tenant.write({ 'src/a.txt': 'a', 'private/b.txt': 'b' });
});

const answerTo = async (token: string, ref: string, version: string) => {
  const call = tenant.call(token, {
    tool_id: 'fs.list',
    args: { path: 'src' },
    precondition_refs: [{ kind: 'path', ref, version }],
  });
  const { result, state, reasons } = await kernel.admit.run(call, null);
  return { state, reasons, error: result?.error ?? null };
};

it('a precondition on a path outside of the roots gets one answer, whether the file exists, fits, or is absent', async () => {
  const token = await tenant.token({ fs: [{ path: 'src', read: true, write: true }] });
  const answers = [];
  for (const [name, version] of [
    ['private/b.txt', hashOf('b')],
    ['private/b.txt', hashOf('other')],
    ['private/b.txt', 'absent'],
    ['private/c.txt', 'absent'],
    ['private/c.txt', hashOf('b')],
  ] as const) {
    const { error, ...others } = await answerTo(token, name, version);
    expect(error).toMatchObject({ code: 'token.scope' });
    answers.push(JSON.stringify({ error, ...others }).replaceAll(name, 'PATH'));
  }
  expect(new Set(answers).size).toBe(1);
});

it('a token of the chain that does not reach the path is enough to refuse it', async () => {
  const wide = await tenant.token();
  const narrow = await tenant.token({ fs: [{ path: 'src', read: true, write: false }] }, { parent_id: wide as never });
  expect(await answerTo(narrow, 'private/b.txt', hashOf('b'))).toMatchObject({ error: { code: 'token.scope' } });
  expect(await answerTo(wide, 'private/b.txt', hashOf('b'))).toMatchObject({ state: 'admitted' });
});

it('a precondition within the roots is judged, also where they only write', async () => {
  const token = await tenant.token({
    fs: [
      { path: 'src', read: true, write: false },
      { path: 'private', read: false, write: true },
    ],
  });
  for (const [ref, text] of [
    ['src/a.txt', 'a'],
    ['private/b.txt', 'b'],
  ] as const) {
    expect(await answerTo(token, ref, hashOf(text))).toMatchObject({ state: 'admitted' });
    expect(await answerTo(token, ref, 'absent')).toMatchObject({ error: { code: 'precondition.failed' } });
  }
});
