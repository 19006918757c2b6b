// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { Silence, watchedFetch } from './silence.ts';

const MAX_MS = 1_000;
const browser = new EventTarget();

describe('the silence of a connection', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('aborts after its time, which each piece begins anew', () => {
    const silence = new Silence(MAX_MS, browser);
    vi.advanceTimersByTime(MAX_MS - 1);
    silence.end();
    vi.advanceTimersByTime(MAX_MS - 1);
    expect(silence.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(silence.signal.aborted).toBe(true);
  });

  it('aborts at once where the browser is offline, and no more after its end', () => {
    const [open, closed] = [new Silence(MAX_MS, browser), new Silence(MAX_MS, browser)];
    closed.close();
    browser.dispatchEvent(new Event('offline'));
    vi.advanceTimersByTime(MAX_MS * 2);
    expect([open.signal.aborted, closed.signal.aborted]).toEqual([true, false]);
  });
});

it('each piece of an answer is heard, and passed on as it is', async () => {
  const pieces = ['one', 'two'].map((text) => new TextEncoder().encode(text));
  vi.stubGlobal('fetch', async () => new Response(ReadableStream.from(pieces), { status: 201, headers: { a: 'b' } }));
  const heard = vi.fn();
  const answer = (await watchedFetch(heard)('https://writ.example/', {} as never)) as Response;
  expect([answer.status, answer.headers.get('a'), await answer.text()]).toEqual([201, 'b', 'onetwo']);
  expect(heard).toHaveBeenCalledTimes(1 + pieces.length);
  vi.unstubAllGlobals();
});
