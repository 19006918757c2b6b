// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { endMsOf, FrameReader, wavOf, type AudioFrame } from '@writ/audio';
import { writ } from '../specs/run-cli.ts';

const ID = `res_${'0'.repeat(26)}`;
const STATE = {
  resource_id: ID,
  name: 'kitchen',
  retention_seconds: 60,
  buffer_bytes: 8_388_608,
  next_seq: 7,
  frames: 2,
  bytes: 64_000,
  from: 1_800_000_000_000,
  to: 1_800_000_005_000,
  gaps: [{ from: 1_800_000_001_000, to: 1_800_000_003_000 }],
};

let dir: string;
let server: Server;
let env: Record<string, string>;
/** The frames of each upload. */
let uploads: (readonly AudioFrame[])[];
let recordedUntil: number | null;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  const body = await buffer(request);
  response.setHeader('content-type', 'application/json');
  if (method === 'GET' && url === `/v1/audio-devices/${ID}`) return void response.end(JSON.stringify(STATE));
  if (method !== 'POST' || url !== `/v1/audio-devices/${ID}/frames`) {
    response.statusCode = 404;
    return void response.end(JSON.stringify({ code: 'not_found', detail: url, status: 404, title: 'x', type: 'x' }));
  }
  const reader = new FrameReader();
  const frames = [...reader.push(body)];
  reader.end();
  uploads.push(frames);
  const last = frames.at(-1);
  if (last !== undefined) recordedUntil = Math.ceil(endMsOf(last));
  response.end(
    JSON.stringify({
      resource_id: ID,
      stored: frames.length,
      repeated: 0,
      next_seq: last === undefined ? 7 : last.seq + 1,
      recorded_until: recordedUntil,
    }),
  );
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'audio-'));
  [uploads, recordedUntil] = [[], null];
  server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  env = { WRIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WRIT_API_KEY: 'writ_test' };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
});

/** Sends a file of that many seconds. */
function send(seconds: number, ...options: string[]) {
  writeFileSync(join(dir, 'said.wav'), wavOf(new Float32Array(seconds * 16_000).fill(0.5)));
  return writ(['audio', 'send', ID, join(dir, 'said.wav'), '--json', ...options], { env });
}
const sent = () => uploads.flat();

describe('writ audio', () => {
  it('sends a file as what a device recorded until now, from the number on that it names', async () => {
    const before = Date.now();
    const { exit, out } = await send(62);
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ frames: 62, stored: 62, next_seq: 69 });
    // One asks for the number; a minute of audio is one request.
    expect(uploads.map(({ length }) => length)).toEqual([0, 60, 2]);
    expect(sent().map(({ seq }) => seq)).toEqual(Array.from({ length: 62 }, (_, i) => 7 + i));
    const end = endMsOf(sent().at(-1)!);
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end).toBeLessThanOrEqual(Date.now());
  });

  it('sends a file after what the device has recorded, so that its times rise', async () => {
    recordedUntil = Date.now() - 500;
    const from = recordedUntil;
    expect((await send(2)).exit).toBe(0);
    expect(sent().map(({ startMs }) => startMs)).toEqual([from, from + 1_000]);
  });

  it('sends a file from a time on that is said', async () => {
    expect((await send(2, '--at', '2027-01-31T09:30:00Z')).exit).toBe(0);
    expect(sent()[0]?.startMs).toBe(Date.parse('2027-01-31T09:30:00Z'));
    const { exit, err } = await send(1, '--at', 'noon');
    expect([exit, err]).toEqual([2, expect.stringContaining('`noon` is no time')]);
  });

  it('sends each second when it is over with `--live`', async () => {
    const before = Date.now();
    const { exit, out } = await send(1, '--live');
    expect([exit, JSON.parse(out)]).toMatchObject([0, { frames: 1, stored: 1, next_seq: 8 }]);
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000);
    expect(sent()[0]?.startMs).toBeGreaterThanOrEqual(before);
  });

  it('says what is wrong with a file', async () => {
    writeFileSync(join(dir, 'no.wav'), 'fLaC and more');
    expect(await writ(['audio', 'send', ID, join(dir, 'no.wav')], { env })).toMatchObject({
      exit: 1,
      err: expect.stringContaining('FLAC') as string,
    });
    expect(await writ(['audio', 'send', ID, join(dir, 'none.wav')], { env })).toMatchObject({
      exit: 2,
      err: expect.stringContaining("can't be read (ENOENT)") as string,
    });
  });

  it('shows what is kept of a device, with its gaps', async () => {
    const { exit, out } = await writ(['audio', 'show', ID], { env });
    expect(exit).toBe(0);
    expect(out).toContain('kitchen');
    expect(out).toContain('not sent from');
    const json = await writ(['audio', 'show', ID, '--json'], { env });
    expect(JSON.parse(json.out)).toEqual(STATE);
  });
});
