// SPDX-License-Identifier: Apache-2.0
import { Fault, HEADERS } from '@writ/contract';
import { encodePayload, parseReply } from './envelope.ts';
import { RequestServer } from './request-server.ts';
import { noTrace } from './trace-hooks.ts';

const now = 1_000_000;
const dependencies = { now: () => now, trace: noTrace, report: () => {} };

async function answer(
  headers: Record<string, string>,
  bytes = encodePayload({}),
): Promise<{ code: string; calls: number }> {
  let calls = 0;
  const handler = async (): Promise<string> => {
    calls += 1;
    return 'handled';
  };
  const serving = new RequestServer({ queue: 'q', concurrencyMax: 1, handler }, dependencies);
  const reply = await serving.answer('subject', bytes, headers);
  try {
    return { code: String(parseReply(reply)), calls };
  } catch (error) {
    return { code: (error as { code: string }).code, calls };
  }
}

test('a request past its deadline is refused on arrival and never handled', async () => {
  expect(await answer({ [HEADERS.deadline]: String(now) })).toEqual({ code: 'deadline', calls: 0 });
  expect(await answer({ [HEADERS.deadline]: String(now + 1) })).toEqual({ code: 'handled', calls: 1 });
});

test.each(['', 'soon', '-1', '1e9', '12.5', '9'.repeat(17)])('a deadline of `%s` is refused', async (deadline) => {
  expect(await answer({ [HEADERS.deadline]: deadline })).toEqual({ code: 'request.malformed', calls: 0 });
});

test('a request that is not JSON is refused and never handled', async () => {
  expect(await answer({}, new TextEncoder().encode('{'))).toEqual({ code: 'request.malformed', calls: 0 });
});

test('an answer too large to send becomes a fault', async () => {
  const serving = new RequestServer(
    { queue: 'q', concurrencyMax: 1, handler: async () => 'x'.repeat(2_000_000) },
    dependencies,
  );
  const reply = await serving.answer('subject', encodePayload({}), {});
  expect(() => parseReply(reply)).toThrow(expect.objectContaining({ code: 'request.too_large' }));
});

test('an error of a handler is reported when it is a bug, and not when it is a Fault', async () => {
  const reported: unknown[] = [];
  for (const error of [new Error('a bug'), new Fault('permit.spent')]) {
    const serving = new RequestServer(
      { queue: 'q', concurrencyMax: 1, handler: () => Promise.reject(error) },
      { ...dependencies, report: (told) => reported.push(told) },
    );
    await serving.answer('subject', encodePayload({}), {});
  }
  expect(reported).toEqual([new Error('a bug')]);
});
