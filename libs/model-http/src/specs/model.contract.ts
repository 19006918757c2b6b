// SPDX-License-Identifier: Apache-2.0
import {
  ModelError,
  type Conversation,
  type Message,
  type Model,
  type ModelDelta,
  type ModelTurn,
  type ToolOffer,
} from '@writ/agent-loop';
import { WireServer } from '@writ/testing';
import fc from 'fast-check';
import type { ProviderOptions } from '../provider.ts';

export const OFFERS: readonly ToolOffer[] = [
  {
    tool_id: 'fs.read',
    description: 'reads a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
  {
    tool_id: 'shell.run',
    description: 'runs a command',
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
  },
];

/** A provider's stream, as server-sent events. */
export interface Wire {
  /**
   * text in two pieces, then a call of fs.read with {"path":"a"}, then an end; 20 input tokens of which 5 cached, 7
   * output tokens
   */
  readonly textAndCall: readonly string[];
  readonly callId: string;
  /** a reply of text alone */
  readonly words: readonly string[];
  readonly cutByLength: readonly string[];
  readonly refused: readonly string[];
  /** the same as textAndCall without its end */
  readonly unfinished: readonly string[];
  readonly malformed: readonly string[];
  /** an error body of the provider */
  readonly error: (message: string) => string;
}

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export interface Replied {
  readonly deltas: readonly ModelDelta[];
  readonly turn: ModelTurn;
}

export async function drain(
  model: Model,
  over: Partial<Conversation> = {},
  signal = new AbortController().signal,
): Promise<Replied> {
  const messages: readonly Message[] = [{ role: 'user', text: 'fix it' }];
  const stream = model.reply({ system: 'be good', messages, tools: OFFERS, ...over }, signal);
  const deltas: ModelDelta[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { deltas, turn: next.value };
    deltas.push(next.value);
  }
}

/** The requirements on every provider's model, whatever its wire format. */
export function modelContract(name: string, open: (options: ProviderOptions) => Model, wire: Wire): void {
  describe(`${name}: the port`, () => {
    let server: WireServer;
    beforeAll(async () => {
      server = await new WireServer().open();
    });
    afterAll(() => server.close());
    beforeEach(() => {
      server.requests.length = 0;
      server.abandoned = 0;
    });
    const model = (over: Partial<ProviderOptions> = {}): Model =>
      open({ apiKey: 'secret', model: 'm', baseUrl: server.url, ...over });
    const faultOf = (over: Partial<ProviderOptions> = {}): Promise<unknown> =>
      drain(model(over)).then(
        () => 'a turn',
        (error: unknown) => error,
      );

    it('streams text as it comes, then calls with whole arguments, and returns all of it', async () => {
      server.script = { chunks: wire.textAndCall, end: 'whole' };
      const { deltas, turn } = await drain(model());
      const call = { id: wire.callId, tool_id: 'fs.read', args: { path: 'a' } };
      expect(deltas).toEqual([
        { kind: 'text', text: 'I re' },
        { kind: 'text', text: 'ad.' },
        { kind: 'call', call },
      ]);
      expect(turn).toEqual({
        text: 'I read.',
        calls: [call],
        stop: 'tool_use',
        usage: { input_tokens: 20, cached_tokens: 5, output_tokens: 7 },
      });
    });

    it('is the same however the bytes are split', async () => {
      const bytes = Buffer.from([...wire.textAndCall].join('').replaceAll('ad.', 'ad ünï💡.'));
      const whole = async (chunks: readonly Uint8Array[]): Promise<ModelTurn> => {
        server.script = { chunks, end: 'whole' };
        return (await drain(model())).turn;
      };
      const expected = await whole([bytes]);
      expect(expected.text).toBe('I read ünï💡.');
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 }), async (cuts) => {
          const at = [0, ...new Set(cuts)].sort((a, b) => a - b);
          expect(await whole(at.map((from, n) => bytes.subarray(from, at[n + 1] ?? bytes.length)))).toEqual(expected);
        }),
        { numRuns: 15 },
      );
      expect(await whole([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    });

    it('distinguishes an end, a truncated reply and a refusal; only the first is complete', async () => {
      for (const [chunks, stop] of [
        [wire.words, 'end'],
        [wire.cutByLength, 'length'],
        [wire.refused, 'refusal'],
      ] as const) {
        server.script = { chunks, end: 'whole' };
        expect((await drain(model())).turn).toMatchObject({ stop, calls: [] });
      }
    });

    it('a stream that breaks, or ends without its end marker, is no turn', async () => {
      for (const end of ['cut', 'whole'] as const) {
        server.script = { chunks: wire.unfinished, end };
        expect(await faultOf()).toMatchObject({ name: 'ModelError', fault: 'interrupted' });
      }
    });

    it("data in another format than the provider's is no turn", async () => {
      server.script = { chunks: wire.malformed, end: 'whole' };
      expect(await faultOf()).toMatchObject({ fault: 'malformed' });
    });

    it.each([
      [429, 'rate_limited'],
      [529, 'overloaded'],
      [503, 'overloaded'],
      [500, 'unavailable'],
      [401, 'unauthorized'],
      [404, 'invalid'],
    ])('status %i is %s, with the provider’s message and retry delay', async (status, fault) => {
      server.script = {
        status,
        headers: { 'retry-after': '7' },
        chunks: [wire.error('said by the provider')],
        end: 'whole',
      };
      expect(await faultOf()).toMatchObject({
        fault,
        retryAfterMs: 7_000,
        message: expect.stringContaining('said by the provider'),
      });
      // The loop retries, not the library.
      expect(server.requests.length).toBe(1);
    });

    it('a conversation that is too long is distinguished from another bad request', async () => {
      server.script = { status: 400, chunks: [wire.error('prompt is too long: maximum context')], end: 'whole' };
      expect(await faultOf()).toMatchObject({ fault: 'context_exceeded' });
    });

    it('an unreachable provider is unavailable', async () => {
      const gone = await new WireServer().open();
      const baseUrl = gone.url;
      await gone.close();
      expect(await faultOf({ baseUrl })).toMatchObject({ fault: 'unavailable' });
    });

    it('a silent connection is a timeout, before the first byte and in the middle, and is closed', async () => {
      for (const chunks of [[], wire.unfinished]) {
        server.script = { chunks, end: 'silent' };
        expect(await faultOf({ idleMs: 300 })).toMatchObject({ fault: 'timeout' });
      }
      await eventually(() => server.abandoned === 2);
    });

    it('an abort is thrown unchanged, and the connection is closed', async () => {
      server.script = { chunks: wire.unfinished, end: 'silent' };
      const abort = new AbortController();
      const stream = model().reply({ system: '', messages: [{ role: 'user', text: 'x' }], tools: [] }, abort.signal);
      await stream.next();
      abort.abort(new Error('cancelled by a person'));
      const rest = async (): Promise<void> => {
        while (!(await stream.next()).done);
      };
      await expect(rest()).rejects.toThrow('cancelled by a person');
      await eventually(() => server.abandoned === 1);
    });

    it('faults are ModelErrors that keep their cause', async () => {
      server.script = { status: 500, chunks: [wire.error('x')], end: 'whole' };
      const error = await faultOf();
      expect(error).toBeInstanceOf(ModelError);
      expect((error as ModelError).cause).toBeDefined();
    });
  });
}

/** Waits for another process or the network. */
async function eventually(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 2_000) throw new Error('it never came');
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
