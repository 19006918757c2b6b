// SPDX-License-Identifier: Apache-2.0

/** A request that exceeded its time: an engine that hangs must not hang its callers. */
export class EngineTimeout extends Error {
  constructor(what: string, ms: number, more = '') {
    super(`the engine did not ${what} within ${ms} ms${more}`);
    this.name = 'EngineTimeout';
  }
}

/** How often, while a promise is pending, to check whether the other side is still there. */
export interface LivenessCheck {
  readonly everyMs: number;
  /** MUST settle in bounded time. */
  readonly isReachable: () => Promise<boolean>;
}

/**
 * Settles as the promise does. Rejects with EngineTimeout after `ms`, or as soon as `doubt` finds the other side gone.
 * A later outcome goes to `late`.
 */
export async function within<T>(
  what: string,
  ms: number,
  promise: Promise<T>,
  late: (value: T) => void = () => undefined,
  liveness?: LivenessCheck,
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
  let livenessTimer: NodeJS.Timeout | undefined;
  const scheduleCheck = ({ everyMs, isReachable }: LivenessCheck): void => {
    livenessTimer = setTimeout(
      () =>
        void isReachable().then((there) => {
          if (!there) giveUp(new EngineTimeout(what, Math.round(performance.now() - started), ', nor answer a ping'));
          else if (!isOver) scheduleCheck({ everyMs, isReachable });
        }),
      everyMs,
    );
  };
  if (liveness) scheduleCheck(liveness);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(livenessTimer);
  }
}
