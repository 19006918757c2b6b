// SPDX-License-Identifier: Apache-2.0
import { formatId } from './ids.ts';
import { parseMessage } from './parse.ts';
import { imageForCall, SandboxImages } from './sandbox-images.ts';

const digest = (digit: number) => `sha256:${String(digit).repeat(64)}`;
const [one, two] = [1, 2].map((byte) => formatId('tenant', new Uint8Array(16).fill(byte))) as [string, string];
const call = (tenant_id: string, tool_id = 'shell.run') => ({ tenant_id, tool_id });

describe('imageForCall', () => {
  const images = parseMessage(SandboxImages, {
    v: 1,
    images: [
      { digest: digest(1), tenants: [one], tools: ['shell.session'] },
      { digest: digest(2), tenants: [one], pools: [{ count: 2 }, { memory_bytes: 1, pids: 1, count: 1 }] },
      { digest: digest(3), tools: ['lint'] },
    ],
  });

  it('returns the first row that matches both tenant and tool', () => {
    expect(
      [call(one, 'shell.session'), call(one), call(one, 'lint'), call(two, 'lint')].map((each) =>
        imageForCall(images, each),
      ),
    ).toEqual([1, 2, 2, 3].map(digest));
  });

  it("returns null without a matching row, for the deployment's own image", () => {
    expect([call(two), call(two, 'shell.session')].map((each) => imageForCall(images, each))).toEqual([null, null]);
  });
});

it.each([
  ['a name in the place of a digest', { digest: 'debian:bookworm' }],
  ['a list that is empty', { digest: digest(1), tenants: [] }],
  ['a member that nobody reads', { digest: digest(1), tool: ['shell.run'] }],
  ['a tenant that is no id', { digest: digest(1), tenants: ['acme'] }],
])('a document with %s is refused', (_what, row) => {
  expect(() => parseMessage(SandboxImages, { v: 1, images: [row] })).toThrow(/images\/0/);
});
