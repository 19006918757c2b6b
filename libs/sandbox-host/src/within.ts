// SPDX-License-Identifier: Apache-2.0

/** An engine that hangs must not hang its callers. */
export class EngineTimeout extends Error {
  constructor(what: string, ms: number, more = '') {
    super(`the engine did not ${what} within ${ms} ms${more}`);
    this.name = 'EngineTimeout';
  }
}

/** Asks, every so many milliseconds while a promise is awaited, whether there is still somebody to keep it. */
export interface Doubt {
  readonly everyMs: number;
  /** MUST settle in bounded time. */
  readonly isThere: () => Promise<boolean>;
}

/**
 * The promise's outcome, or EngineTimeout: after so many milliseconds, or as soon as nobody is there. What comes later
 * is handed to `late`.
 */
export async function within<T>(
  what: string,
  ms: number,
  promise: Promise<T>,
  late: (value: T) => void = () => undefined,
  doubt?: Doubt,
): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  let isOver = false;
  const giveUp = (error: EngineTimeout): void => {
    if (isOver) return;
    isOver = true;
    reject(error);
    promise.then(late, () => undefined);
  };
  const timer = setTimeout(() => giveUp(new EngineTimeout(what, ms)), ms);
  const started = performance.now();
  let doubting: NodeJS.Timeout | undefined;
  const doubtLater = ({ everyMs, isThere }: Doubt): void => {
    doubting = setTimeout(
      () =>
        void isThere().then((there) => {
          if (!there) giveUp(new EngineTimeout(what, Math.round(performance.now() - started), ', nor answer a ping'));
          else if (!isOver) doubtLater({ everyMs, isThere });
        }),
      everyMs,
    );
  };
  if (doubt) doubtLater(doubt);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(doubting);
  }
}
