// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type { ChannelMessage } from './channel-message.ts';
import { Channels, CHANNELS_MAX, OPENED_MAX, WINDOW_BYTES } from './channels.ts';
import { FrameError } from './frame.ts';

/** Two sides of one ordered stream that delivers at once; `said` holds the messages of the opening side. */
function sides() {
  const [opened, said]: [Duplex[], ChannelMessage[]] = [[], []];
  const agent: Channels = new Channels({
    send: (message) => {
      said.push(message);
      host.receive(message);
    },
  });
  const host = new Channels({
    send: (message) => agent.receive(message),
    opened: (connection) => opened.push(connection),
  });
  return { agent, host, opened, said };
}
const connected = () => {
  const two = sides();
  return { ...two, there: two.agent.open()!, here: two.opened[0]! };
};
const sentBytes = (said: ChannelMessage[], channel: number): number =>
  said.reduce(
    (sum, message) => sum + (message.type === 'net_data' && message.channel === channel ? message.bytes.length : 0),
    0,
  );
const turn = () => new Promise((resolve) => setImmediate(resolve));
const data = (channel: number, length: number): ChannelMessage => ({
  type: 'net_data',
  channel,
  bytes: Buffer.alloc(length),
});

it('carries bytes both ways, completely and in order, and each direction closes separately', async () => {
  const { there, here, agent, host } = connected();
  const long = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => n % 251));
  there.end(long);
  const came = await buffer(here);
  expect(came.equals(long)).toBe(true);
  here.end('an answer after their end');
  expect(await text(there)).toBe('an answer after their end');
  await turn();
  expect([agent.size, host.size]).toEqual([0, 0]);
});

it('sends nothing where nothing is written', async () => {
  const { there, here, said } = connected();
  there.write('');
  there.end('a');
  expect(await text(here)).toBe('a');
  expect(said.filter(({ type }) => type === 'net_data')).toHaveLength(1);
});

it("sends no more than the other side's window, and a full window blocks no other connection", async () => {
  const { agent, opened, said } = sides();
  const [stuck, lively] = [agent.open()!, agent.open()!];
  stuck.write(Buffer.alloc(10 * WINDOW_BYTES));
  lively.end('through');
  expect(await text(opened[1]!)).toBe('through');
  await turn();
  expect(sentBytes(said, 1)).toBe(WINDOW_BYTES);
  expect(opened[0]!.readableLength).toBeLessThanOrEqual(WINDOW_BYTES);
  // Sending continues once the other side reads.
  opened[0]!.resume();
  await turn();
  expect(sentBytes(said, 1)).toBe(10 * WINDOW_BYTES);
});

it('breaks both directions at once where one side gives up', async () => {
  const { there, here, agent, host } = connected();
  const ended = new Promise((resolve) => there.once('error', resolve));
  here.destroy();
  expect(await ended).toMatchObject({ message: 'the connection was reset' });
  expect([agent.size, host.size]).toEqual([0, 0]);
});

it('opens no more concurrent connections than allowed, and resets those beyond', async () => {
  const { agent, host, opened } = sides();
  for (let n = 0; n < CHANNELS_MAX; n++) expect(agent.open()).not.toBeNull();
  expect(agent.open()).toBeNull();
  const answers: ChannelMessage[] = [];
  const flooded = new Channels({
    send: (message) => answers.push(message),
    opened: (connection) => opened.push(connection),
  });
  for (let channel = 1; channel <= CHANNELS_MAX + 1; channel++) flooded.receive({ type: 'net_open', channel });
  expect(answers).toEqual([{ type: 'net_reset', channel: CHANNELS_MAX + 1 }]);
  expect([host.size, flooded.size]).toEqual([CHANNELS_MAX, CHANNELS_MAX]);
});

it('sends nothing once it is closed', async () => {
  const { agent, host, there, here, said } = connected();
  const before = said.length;
  agent.close();
  there.write('late');
  host.receive(data(1, 1));
  host.close();
  await turn();
  expect([said.length, here.destroyed, there.destroyed, agent.open()]).toEqual([before, true, true, null]);
});

describe('breaks the stream at', () => {
  const open = (channel: number): ChannelMessage => ({ type: 'net_open', channel });
  it.each([
    ['a channel that nobody opened', [data(1, 1)]],
    ['a channel of no number', [open(0)]],
    ['a number out of turn', [open(2)]],
    ['a number twice', [open(1), open(1)]],
    ['more than the window', [open(1), data(1, 30_000), data(1, WINDOW_BYTES - 29_999)]],
    ['data after its end', [open(1), { type: 'net_end', channel: 1 }, data(1, 1)]],
    ['two ends', [open(1), { type: 'net_end', channel: 1 }, { type: 'net_end', channel: 1 }]],
    ['room that was never used', [open(1), { type: 'net_credit', channel: 1, count: 1 }]],
    ['no room at all', [open(1), { type: 'net_credit', channel: 1, count: 0 }]],
    [
      'room for a closed channel without end',
      [
        open(1),
        { type: 'net_reset', channel: 1 },
        ...Array.from({ length: 17 }, () => ({ type: 'net_credit', channel: 1, count: 1 })),
      ],
    ],
    [
      'what is said of a closed channel without end',
      [open(1), { type: 'net_reset', channel: 1 }, data(1, WINDOW_BYTES), data(1, 1)],
    ],
  ] as [string, ChannelMessage[]][])('%s', async (_, messages) => {
    const host = new Channels({ send: () => undefined, opened: () => undefined });
    for (const message of messages.slice(0, -1)) {
      host.receive(message);
      await turn();
    }
    expect(() => host.receive(messages.at(-1)!)).toThrow(FrameError);
  });

  it('more channels in a life than there are names for', () => {
    const host = new Channels({ send: () => undefined, opened: (connection) => connection.destroy() });
    for (let channel = 1; channel <= OPENED_MAX; channel++) host.receive(open(channel));
    expect(() => host.receive(open(OPENED_MAX + 1))).toThrow(FrameError);
  });

  it('a channel opened to a side that accepts none', () => {
    expect(() => new Channels({ send: () => undefined }).receive(open(1))).toThrow(FrameError);
  });
});
