// SPDX-License-Identifier: Apache-2.0
// Transcription with real speech, through the public API: a synthetic voice speaks, and the local model hears files,
// devices and streams. A service hears what a registered model sends it to.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import { encodeFrame, type AudioFrame } from '@writ/audio';
import {
  eventually,
  makeWorld,
  openFakeInternet,
  startStack,
  verifiedReceipt,
  type Answer,
  type Api,
  type FakeInternet,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { wordErrors } from '@writ/testing';
import { findSpeaker, framesFrom } from './speaker.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const found = findSpeaker();
const why = typeof found === 'string' ? ` (skipped: ${found})` : '';
const { modelDir, say } = typeof found === 'string' ? { modelDir: '', say: (): Buffer => Buffer.alloc(0) } : found;

const SENTENCE = 'The train from London arrives on platform seven.';
const OTHER = 'Nobody knows when the mountain road will open again.';
/** Half of the words, at most: a synthetic voice is not what the model was made for. */
const ERROR_RATE_MAX = 1 / 3;
const BYTES = { 'content-type': 'application/octet-stream' };

describe.skipIf(why !== '')(`transcription${why}`, () => {
  let fakeInternet: FakeInternet;
  let received: { path: string; authorization: string | undefined; body: Buffer }[];
  let stack: Stack;
  let world: World;
  let deviceKey: Api;
  let device: string;
  let token: string;

  beforeAll(async () => {
    received = [];
    fakeInternet = await openFakeInternet((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { authorization } = request.headers;
        received.push({ path: request.url ?? '', authorization, body: Buffer.concat(parts) });
        response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            task: 'transcribe',
            language: 'german',
            duration: 2,
            text: 'Guten Tag',
            words: [
              { word: 'Guten', start: 0, end: 0.5 },
              { word: 'Tag', start: 0.6, end: 1 },
            ],
            segments: [{ id: 0, start: 0, end: 1, text: 'Guten Tag', avg_logprob: -0.1, no_speech_prob: 0 }],
          }),
        );
      });
    });
    stack = await startStack({
      programs: { executor: [fakeInternet.program] },
      env: { executor: { ...fakeInternet.env, WRIT_SPEECH_MODEL_DIR: modelDir } },
    });
    world = await makeWorld(stack.url, stack.keys.platformKey);
    const { admin, agentId, workspaceId } = world;
    const uploader = (await admin.must('/v1/agents', { name: 'the microphone' })).agent_id as string;
    const key = await admin.must('/v1/api-keys', { name: 'mic', role: 'agent', agent_id: uploader });
    deviceKey = admin.as(key.api_key as string);
    const register = async (kind: string, name: string, settings: object): Promise<string> =>
      (await admin.must('/v1/resources', { kind, name, settings })).resource_id as string;
    device = await register('audio_device', 'mic', { retention_seconds: 600, buffer_bytes: 8_388_608, uploader });
    await admin.request('PUT', '/v1/secrets', { name: 'SPEECH_KEY', value: 'key-of-the-service' });
    await register('model', 'service', {
      task: 'transcription',
      provider: { kind: 'openai', url: 'https://speech.outside.example/v1', model: 'whisper-x', secret: 'SPEECH_KEY' },
    });
    await register('model', 'ears', { task: 'transcription', provider: { kind: 'local', model: 'moonshine-base-en' } });
    await register('model', 'vectors', { task: 'embedding', provider: { kind: 'local', model: 'x' } });
    for (const kind of ['audio_device', 'model'])
      await admin.request('PUT', '/v1/resource-grants', {
        kind,
        resource_id: null,
        right: 'use',
        agent_id: agentId,
        clearance: 'autopilot',
      });
    const grant = {
      tools: ['*'],
      fs: [{ path: '', read: true, write: true }],
      net: [{ domain: 'speech.outside.example', methods: ['POST'] }],
      resources: ['audio_device:*', 'model:*'],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    };
    token = (await admin.must('/v1/capability-tokens', { agent_id: agentId, workspace_id: workspaceId, grant }))
      .capability_token_id as string;
  });
  beforeAll(async () => {
    const path = `/v1/workspaces/${world.workspaceId}/files/said.wav`;
    expect((await world.admin.request('PUT', path, say(SENTENCE), BYTES)).status).toBe(200);
  });
  afterAll(async () => {
    await stack?.stop();
    fakeInternet?.close();
  });

  const transcribe = async (args: object): Promise<JsonValue> => {
    const { body } = await world.call('audio.transcribe', args, { capability_token_id: token }, 50_000);
    return ['committed', 'no_op', 'rolled_back', 'refused'].includes(body.tx_outcome as string) || body.error
      ? body
      : await world.until(body.operation_id as string, ['committed', 'no_op'], 200_000);
  };
  const heard = async (args: object): Promise<JsonValue> => {
    const body = await transcribe(args);
    expect(body, JSON.stringify(body)).toMatchObject({ status: 'ok' });
    return body.result;
  };
  const send = (frames: readonly AudioFrame[], by = deviceKey, id = device): Promise<Answer<JsonValue>> =>
    by.request('POST', `/v1/audio-devices/${id}/frames`, Buffer.concat(frames.map(encodeFrame)), BYTES);
  const nextSeq = async (): Promise<number> => (await send([])).body.next_seq as number;
  const expectWords = (said: string, text: string): void => {
    const { errors, words } = wordErrors(said, text);
    expect(errors / words, text).toBeLessThan(ERROR_RATE_MAX);
  };

  // Before anything is heard: policy holds what would leave a session that heard a device.
  it('of a registered service sends the audio there with the key, and reads its answer', async () => {
    const result = await heard({ path: 'said.wav', model: 'service', language: 'de-AT' });
    expect(result).toMatchObject({
      text: 'Guten Tag',
      language: 'de',
      model: 'whisper-x',
      words: [
        { text: 'Guten', start_ms: 0, end_ms: 500, confidence: null },
        { text: 'Tag', start_ms: 600, end_ms: 1_000, confidence: null },
      ],
    });
    expect(received).toMatchObject([{ path: '/v1/audio/transcriptions', authorization: 'Bearer key-of-the-service' }]);
    expect(received[0]?.body.includes(say(SENTENCE).subarray(1_000, 20_000))).toBe(true);
  });

  it('of a file has its words, their times, and a receipt that vouches for the digest of the audio', async () => {
    const wav = say(SENTENCE);
    const body = await transcribe({ path: 'said.wav', language: 'en' });
    expect(body, JSON.stringify(body)).toMatchObject({ status: 'ok' });
    const { result } = body;
    expectWords(SENTENCE, result.text as string);
    expect(result).toMatchObject({
      language: 'en',
      model: 'moonshine-base-en',
      words_omitted: false,
      gaps: [],
      audio: { sha256: createHash('sha256').update(wav).digest('hex'), from: null, to: null, next_seq: null },
    });
    expect(result.words.length).toBeGreaterThan(4);
    expect(result.words.at(-1).end_ms).toBeLessThanOrEqual(result.duration_ms as number);
    const { record } = await verifiedReceipt(stack, world, body.operation_id as string, 'outcome');
    expect(record).toMatchObject({ tool_id: 'audio.transcribe' });
    expect(JSON.stringify(record)).not.toContain('London');
  });

  it('of a device hears what its uploader sent, and nobody else sends for it', async () => {
    const wav = say(SENTENCE);
    const frames = framesFrom(wav, 0, Date.now() - 20_000);
    for (const [by, status] of [
      [world.agent, 404],
      [world.auditor, 403],
    ] as const)
      expect((await send(frames, by)).status).toBe(status);
    expect((await send(frames)).body).toMatchObject({ stored: frames.length, repeated: 0, next_seq: frames.length });
    expect((await send(frames)).body).toMatchObject({ stored: 0, repeated: frames.length });
    const { body: state } = await world.operator.get(`/v1/audio-devices/${device}`);
    expect(state).toMatchObject({ name: 'mic', next_seq: frames.length, frames: frames.length, gaps: [] });
    const result = await heard({ device: 'mic', last_seconds: 30, model: 'ears' });
    expectWords(SENTENCE, result.text as string);
    expect(result.audio).toMatchObject({
      next_seq: frames.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(await heard({ device, since_seq: frames.length })).toMatchObject({
      text: '',
      audio: { sha256: null, next_seq: frames.length },
    });
  });

  it('of a stream hears what comes from now on, and goes on where the last answer ended', async () => {
    const seq = await nextSeq();
    const listening = heard({ device: 'mic', listen_seconds: 8 });
    await pause(1_000);
    const live = framesFrom(say(OTHER), seq, Date.now());
    for (const frame of live) {
      await pause(Math.max(0, frame.startMs + 1_000 - Date.now()));
      expect((await send([frame])).status).toBe(200);
    }
    const result = await listening;
    expectWords(OTHER, result.text as string);
    expect(result.gaps).toMatchObject([{ reason: 'missing' }, { reason: 'missing' }]);
    const { next_seq, recorded_until } = (await send([])).body;
    // A device whose clock was set back is told so, and what it sends at a later time is heard.
    const early = await send(framesFrom(say(SENTENCE), next_seq as number, Date.now() - 30_000));
    expect(early).toMatchObject({ status: 422, body: { code: 'audio.unreadable' } });
    const more = framesFrom(say(SENTENCE), next_seq as number, recorded_until as number);
    expect((await send(more)).body).toMatchObject({ stored: more.length });
    const rest = await heard({ device: 'mic', since_seq: result.audio.next_seq as number });
    expectWords(SENTENCE, rest.text as string);
  });

  it('is what the three actions of blocks do, and one without a target asks for it', async () => {
    const output = [
      '[TOOL_CALL:a] {"targetId":"mic","transcriptionModelId":"ears","language":"en"}',
      '[TOOL_CALL:b] {"action":"transcribe_from_audio_file","targetId":"said.wav"}',
      '[TOOL_CALL:c] {"action":"transcribe_from_audio_stream"}',
    ].join('\n');
    const { body } = await world.agent.post('/v1/turns?wait=50000', {
      dialect: 'blocks',
      output,
      turn_id: 'heard-1',
      session_id: 'ses-heard',
      capability_token_id: token,
      workspace_id: world.workspaceId,
    });
    expect(body.calls).toMatchObject([{ tool_id: 'audio.transcribe' }, { tool_id: 'audio.transcribe' }]);
    expect(JSON.stringify(body)).toContain('needs `targetId`');
  });

  it.each([
    [{ path: 'said.wav', model: 'vectors' }, 'args.invalid'],
    [{ path: 'said.wav', language: 'de' }, 'args.invalid'],
    [{ path: 'none.wav' }, 'file.not_found'],
    [{ device: 'other' }, 'resource.unknown'],
    [{ path: 'said.wav', device: 'mic' }, 'args.invalid'],
  ])('of %j fails as `%s`', async (args, code) => {
    expect(await transcribe(args)).toMatchObject({ error: { code } });
  });

  it('ends with the device: its recordings go, its frames are refused, and each upload has a record', async () => {
    const seq = await nextSeq();
    expect((await world.admin.request('DELETE', `/v1/resources/${device}`)).status).toBe(200);
    expect((await send(framesFrom(say(SENTENCE), seq, Date.now()))).status).toBe(404);
    expect((await world.operator.get(`/v1/audio-devices/${device}`)).status).toBe(404);
    expect(await transcribe({ device })).toMatchObject({ error: { code: 'resource.unknown' } });
    await eventually('the records of the uploads', async () => {
      const answer = await fetch(`${stack.url}/v1/exports/records?format=cloudevents`, {
        headers: { authorization: `Bearer ${world.auditor.key ?? ''}` },
      });
      const text = await answer.text();
      return (text.match(/audio_upload_begun/g) ?? []).length > 4;
    });
  });
});
