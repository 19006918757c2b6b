// SPDX-License-Identifier: Apache-2.0
import type { ServerContext } from '@modelcontextprotocol/server';

/**
 * Pauses between two reports, in milliseconds. A person sees soon that a call runs; later a client only needs to hear
 * within its timeout, 60 s by default, that the call is alive.
 */
const [PAUSE_FIRST_MS, PAUSE_MAX_MS] = [1_000, 10_000];

/** Reports on one call until it is stopped. */
export interface Progress {
  /** Reports at once, and from now on with this text. */
  say(message: string): void;
  stop(): void;
}

/** Sends progress to a client that asked for it with a token; for others it does nothing. */
export function reportProgress(request: ServerContext, first: () => string): Progress {
  const progressToken = request.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { say: () => undefined, stop: () => undefined };
  let [message, progress] = [first(), 0];
  const send = (): void => {
    const params = { progressToken, progress: progress++, message };
    // A client that has gone needs no progress.
    request.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  let pauseMs = PAUSE_FIRST_MS;
  const again = (): NodeJS.Timeout =>
    setTimeout(() => {
      send();
      pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS);
      timer = again();
    }, pauseMs);
  send();
  let timer = again();
  return {
    say: (text) => {
      message = text;
      send();
    },
    stop: () => clearTimeout(timer),
  };
}
