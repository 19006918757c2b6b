// SPDX-License-Identifier: Apache-2.0
//
// What programs do that want to seem harmless, or to keep something for later calls.
import { SandboxLost } from '../../../calls/sandbox-lost.ts';
import type { McpProgram, ProgramProcess } from '../../../specs/mcp-program.ts';
import { openProgramScene, SECRET, SETTINGS, type ProgramScene } from '../../../specs/program-scene.ts';
import { wordsOf } from './last-words.ts';
import { LAST_BYTES } from './kept-process.ts';

let scene: ProgramScene;
let program: McpProgram;
openProgramScene((opened) => {
  scene = opened;
  ({ program } = opened);
});

test.each([-32_700, -32_020])('a program that read its call and answers %i has not refused it', async (code) => {
  program.answers = { 'tools/call': (message, process) => process.error(message, code, 'I could not read that') };
  const { ended, error } = await scene.call();
  expect([ended, error?.code]).toEqual(['failed', 'mcp.failed']);
});

test('nobody answers a call that was not written yet by guessing its id', async () => {
  let process: ProgramProcess | undefined;
  program.begin = (begun) => (process = begun);
  scene.on.kernel.onEffect = async () => {
    const ids = process!.messages.map(({ id }) => String(id));
    const [session, last = '', ...rest] = ids.at(-1)!.split('.');
    const result = { resultType: 'complete', content: [], structuredContent: { number: 9 } };
    process!.say({ jsonrpc: '2.0', id: [session, Number(last) + 1, ...rest].join('.'), result });
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    return { v: 1, lease_until: 0, stop: false };
  };
  expect((await scene.call()).result).toMatchObject({ structured: { number: 7 } });
});

test("a start that failed is a pause for its own owner alone, who learns no other process's words", async () => {
  program.begin = (process) => {
    process.world.err('the database of Ann is gone\n');
    process.exit(1);
  };
  expect((await scene.call()).error?.message).toContain('“the database of Ann is gone”');
  const again = await scene.call();
  expect(again.error?.message).toContain('is started again in a moment');
  expect(again.error?.message).not.toContain('Ann');
  program.begin = () => undefined;
  expect(await scene.call({ redemption: { acts_for: 'person-2' } })).toMatchObject({ ended: 'exited' });
});

test('a start that the engine failed is none of the program: the attempt is lost, and nothing pauses', async () => {
  program.begin = (process) => process.exit({ ended: 'lost', reason: 'engine' } as never);
  await expect(scene.run()).rejects.toBeInstanceOf(SandboxLost);
  program.begin = () => undefined;
  expect(await scene.call()).toMatchObject({ ended: 'exited' });
});

test('a call goes back to its lane where no programs run', async () => {
  expect(await scene.run({}, { programImages: new Set() })).toBe('not_ours');
  expect(program.processes).toHaveLength(0);
});

test('a listing counts as a process while it runs', async () => {
  const counted: number[] = [];
  program.answers = {
    'tools/list': (message, process) => {
      counted.push(scene.programs.size);
      process.result(message, { tools: [], ttlMs: 0, cacheScope: 'private' });
    },
  };
  await scene.programs.list({
    tenantId: 'tenant',
    resourceId: 'res',
    settings: SETTINGS,
    image: 'image',
    resourceSecrets: { FILES: SECRET },
    signal: AbortSignal.timeout(30_000),
  });
  expect(counted).toEqual([1]);
  await vi.waitFor(() => expect(scene.programs.size).toBe(0));
});

describe('the last words of a process', () => {
  const end = (text: string) => {
    const bytes = Buffer.from(text);
    return { result: null, words: bytes.subarray(-LAST_BYTES), isCut: bytes.length >= LAST_BYTES };
  };
  const named = [['FILES', SECRET]] as const;

  test.each([...SECRET].map((_, at) => at))('hold no part of a value that was lost after %i bytes', (at) => {
    // Blanks are not shown, so that what stands before them is near the end.
    const said = wordsOf(end(`${SECRET}${' '.repeat(LAST_BYTES - SECRET.length + at)}`), named);
    expect(said.replace('“”', '')).toBe('');
  });

  test('hold no part of a value where they are shortened', () => {
    for (let shift = 0; shift < 2 * SECRET.length; shift += 1) {
      const said = wordsOf(end(`first ${SECRET} ${'y'.repeat(380 + shift)}`), named);
      for (let at = 0; at + 4 <= SECRET.length; at += 1) expect(said).not.toContain(SECRET.slice(at, at + 4));
    }
  });

  test('are the end of what was said', () => {
    expect(wordsOf(end(`${'log line\n'.repeat(2_000)}the disk is full\n`), named)).toMatch(/the disk is full”$/);
    expect(wordsOf(end('the disk is full\n'), named)).toBe(': “the disk is full”');
  });
});
