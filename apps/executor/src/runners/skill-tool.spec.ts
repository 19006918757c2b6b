// SPDX-License-Identifier: Apache-2.0
import { LIMITS, TOOLS, parseMessage, SKILL_READ, type SkillForCall } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { runSkillTool } from './skill-tool.ts';

const contents = new Map<string, Uint8Array>();
const fileOf = (path: string, bytes: Uint8Array) => {
  const sha256 = sha256Hex(bytes);
  contents.set(sha256, bytes);
  return { path, sha256, size: bytes.byteLength };
};
const SKILL = '---\nname: release\ndescription: d\n---\nFirst run the tests.\n';
const files = [
  fileOf('SKILL.md', Buffer.from(SKILL)),
  fileOf('logo.png', Uint8Array.of(0x89, 0x50, 0, 0xff)),
  fileOf('long.txt', Buffer.alloc(LIMITS.skillFileBytes.max, 'x')),
  fileOf('noise.bin', Buffer.alloc(LIMITS.skillFileBytes.max)),
];
const atHand: SkillForCall = {
  found: { digest: '7'.repeat(64), manifest: { v: 1, name: 'release', description: 'd', files } },
  names: ['deploy', 'release'],
};
const run = (args: Record<string, unknown>, skill: SkillForCall | undefined = atHand) =>
  runSkillTool({ toolId: SKILL_READ.tool_id, args, ...(skill === undefined ? {} : { skill }) }, (sha256) =>
    Promise.resolve(contents.get(sha256) as Uint8Array),
  );

test('skill.read returns SKILL.md by default, with the digest of the version and the list of files', async () => {
  const answer = await run({ skill: 'release' });
  expect(answer).toMatchObject({
    ok: true,
    delta: null,
    blobs: [],
    result: {
      skill: 'release',
      digest: '7'.repeat(64),
      path: 'SKILL.md',
      content: SKILL,
      encoding: 'utf8',
      files: files.map(({ path, size }) => ({ path, size })),
    },
  });
  if (answer.ok) parseMessage(TOOLS.get('skill.read')?.result as typeof SKILL_READ.result, answer.result);
});

test('skill.read returns any file completely, as base64 where it is no text', async () => {
  expect(await run({ skill: 'release', path: 'logo.png' })).toMatchObject({
    result: { content: 'iVAA/w==', encoding: 'base64', size: 4 },
  });
  for (const path of ['long.txt', 'noise.bin']) {
    const answer = await run({ skill: 'release', path });
    const { content, encoding } = (answer.ok ? answer.result : null) as {
      content: string;
      encoding: 'utf8' | 'base64';
    };
    expect([Buffer.from(content, encoding).byteLength, content.length <= LIMITS.outputBytes.max]).toEqual([
      LIMITS.skillFileBytes.max,
      true,
    ]);
  }
});

test('skill.read of an unknown skill or file lists the existing ones', async () => {
  expect(await run({ skill: 'x`y' }, { found: null, names: ['deploy', 'release'] })).toMatchObject({
    ok: false,
    code: 'skill.unknown',
    message: 'there is no skill `x\\u{60}y`; the skills are `deploy`, `release`',
  });
  expect(await run({ skill: 'x' }, { found: null, names: [] })).toMatchObject({
    ok: false,
    message: 'there is no skill `x`; there are none',
  });
  for (const path of ['../SKILL.md', './SKILL.md', '/SKILL.md', 'skill.md', 'toString', ''])
    expect(await run({ skill: 'release', path })).toMatchObject({
      ok: false,
      code: 'skill.unknown',
      message: expect.stringContaining('its files are `SKILL.md`, `logo.png`'),
    });
  expect(
    await run({ skill: 'x' }, { found: null, names: Array.from({ length: 100 }, (_, n) => `s${n}`) }),
  ).toMatchObject({ message: expect.stringMatching(/`s23` and 76 more$/) });
});

test('skill.read without a skill from the kernel throws', async () => {
  await expect(
    runSkillTool({ toolId: SKILL_READ.tool_id, args: { skill: 'a' } }, () => Promise.reject(new Error('none'))),
  ).rejects.toThrow('without its skill');
});
