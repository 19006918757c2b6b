// SPDX-License-Identifier: Apache-2.0

/** An engine that hangs must not hang its callers. */
export class EngineTimeout extends Error {
  constructor(what: string, ms: number) {
    super(`the engine did not ${what} within ${ms} ms`);
    this.name = 'EngineTimeout';
  }
}

/** The promise's outcome, or EngineTimeout after so many milliseconds; what comes later is handed to `late`. */
export async function within<T>(what: string, ms: number, promise: Promise<T>, late: (value: T) => void = () => undefined): Promise<T> {
  let expired = false;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      expired = true;
      reject(new EngineTimeout(what, ms));
    }, ms);
  });
  promise.then((value) => {
    if (expired) late(value);
  }, () => undefined);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
