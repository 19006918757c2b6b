// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { durationMsOf, encodeFrame, endMsOf, framesOfWav, SAMPLE_BYTES, type AudioFrame } from '@writ/audio';
import { Fault, isId } from '@writ/contract';
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { findResource } from '../resources/find-resource.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

const orNull = Type.Union([Type.Integer(), Type.Null()]);
const Received = Type.Object({
  stored: Type.Integer(),
  repeated: Type.Integer(),
  next_seq: Type.Integer(),
  recorded_until: orNull,
});
const Device = Type.Object({
  resource_id: Type.String(),
  name: Type.String(),
  retention_seconds: Type.Integer(),
  buffer_bytes: Type.Integer(),
  next_seq: Type.Integer(),
  frames: Type.Integer(),
  bytes: Type.Integer(),
  from: orNull,
  to: orNull,
  gaps: Type.Array(Type.Object({ from: Type.Integer(), to: Type.Integer() })),
});

/** The longest file that is sent: as much as a device can keep. */
const FILE_MS_MAX = 86_400_000;
/** Seconds of audio in one request. */
const REQUEST_FRAMES = 60;

interface SendOptions extends CommonOptions {
  readonly at?: string;
  readonly live?: boolean;
}

/** `writ audio`: recordings of audio devices. */
export function audioCommand(context: Context): Command {
  return new Command('audio')
    .description('Recordings of registered audio devices. A device is written as its name or its id.')
    .addCommand(sendCommand(context))
    .addCommand(showCommand(context));
}

function sendCommand(context: Context): Command {
  const command = new Command('send')
    .description('send a WAV file as what a device recorded')
    .argument('<device>')
    .argument('<file>')
    .option('--at <time>', 'when its recording began; by default it ends now, and follows what is there')
    .option('--live', 'send each second when it is over, as a device does');
  return command.action(async (text: string, file: string) => {
    const options = command.optsWithGlobals<SendOptions>();
    const { client } = connect(context, options, 'operator');
    const path = await pathOf(client, text);
    // An upload without frames tells which number comes next, and from when on.
    const device = await client.read(Received, path, { method: 'POST', body: new Uint8Array() });
    const frames = framesOf(file, device, options);
    const sent = options.live === true ? await sendLive(client, path, frames) : await sendAll(client, path, frames);
    show(context, options, { frames: frames.length, ...sent }, () => fieldsOf({ frames: frames.length, ...sent }));
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('what is kept of a device').argument('<device>');
  return command.action(async (text: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'operator');
    const device = await client.read(Device, (await pathOf(client, text)).replace(/\/frames$/, ''));
    show(context, options, device, () => {
      const { gaps, from, to, ...fields } = device;
      const moment = (at: number | null): string => (at === null ? '–' : momentOf(at));
      return `${fieldsOf({ ...fields, from: moment(from), to: moment(to) })}${
        gaps.length === 0
          ? ''
          : `\n${tableOf(
              ['not sent from', 'to'],
              gaps.map((gap) => [moment(gap.from), moment(gap.to)]),
            )}`
      }`;
    });
  });
}

/** The key of a device need not see resources: an id is taken as it is. */
async function pathOf(client: Client, device: string): Promise<string> {
  const named = device.startsWith('audio_device:') ? device : `audio_device:${device}`;
  const id = isId('resource', device) ? device : await idOf(client, named);
  return `/v1/audio-devices/${id}/frames`;
}

/** The id of a device by its name, which a device's own key can't look up. */
async function idOf(client: Client, named: string): Promise<string> {
  try {
    return (await findResource(client, named)).resource_id;
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'resource.unknown') throw error;
    throw new CliError(
      error.code,
      `${error.message}; with the key of the device, name it by its id: res_…`,
      error.exit,
      { cause: error },
    );
  }
}

/** Times of a device rise: a recording without a time of its own begins after what the device has sent. */
function framesOf(
  file: string,
  { next_seq: seq, recorded_until }: Static<typeof Received>,
  { at, live }: SendOptions,
): AudioFrame[] {
  const bytes = contentOf(file);
  try {
    const frames = framesOfWav(bytes, { seq, startMs: 0 }, { durationMsMax: FILE_MS_MAX });
    const length = frames.reduce((ms, { pcm }) => ms + durationMsOf(pcm.length / SAMPLE_BYTES), 0);
    const defaultStart = Math.max(Date.now() - (live === true ? 0 : Math.ceil(length)), recorded_until ?? 0);
    const startMs = at === undefined ? defaultStart : timeOf(at);
    return frames.map((frame) => ({ ...frame, startMs: startMs + frame.startMs }));
  } catch (error) {
    if (error instanceof Fault) throw new CliError(error.code, error.message, undefined, { cause: error });
    throw error;
  }
}

function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw usage(`\`${file}\` can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw usage(`\`${text}\` is no time: write it like 2027-01-31T09:30:00Z`);
  return time;
}

interface Sent {
  readonly stored: number;
  readonly next_seq: number;
}

async function sendAll(client: Client, path: string, frames: readonly AudioFrame[]): Promise<Sent> {
  let [stored, next_seq] = [0, frames[0]?.seq ?? 0];
  for (let at = 0; at < frames.length; at += REQUEST_FRAMES) {
    const body = Buffer.concat(frames.slice(at, at + REQUEST_FRAMES).map(encodeFrame));
    const received = await client.read(Received, path, { method: 'POST', body });
    stored += received.stored;
    next_seq = received.next_seq;
  }
  return { stored, next_seq };
}

/** One streamed request for each minute. */
async function sendLive(client: Client, path: string, frames: readonly AudioFrame[]): Promise<Sent> {
  let [stored, next_seq] = [0, frames[0]?.seq ?? 0];
  for (let at = 0; at < frames.length; at += REQUEST_FRAMES) {
    const body = ReadableStream.from(asRecorded(frames.slice(at, at + REQUEST_FRAMES)));
    const received = await client.read(Received, path, { method: 'POST', body, timeoutMs: 300_000 });
    stored += received.stored;
    next_seq = received.next_seq;
  }
  return { stored, next_seq };
}

async function* asRecorded(frames: readonly AudioFrame[]): AsyncGenerator<Uint8Array> {
  for (const frame of frames) {
    await pause(Math.max(0, endMsOf(frame) - Date.now()));
    yield encodeFrame(frame);
  }
}
