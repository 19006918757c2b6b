// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Audio } from '@writ/transcription';
import { LocalTranscriber, type LocalTranscriberOptions } from './local-transcriber.ts';

const PROGRAM = new URL('./specs/engine-that.ts', import.meta.url);
const AUDIO: Audio = { kind: 'pcm', samples: new Float32Array(1_600) };
const FILE: Audio = { kind: 'file', bytes: new Uint8Array(4) };
const OPTIONS = { model: 'moonshine-base-en', signal: new AbortController().signal };

let dir: string;
const open: LocalTranscriber[] = [];
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'engines-'));
});
afterEach(() => open.splice(0).forEach((transcriber) => transcriber.close()));
afterAll(() => rmSync(dir, { recursive: true }));

/** A transcriber whose engine behaves like that. */
function engineThat(behaviour: string, options: Partial<LocalTranscriberOptions> = {}): LocalTranscriber {
  const modelDir = join(dir, behaviour);
  mkdirSync(modelDir, { recursive: true });
  const transcriber = new LocalTranscriber({ modelDir, program: PROGRAM, startMs: 20_000, ...options });
  open.push(transcriber);
  return transcriber;
}

describe('an engine in its process', () => {
  it('serves calls one after another, and ends when it has nothing to do', async () => {
    const transcriber = engineThat('works', { idleMs: 300 });
    const first = await transcriber.transcribe(AUDIO, OPTIONS);
    const second = await transcriber.transcribe(AUDIO, OPTIONS);
    expect(second.text).toBe(first.text);
    await vi.waitFor(() => expect(() => process.kill(Number(first.text), 0)).toThrow('ESRCH'), { timeout: 10_000 });
    expect((await transcriber.transcribe(AUDIO, OPTIONS)).text).not.toBe(first.text);
  });

  it('serves one call alone if it may not wait for another', async () => {
    const transcriber = engineThat('works', { idleMs: 0, engines: 2 });
    const calls = [transcriber.transcribe(AUDIO, OPTIONS), transcriber.transcribe(AUDIO, OPTIONS)];
    const [first, second] = await Promise.all(calls);
    expect(first?.text).not.toBe(second?.text);
  });

  it('that crashes fails that one call, once, and the next call gets a new engine', async () => {
    const transcriber = engineThat('works');
    const { text: before } = await transcriber.transcribe(AUDIO, OPTIONS);
    await expect(transcriber.transcribe(FILE, OPTIONS)).rejects.toMatchObject({
      code: 'transcription.failed',
      cause: { message: expect.stringContaining('SIGSEGV') as string },
    });
    expect((await transcriber.transcribe(AUDIO, OPTIONS)).text).not.toBe(before);
  });

  it('goes on after audio that it cannot read', async () => {
    const transcriber = engineThat('cannot read it');
    const texts = [];
    for (let n = 0; n < 2; n++)
      texts.push(await transcriber.transcribe(AUDIO, OPTIONS).catch((error: Error) => error.message));
    expect(texts[0]).toMatch(/^by \d+$/);
    expect(texts[1]).toBe(texts[0]);
  });

  it.each(['exits', 'babbles', 'says no JSON', 'lies about times', 'claims any fault'])(
    'that %s fails the call',
    async (behaviour) => {
      await expect(engineThat(behaviour).transcribe(AUDIO, OPTIONS)).rejects.toMatchObject({
        code: 'transcription.failed',
      });
    },
  );

  it.each(['hangs', 'spins for ever'])('that %s is ended after its time', async (behaviour) => {
    await expect(engineThat(behaviour, { startMs: 2_000 }).transcribe(AUDIO, OPTIONS)).rejects.toMatchObject({
      code: 'deadline',
    });
  });

  it('that eats memory dies of it, and the call fails', async () => {
    const transcriber = engineThat('eats memory', { memoryBytesMax: 1024 ** 3 });
    await expect(transcriber.transcribe(AUDIO, OPTIONS)).rejects.toMatchObject({ code: 'transcription.failed' });
  });

  it('that eats memory dies of it where no shell limits it, and works there otherwise', async () => {
    const alone = { memoryBytesMax: 1024 ** 3, shell: '/no/shell' };
    await expect(engineThat('eats memory', alone).transcribe(AUDIO, OPTIONS)).rejects.toMatchObject({
      code: 'transcription.failed',
    });
    const { text } = await engineThat('looks around', alone).transcribe(AUDIO, OPTIONS);
    expect(JSON.parse(text)).toMatchObject({ variables: [], passwd: 'ERR_ACCESS_DENIED' });
  });

  it.each([
    ['ends at its start', 'transcription.unavailable'],
    ['starts never', 'deadline'],
  ])('that %s is reported as `%s`', async (behaviour, code) => {
    await expect(engineThat(behaviour, { startMs: 2_000 }).transcribe(AUDIO, OPTIONS)).rejects.toMatchObject({ code });
  });

  it('is ended when the call is cancelled, with the reason of the signal', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const call = engineThat('hangs').transcribe(AUDIO, { ...OPTIONS, signal: abort.signal });
    setTimeout(() => abort.abort(reason), 500);
    await expect(call).rejects.toBe(reason);
  });

  it('is ended with its transcriber, which then refuses calls', async () => {
    const transcriber = engineThat('hangs');
    const call = transcriber.transcribe(AUDIO, OPTIONS).catch((error: { code: string }) => error.code);
    setTimeout(() => transcriber.close(), 500);
    // On a busy machine it has not started by then.
    expect(['transcription.failed', 'transcription.unavailable']).toContain(await call);
    await expect(transcriber.transcribe(AUDIO, OPTIONS)).rejects.toMatchObject({ code: 'transcription.unavailable' });
  });

  it('serves as many calls at once as it has engines, and refuses one more', async () => {
    const transcriber = engineThat('works', { engines: 2 });
    const calls = Array.from({ length: 3 }, () =>
      transcriber.transcribe(AUDIO, OPTIONS).then(
        () => 'heard',
        (error: { code: string }) => error.code,
      ),
    );
    expect(await Promise.all(calls)).toEqual(['heard', 'heard', 'overloaded']);
    expect((await transcriber.transcribe(AUDIO, OPTIONS)).text).not.toBe('');
  });

  it('has no variable of ours, reads and writes no file, and starts no process', async () => {
    vi.stubEnv('WRIT_SECRET', 'x');
    const { text } = await engineThat('looks around').transcribe(AUDIO, OPTIONS);
    expect(JSON.parse(text)).toMatchObject({
      variables: [],
      passwd: 'ERR_ACCESS_DENIED',
      root: 'ERR_ACCESS_DENIED',
      temporary: 'ERR_ACCESS_DENIED',
      children: 'ERR_ACCESS_DENIED',
    });
  });

  const isolates = spawnSync('unshare', ['-rn', 'true']).status === 0;
  const why = isolates ? '' : ' (skipped: this kernel gives no network namespace to the user)';
  it.skipIf(!isolates)(`has no network${why}`, async () => {
    const { text } = await engineThat('looks around').transcribe(AUDIO, OPTIONS);
    expect(JSON.parse(text)).toMatchObject({ interfaces: [] });
  });

  it('of which the model is missing says how to get it', async () => {
    const transcriber = new LocalTranscriber({ modelDir: join(dir, 'nothing') });
    open.push(transcriber);
    await expect(transcriber.transcribe(AUDIO, OPTIONS)).rejects.toMatchObject({
      code: 'transcription.unavailable',
      message: expect.stringMatching(/is missing.*npm run speech-model/) as string,
    });
  });

  it('of a model that is unknown is not started', async () => {
    const call = engineThat('ends at its start').transcribe(AUDIO, { ...OPTIONS, model: 'whisper-1' });
    await expect(call).rejects.toMatchObject({
      code: 'transcription.model_unknown',
      message: 'there is no model of that name; there are: `moonshine-base-en`',
    });
  });

  it('hears no audio that is too long, and no file that is too large, and is not started for it', async () => {
    const transcriber = engineThat('ends at its start', { durationMsMax: 50, fileBytesMax: 3 });
    for (const audio of [AUDIO, FILE])
      await expect(transcriber.transcribe(audio, OPTIONS)).rejects.toMatchObject({ code: 'audio.too_long' });
  });
});
