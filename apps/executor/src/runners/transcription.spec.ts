// SPDX-License-Identifier: Apache-2.0
import { MemoryAudioIngest, wavOf, type AudioIngest, type DeviceId } from '@writ/audio';
import {
  AUDIO_TRANSCRIBE,
  bindTool,
  formatId,
  type BoundResource,
  type Redemption,
  type ResourceKind,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { FakeTranscriber, Transcriber, type TranscribeOptions, type Transcript } from '@writ/transcription';
import { EgressFixture, OUTSIDE_HOSTS } from '../specs/egress-fixture.ts';
import type { ExternalHosts } from '../specs/external-hosts.ts';
import { tenantId, type ScriptedKernel } from '../specs/scripted-kernel.ts';
import { transcriptionOn } from '../specs/transcription-fixture.ts';
import { BrokerRunner } from './broker-runner.ts';
import type { LocalModel } from './transcription.ts';

let world: EgressFixture;
let outside: ExternalHosts;
let kernel: ScriptedKernel;
let root: string;
let ingest: AudioIngest;
beforeEach(async () => {
  world = await EgressFixture.open();
  ({ outside, kernel, root } = world);
  ingest = new MemoryAudioIngest();
});
afterEach(() => world.close());

const KEY = Buffer.alloc(32, 3);
const DEVICE = formatId('resource', new Uint8Array(16).fill(1));
const resource = (kind: ResourceKind, name: string, settings: Record<string, unknown>): BoundResource => ({
  resource_id: kind === 'audio_device' ? DEVICE : formatId('resource', new Uint8Array(16).fill(2)),
  kind,
  name,
  owner_agent_id: null,
  settings,
  digest: resourceDigest({ kind, name, settings }),
});
const MIC = resource('audio_device', 'mic', { retention_seconds: 600, buffer_bytes: 8_388_608 });
const service = (url: string, secret?: string): BoundResource =>
  resource('model', 'service', {
    task: 'transcription',
    provider: { kind: 'openai', url, model: 'whisper-x', ...(secret === undefined ? {} : { secret }) },
  });
const LOCAL = resource('model', 'ears', { task: 'transcription', provider: { kind: 'local', model: 'fake' } });

const fake = (transcriber: Transcriber = new FakeTranscriber()): LocalModel => ({ transcriber, atOnce: 1 });
/** A tone, which the fake hears as the word `beep`. */
const TONE = new Float32Array(16_000).map((_, i) => Math.sin(i / 6) / 2);

async function run(
  args: Record<string, unknown>,
  resources: readonly BoundResource[] = [],
  { local = fake(), redemption = {} }: { local?: LocalModel | null; redemption?: Partial<Redemption> } = {},
) {
  const message = kernel.order('audio.transcribe', args, root, {
    definition: bindTool(AUDIO_TRANSCRIBE, resources),
    redemption: {
      net: OUTSIDE_HOSTS,
      ...(resources.length === 0 ? {} : { resources: [...resources] }),
      ...(resources.includes(MIC) ? { audio_key: KEY.toString('base64') } : {}),
      ...redemption,
    },
  });
  const runner = new BrokerRunner(kernel.blobs, world.gate(), () => performance.now(), {
    transcription: transcriptionOn(kernel.blobs, { local, ingest }),
  });
  expect(await kernel.executor([runner]).run(message, 'broker')).toBe('reported');
  return kernel.reports.at(-1)!;
}

async function record(seconds: number): Promise<void> {
  await ingest.open(tenantId, DEVICE as DeviceId, { ageMsMax: 600_000 });
  const pcm = wavOf(TONE).subarray(44);
  const frames = Array.from({ length: seconds }, (_, seq) => ({
    seq,
    startMs: Date.now() - (seconds - seq) * 1_000,
    pcm,
  }));
  await ingest.append(tenantId, DEVICE as DeviceId, frames, {
    retention: { bytesMax: 8_388_608, ageMsMax: 600_000 },
    nowMs: Date.now(),
    key: KEY,
  });
}

describe('audio.transcribe', () => {
  it.each([
    [{ path: 'out/body.json' }, 'audio.unreadable', {}],
    [{ path: 'none.wav' }, 'file.not_found', {}],
    [{ path: 'out/body.json' }, 'token.scope', { fs: [[{ path: 'src', read: true, write: false }]] }],
    [{ path: 'out/body.json', language: 'no tag' }, 'args.invalid', {}],
  ])('of %j fails as `%s`', async (args, code, redemption) => {
    expect(await run(args, [], { redemption })).toMatchObject({ ended: 'failed', error: { code } });
  });

  it('without a model beside the executor says what to do', async () => {
    expect(await run({ path: 'out/body.json' }, [], { local: null })).toMatchObject({
      ended: 'failed',
      error: { code: 'tool.not_available', hint: expect.stringContaining('npm run speech-model') as string },
    });
  });

  it('hears the last seconds of a device, with times and gaps from the start of the window', async () => {
    await record(3);
    const report = await run({ device: 'mic', last_seconds: 5, model: 'ears' }, [MIC, LOCAL]);
    expect(report).toMatchObject({
      ended: 'exited',
      result: {
        text: 'beep',
        model: 'fake',
        words_omitted: false,
        gaps: [{ start_ms: 0, reason: 'missing' }],
        audio: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, next_seq: 3 },
      },
    });
  });

  it('of a device that sent nothing has no text, and no engine is asked', async () => {
    class Refusing extends FakeTranscriber {
      override transcribe(): Promise<Transcript> {
        return Promise.reject(new Error('asked'));
      }
    }
    const local = fake(new Refusing());
    for (const args of [{}, { since_seq: 4 }, { from: '2027-01-01T00:00:00Z', to: '2027-01-01T00:01:00Z' }])
      expect(await run({ device: 'mic', model: 'ears', ...args }, [MIC, LOCAL], { local })).toMatchObject({
        ended: 'exited',
        result: { text: '', duration_ms: 0, audio: { sha256: null } },
      });
  });

  it('ends the work of the engine when its time is over', async () => {
    let ended = false;
    class Hanging extends FakeTranscriber {
      override transcribe(_audio: unknown, { signal }: TranscribeOptions): Promise<Transcript> {
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended = true;
            reject(signal.reason as Error);
          });
        });
      }
    }
    const limits = { ...AUDIO_TRANSCRIBE.limits, wall_ms: 300 };
    const report = await run({ path: 'out/body.json', model: 'ears' }, [LOCAL], {
      local: fake(new Hanging()),
      redemption: { limits },
    });
    expect(report).toMatchObject({ ended: 'timeout', error: { code: 'command.timeout' } });
    expect(ended).toBe(true);
  });

  it('sends the audio to a registered service with its key, and reads the answer', async () => {
    outside.answer = (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ text: 'hello', language: 'english', duration: 1, words: [], segments: [] }));
    const report = await runTone(service('https://api.outside.example/v1', 'K'));
    expect(report).toMatchObject({
      ended: 'exited',
      result: { text: 'hello', language: 'en', model: 'whisper-x' },
      requests: [
        { method: 'POST', target: 'https://api.outside.example/v1/audio/transcriptions', outcome: 'answered' },
      ],
    });
    expect(outside.received).toMatchObject([{ headers: { authorization: 'Bearer the-key' } }]);
    // A transcription changes nothing there, so it may be tried again.
    expect(kernel.requestedVerbs).not.toContain('kernel.effect_started');
  });

  it.each([
    ['key of a service over `http`', service('http://api.outside.example/v1', 'K'), 'egress.refused'],
    ['audio to a host that the token does not name', service('https://evil.example/v1'), 'token.scope'],
  ])('sends no %s', async (_what, model, code) => {
    expect(await runTone(model)).toMatchObject({ ended: 'failed', error: { code } });
    expect(outside.received).toEqual([]);
  });
});

/** A call on a device whose recording is a tone. */
async function runTone(model: BoundResource) {
  await record(1);
  const secrets = { 'resource:K': 'the-key' };
  return await run({ device: 'mic', model: 'service' }, [MIC, model], { redemption: { secrets } });
}
