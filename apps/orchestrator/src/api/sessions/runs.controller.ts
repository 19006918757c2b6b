// SPDX-License-Identifier: Apache-2.0
import { Controller, StreamableFile } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { RUNS } from './routes.ts';
import type { RunReplayView, RunView, SessionView } from './views.ts';
import { Sessions } from '../../store/sessions/sessions.ts';
import { ChangeSessions } from '../../runs/sessions/change-sessions.ts';
import { DriveRuns } from '../../runs/driving/drive-runs.ts';
import { ReplayRun } from './replay-run.ts';
import { RunHub } from '../../runs/sessions/run-hub.ts';
import { RunStream } from './run-stream.ts';
import { runView, sessionView } from './run-views.ts';

/** Calls of a page: well within the time that an answer may take. */
const REPLAY_ROWS = 100;

@Controller()
export class RunsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly changing: ChangeSessions,
    private readonly replaying: ReplayRun,
    private readonly driving: DriveRuns,
    private readonly hub: RunHub,
    private readonly authenticator: Authenticator,
  ) {}

  @Route(RUNS.read)
  async read(@Asked() { caller, params }: AskedOf<typeof RUNS.read>): Promise<RunView> {
    return runView(await this.changing.readRun(caller, params.run_id));
  }

  @Route(RUNS.cancel)
  async cancel(@Asked() { caller, params }: AskedOf<typeof RUNS.cancel>): Promise<RunView> {
    const run = await this.changing.cancel(caller, params.run_id);
    this.driving.cancel(run.run_id);
    return runView(run);
  }

  @Route(RUNS.fork)
  async fork(@Asked() { caller, params, body }: AskedOf<typeof RUNS.fork>): Promise<SessionView> {
    return sessionView(await this.changing.fork(caller, params.run_id, body));
  }

  @Route(RUNS.replay)
  async replay(@Asked() { caller, params, body }: AskedOf<typeof RUNS.replay>): Promise<RunReplayView> {
    return await this.replaying.run(caller, params.run_id, { ...body, limit: body.limit ?? REPLAY_ROWS });
  }

  @Route(RUNS.follow)
  async follow(
    @Asked() { caller, params, query }: AskedOf<typeof RUNS.follow>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const { run_id, state } = await this.changing.readRun(caller, params.run_id);
    const key = exchange.header('authorization');
    const stream = new RunStream({
      runId: run_id,
      state,
      after: lastOf(exchange.header('last-event-id')) ?? query.after ?? 0,
      forMs: query.for_ms ?? null,
      read: (after, limit) => this.sessions.events(caller.tenant_id, run_id, after, limit),
      verifyKey: () => this.authenticator.identify(key, exchange.address),
    });
    try {
      stream.readable.once('close', this.hub.watch(caller.tenant_id, run_id, stream));
    } catch (error) {
      stream.readable.destroy();
      throw error;
    }
    // nginx would gather what it is to hand on at once.
    exchange.setHeader('x-accel-buffering', 'no');
    return new StreamableFile(stream.readable, { type: 'text/event-stream; charset=utf-8' });
  }
}

/** Fault `request.malformed` for an id that no stream of a run gave. */
function lastOf(id: string | undefined): number | undefined {
  if (id === undefined || id === '') return undefined;
  if (!/^\d{1,9}$/.test(id))
    throw new Fault('request.malformed', "the header `Last-Event-ID` is none of this stream's ids");
  return Number(id);
}
