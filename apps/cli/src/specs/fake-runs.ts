// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ApprovalView, OperationView } from '@writ/contract';
import { APPROVAL, IDS, OPERATION, RESULT } from './samples.ts';

const BODY = '01kdvq8qfwe9gr4v9m1h7e3x2z';
export const SESSION_ID = `ses_${BODY}`;
export const RUN_ID = `run_${BODY}`;
const SESSION = {
  session_id: SESSION_ID,
  name: 'chat',
  agent_id: IDS.agent,
  workspace_id: IDS.workspace,
  capability_token_id: IDS.token,
  dialect: 'native',
  model: 'one',
  forked_from: null,
  created_at: 0,
  created_by: IDS.key,
};
const RUN = {
  run_id: RUN_ID,
  session_id: SESSION_ID,
  model: 'one',
  state: 'running',
  stopped: null,
  waits_for: [],
  cancel_asked: false,
  error: null,
  events: 0,
  rounds: 1,
  input_tokens: 10,
  cached_tokens: 0,
  output_tokens: 5,
  cost: null,
  created_at: 0,
  created_by: IDS.key,
  started_at: 0,
  ended_at: null,
};

const FILE = { kind: 'file', mode: '644', sha256: '5'.repeat(64), size: 4 } as const;
export const DIFF = {
  files: [
    {
      path: 'a.txt',
      change: 'modified',
      before: FILE,
      after: FILE,
      added_lines: 1,
      removed_lines: 1,
      text: '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n',
      why_no_text: null,
    },
  ],
  files_total: 1,
};
export const COMMITTED: OperationView = {
  ...OPERATION,
  tool_id: 'fs.write',
  state: 'committed',
  result: { ...RESULT, tool_id: 'fs.write', tx_outcome: 'committed', new_snapshot_id: `snap_${'6'.repeat(64)}` },
};

/** A run as the stream of one connection; a test drives it. */
export class FakeRun {
  readonly #response: ServerResponse;
  /** `last-event-id` of the connection */
  readonly resumedAfter: string | undefined;
  static #seq = 0;

  constructor(response: ServerResponse, resumedAfter: string | undefined) {
    this.#response = response;
    this.resumedAfter = resumedAfter;
    if (resumedAfter === undefined) FakeRun.#seq = 0;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.live('ready', { v: 1, run_id: RUN_ID, state: 'running', after: 0 });
  }

  live(kind: string, data: object): this {
    this.#response.write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
    return this;
  }

  durable(kind: string, data: object = {}, seq = ++FakeRun.#seq): this {
    FakeRun.#seq = seq;
    this.#response.write(`event: ${kind}\nid: ${seq}\ndata: ${JSON.stringify({ seq, at: 0, kind, ...data })}\n\n`);
    return this;
  }

  replied(words: string, calls: readonly object[] = []): this {
    return this.durable('replied', { turn: { text: words, calls, stop: calls.length > 0 ? 'tool_use' : 'end' } });
  }

  end(stopped = 'end'): void {
    this.durable('ended', { stopped });
    this.#response.end();
  }

  /** Breaks the connection. */
  break(): void {
    this.#response.destroy();
  }
}

export const CALL = { id: 'c1', tool_id: 'fs.write', args: { path: 'a.txt', content: 'two\n' } };

export interface FakeRunsOptions {
  /** the streams of the connections to a run's events, in order; the last one serves all further connections */
  readonly streams: readonly ((run: FakeRun) => void | Promise<void>)[];
  readonly approval?: Partial<ApprovalView>;
  readonly stopped?: string | null;
  readonly models?: readonly string[];
}

/** The API of sessions, runs and approvals as `writ chat` needs it. */
export interface FakeRuns {
  readonly env: Readonly<Record<string, string>>;
  /** `METHOD path`, the body, and the key of each request */
  readonly requests: { readonly route: string; readonly body: unknown; readonly key: string }[];
  /** resolves with the first request whose `METHOD path` begins so */
  readonly waitForRequest: (beginning: string) => Promise<void>;
  readonly close: () => void;
}

export async function fakeRuns({
  streams,
  approval = {},
  stopped = 'end',
  models = ['one'],
}: FakeRunsOptions): Promise<FakeRuns> {
  const requests: { route: string; body: unknown; key: string }[] = [];
  const waiters: { beginning: string; resolve: () => void }[] = [];
  let connections = 0;
  const json = (response: ServerResponse, body: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const route = `${request.method ?? ''} ${path}`;
    requests.push({ route, body: sent === '' ? null : JSON.parse(sent), key: request.headers.authorization ?? '' });
    for (const one of waiters) if (route.startsWith(one.beginning)) one.resolve();
    if (path.endsWith('/events')) {
      const stream = streams[Math.min(connections++, streams.length - 1)];
      return void (await stream?.(new FakeRun(response, request.headers['last-event-id'] as string | undefined)));
    }
    if (path === '/v1/models')
      return json(response, {
        items: models.map((name) => ({
          name,
          provider: 'openai',
          model: name,
          prices: null,
          currency: null,
          context_tokens_max: null,
        })),
      });
    if (path.startsWith('/v1/sessions'))
      return path.endsWith('/runs')
        ? json(response, RUN, 202)
        : json(response, SESSION, request.method === 'POST' ? 201 : 200);
    if (path.startsWith('/v1/runs/'))
      return json(
        response,
        path.endsWith('/cancel') ? RUN : { ...RUN, state: stopped === null ? 'waiting' : 'ended', stopped },
      );
    if (path.startsWith('/v1/operations/')) return json(response, { ...COMMITTED, approval_id: IDS.approval });
    if (path.startsWith('/v1/workspaces/')) return json(response, { from: 'snap_a', to: 'snap_b', ...DIFF });
    if (path.endsWith('/diff'))
      return json(response, { effect_digest: '7'.repeat(64), base_snapshot_id: 'snap_a', ...DIFF });
    if (request.method === 'POST') return json(response, COMMITTED);
    return json(response, { ...APPROVAL, ...approval });
  };
  const server = createServer((request, response) => void answer(request, response));
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests,
    env: {
      WRIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      WRIT_API_KEY: 'writ_agent',
      WRIT_OPERATOR_KEY: 'writ_operator',
    },
    waitForRequest: async (beginning) => {
      if (requests.some(({ route }) => route.startsWith(beginning))) return;
      await new Promise<void>((resolve) => waiters.push({ beginning, resolve }));
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
