// SPDX-License-Identifier: Apache-2.0
import { Controller, StreamableFile } from '@nestjs/common';
import { Asked } from '../../edge/requests/asked.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { MODELS, SESSIONS } from './routes.ts';
import type { ModelView } from '../../runs/models/model-view.ts';
import type { RunView, SessionView, TranscriptView, UsageView } from './views.ts';
import { Sessions } from '../../store/sessions/sessions.ts';
import { BeginErasure } from '../../runs/sessions/begin-erasure.ts';
import { ChangeSessions } from '../../runs/sessions/change-sessions.ts';
import { Models } from '../../runs/models/models.ts';
import { eventView, runView, sessionView } from './run-views.ts';
import { transcriptLines } from './transcript-lines.ts';

@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly changing: ChangeSessions,
    private readonly known: Models,
    private readonly authenticator: Authenticator,
    private readonly erasing: BeginErasure,
  ) {}

  @Route(MODELS.list)
  models(@Asked() _asked: AskedOf<typeof MODELS.list>): { items: ModelView[] } {
    return { items: this.known.views() };
  }

  @Route(SESSIONS.list)
  async list(
    @Asked() { caller, query }: AskedOf<typeof SESSIONS.list>,
  ): Promise<{ items: SessionView[]; next_cursor: string | null }> {
    const { items, next_cursor } = await this.sessions.list(caller.tenant_id, pageOf(query), {
      agent_id: caller.agent_id,
      workspace_id: query.workspace_id ?? null,
      run_id: query.run_id ?? null,
    });
    return { items: items.map(sessionView), next_cursor };
  }

  @Route(SESSIONS.create)
  async create(@Asked() { caller, body }: AskedOf<typeof SESSIONS.create>): Promise<SessionView> {
    return sessionView(await this.changing.create(caller, body));
  }

  @Route(SESSIONS.read)
  async read(@Asked() { caller, params }: AskedOf<typeof SESSIONS.read>): Promise<SessionView> {
    return sessionView(await this.changing.read(caller, params.session_id));
  }

  @Route(SESSIONS.remove)
  async remove(@Asked() { caller, params }: AskedOf<typeof SESSIONS.remove>): Promise<SessionView> {
    const session = await this.changing.read(caller, params.session_id);
    await this.erasing.deleteSession(caller, session.session_id);
    return sessionView(session);
  }

  @Route(SESSIONS.run)
  async run(
    @Asked() { caller, params, body }: AskedOf<typeof SESSIONS.run>,
    @InExchange() exchange: Exchange,
  ): Promise<RunView> {
    const run = runView(await this.changing.start(caller, params.session_id, body));
    exchange.setHeader('location', `/v1/runs/${run.run_id}`);
    return run;
  }

  @Route(SESSIONS.runs)
  async runs(
    @Asked() { caller, params, query }: AskedOf<typeof SESSIONS.runs>,
  ): Promise<{ items: RunView[]; next_cursor: string | null }> {
    await this.changing.read(caller, params.session_id);
    const { items, next_cursor } = await this.sessions.listRuns(caller.tenant_id, params.session_id, pageOf(query));
    return { items: items.map(runView), next_cursor };
  }

  @Route(SESSIONS.transcript)
  async transcript(@Asked() { caller, params }: AskedOf<typeof SESSIONS.transcript>): Promise<TranscriptView> {
    const { session, runs } = await this.changing.told(caller, params.session_id);
    return {
      v: 1,
      session: sessionView(session),
      runs: runs.map(({ run, input, events }) => ({ run: runView(run), input, events: events.map(eventView) })),
    };
  }

  @Route(SESSIONS.transcriptLines)
  async transcriptLines(
    @Asked() { caller, params }: AskedOf<typeof SESSIONS.transcriptLines>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const key = exchange.header('authorization');
    const session = await this.changing.read(caller, params.session_id);
    exchange.setHeader('cache-control', 'private, no-store');
    // nginx would gather what it is to hand on at once.
    exchange.setHeader('x-accel-buffering', 'no');
    return new StreamableFile(
      transcriptLines(this.sessions, {
        session,
        tenantId: caller.tenant_id,
        verifyKey: () => this.authenticator.identify(key, exchange.address),
      }),
      { type: 'application/x-ndjson' },
    );
  }

  @Route(SESSIONS.usage)
  async usage(@Asked() { caller, query }: AskedOf<typeof SESSIONS.usage>): Promise<UsageView> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER, by = 'model' } = query;
    const items = await this.sessions.usage(caller.tenant_id, from, to, by);
    return {
      from,
      to,
      by,
      items: items.map((row) => ({ ...row, currency: this.known.read(row.model)?.currency ?? null })),
    };
  }
}
