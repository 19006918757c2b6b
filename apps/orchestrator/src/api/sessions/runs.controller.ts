// SPDX-License-Identifier: Apache-2.0
import { Controller, StreamableFile } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { RUNS } from './routes.ts';
import type { RunReplayView, RunView, SessionView } from './views.ts';
import { Sessions } from '../../store/session-rows/sessions.ts';
import { ChangeSessions } from '../../runs/conversations/change-sessions.ts';
import { DriveRuns } from '../../runs/driving/drive-runs.ts';
import { ReplayRun } from './replay-run.ts';
import { RunHub } from '../../runs/conversations/run-hub.ts';
import { RunStream } from './run-stream.ts';
import { runView, sessionView } from './run-views.ts';

/** Default calls of a page, which takes far less time than a response may. */
const REPLAY_ROWS = 100;

@Controller()
export class RunsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly changeSessions: ChangeSessions,
    private readonly replayRun: ReplayRun,
    private readonly driveRuns: DriveRuns,
    private readonly hub: RunHub,
    private readonly authenticator: Authenticator,
  ) {}

  @Route(RUNS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof RUNS.read>): Promise<RunView> {
    return runView(await this.changeSessions.readRun(caller, params.run_id));
  }

  @Route(RUNS.cancel)
  async cancel(@RequestInput() { caller, params }: RequestInputOf<typeof RUNS.cancel>): Promise<RunView> {
    const run = await this.changeSessions.cancel(caller, params.run_id);
    this.driveRuns.cancel(run.run_id);
    return runView(run);
  }

  @Route(RUNS.fork)
  async fork(@RequestInput() { caller, params, body }: RequestInputOf<typeof RUNS.fork>): Promise<SessionView> {
    return sessionView(await this.changeSessions.fork(caller, params.run_id, body));
  }

  @Route(RUNS.replay)
  async replay(@RequestInput() { caller, params, body }: RequestInputOf<typeof RUNS.replay>): Promise<RunReplayView> {
    return await this.replayRun.run(caller, params.run_id, { ...body, limit: body.limit ?? REPLAY_ROWS });
  }

  @Route(RUNS.follow)
  async follow(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof RUNS.follow>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const { run_id, state } = await this.changeSessions.readRun(caller, params.run_id);
    const { presented } = exchange;
    const stream = new RunStream({
      runId: run_id,
      state,
      after: parseLastEventId(exchange.header('last-event-id')) ?? query.after ?? 0,
      forMs: query.for_ms ?? null,
      read: (after, limit) => this.sessions.events(caller.tenant_id, run_id, after, limit),
      verifyKey: () => this.authenticator.verifyCaller(caller, presented, exchange.address),
    });
    try {
      stream.readable.once('close', this.hub.watch(caller.tenant_id, run_id, stream));
    } catch (error) {
      stream.readable.destroy();
      throw error;
    }
    // Disables response buffering in nginx.
    exchange.setHeader('x-accel-buffering', 'no');
    return new StreamableFile(stream.readable, { type: 'text/event-stream; charset=utf-8' });
  }
}

/** Parses `Last-Event-ID`. Fault `request.malformed` for an id that no stream of a run sent. */
function parseLastEventId(id: string | undefined): number | undefined {
  if (id === undefined || id === '') return undefined;
  if (!/^\d{1,9}$/.test(id))
    throw new Fault('request.malformed', "the header `Last-Event-ID` is none of this stream's ids");
  return Number(id);
}
