// SPDX-License-Identifier: Apache-2.0
import { ReceivedBound, ThreadWatch } from './session-bounds.ts';

describe('the bound of what a session receives', () => {
  const received = (pieces: number, bytes: number) => {
    const bound = new ReceivedBound();
    for (let n = 1; n < pieces; n += 1) bound.count(bytes);
    return bound.count(bytes);
  };

  it.each([
    ['16 MiB', 16, 1_048_576, null],
    ['more than 16 MiB', 17, 1_048_576, 'too_large'],
    ['some thousand short pieces', 16_384, 1, null],
    ['more short pieces', 16_385, 1, 'too_many_pieces'],
    ['more pieces that are not short', 32_768, 64, null],
  ])('has room for %s, or says what is exceeded', (_what, pieces, bytes, exceeded) => {
    expect(received(pieces, bytes)).toBe(exceeded);
  });
});

describe('the watch over the thread of a session', () => {
  let watch: ThreadWatch;
  let seen: { pings: number; overruns: number };
  beforeEach(() => {
    vi.useFakeTimers();
    seen = { pings: 0, overruns: 0 };
    watch = new ThreadWatch(
      () => (seen.pings += 1),
      () => (seen.overruns += 1),
    );
  });
  afterEach(() => void vi.useRealTimers());

  it('waits for a thread that has not opened its end', () => {
    vi.advanceTimersByTime(60_000);
    expect(seen).toEqual({ pings: 0, overruns: 0 });
  });

  it('reports a thread that answers five pings in a row with nothing', () => {
    watch.opened();
    vi.advanceTimersByTime(5_000);
    expect(seen).toEqual({ pings: 5, overruns: 0 });
    watch.answered(0);
    vi.advanceTimersByTime(5_000);
    expect(seen).toEqual({ pings: 10, overruns: 0 });
    vi.advanceTimersByTime(1_000);
    expect(seen).toEqual({ pings: 10, overruns: 1 });
  });

  it('reports a thread that answers, and computed for longer than a session may', () => {
    watch.opened();
    watch.answered(20_000);
    expect(seen.overruns).toBe(0);
    watch.answered(20_001);
    expect(seen.overruns).toBe(1);
  });

  it('ends when it is closed', () => {
    watch.opened();
    watch.close();
    vi.advanceTimersByTime(60_000);
    expect(seen).toEqual({ pings: 0, overruns: 0 });
  });
});
