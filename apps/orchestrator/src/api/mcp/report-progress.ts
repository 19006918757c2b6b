// SPDX-License-Identifier: Apache-2.0
import type { ServerContext } from '@modelcontextprotocol/server';

/** How often a waiting client hears that its call is alive: well within the usual timeout of 60 s. */
const EVERY_MS = 10_000;

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
  send();
  const timer = setInterval(send, EVERY_MS);
  return {
    say: (text) => {
      message = text;
      send();
    },
    stop: () => clearInterval(timer),
  };
}
