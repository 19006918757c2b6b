// SPDX-License-Identifier: Apache-2.0
// Guides whose commands concern one tenant. tests/e2e/src/freeze.spec.ts runs the one that stops every tenant.
import { vi } from 'vitest';
import { sharedStack } from '@writ/stack';
import { GuideFolder } from '../guide.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: GuideFolder;
beforeAll(async () => {
  folder = await GuideFolder.open(await sharedStack());
});
afterAll(() => folder?.remove());

it.each([
  ['how-to/capability-tokens.md', /budget +bound +used +reserved +left/],
  ['how-to/api-keys.md', /kind +api key[^]*former secret until|kind +api key/],
  ['how-to/token-exchange.md', /kind +exchanged token[^]*token +cap_/],
  ['how-to/approvals.md', /votes +1 of 2/],
  ['how-to/records.md', /index +recorded +what +tool/],
  ['how-to/call-settings.md', /output of commands +1048576 bytes at most/],
  ['how-to/long-commands.md', /step 1\nstep 2\nstep 3/],
  ['how-to/erasure.md', /erased +its content, .* by ers_/],
  ['how-to/functions.md', /executed by +the holder of key_/],
  ['how-to/turns.md', /\[TOOL_RESULT:c1\] status=Completed result=[^]*"tool_use_id":"toolu_1"[^]*stale-preview/],
])('every command of %s works as the guide describes', async (guide, shown) => {
  expect(await folder.run(guide)).toMatch(shown);
});
