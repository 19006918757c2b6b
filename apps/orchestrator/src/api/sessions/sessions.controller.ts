// SPDX-License-Identifier: Apache-2.0
import { Controller, StreamableFile } from '@nestjs/common';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { idempotencyKeyOf } from '../../edge/requests/idempotency-key.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { MODELS, SESSIONS } from './routes.ts';
import type { ModelView } from '../../runs/models/model-view.ts';
import type { RunView, SessionView, TranscriptView, UsageView } from './views.ts';
import { Sessions } from '../../store/session-rows/sessions.ts';
import { BeginErasure } from '../../runs/conversations/begin-erasure.ts';
import { ChangeSessions } from '../../runs/conversations/change-sessions.ts';
import { Models } from '../../runs/models/models.ts';
import { eventView, runView, sessionView } from './run-views.ts';
import { transcriptLines } from './transcript-lines.ts';

@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly changeSessions: ChangeSessions,
    private readonly configuredModels: Models,
    private readonly authenticator: Authenticator,
    private readonly beginErasure: BeginErasure,
  ) {}

  @Route(MODELS.list)
  models(@RequestInput() _input: RequestInputOf<typeof MODELS.list>): { items: ModelView[] } {
    return { items: this.configuredModels.views() };
  }

  @Route(SESSIONS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof SESSIONS.list>,
  ): Promise<{ items: SessionView[]; next_cursor: string | null }> {
    const { items, next_cursor } = await this.sessions.list(caller.tenant_id, pageOf(query), {
      agent_id: caller.agent_id,
      workspace_id: query.workspace_id ?? null,
      run_id: query.run_id ?? null,
    });
    return { items: items.map(sessionView), next_cursor };
  }

  @Route(SESSIONS.create)
  async create(@RequestInput() { caller, body }: RequestInputOf<typeof SESSIONS.create>): Promise<SessionView> {
    return sessionView(await this.changeSessions.create(caller, body));
  }

  @Route(SESSIONS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof SESSIONS.read>): Promise<SessionView> {
    return sessionView(await this.changeSessions.read(caller, params.session_id));
  }

  @Route(SESSIONS.remove)
  async remove(@RequestInput() { caller, params }: RequestInputOf<typeof SESSIONS.remove>): Promise<SessionView> {
    const session = await this.changeSessions.read(caller, params.session_id);
    await this.beginErasure.deleteSession(caller, session.session_id);
    return sessionView(session);
  }

  @Route(SESSIONS.run)
  async run(
    @RequestInput() { caller, params, body }: RequestInputOf<typeof SESSIONS.run>,
    @InExchange() exchange: Exchange,
  ): Promise<RunView> {
    const key = idempotencyKeyOf(body, exchange.header('idempotency-key'));
    const request = key === null ? body : { ...body, idempotency_key: key };
    const run = runView(await this.changeSessions.start(caller, params.session_id, request));
    exchange.setHeader('location', `/v1/runs/${run.run_id}`);
    return run;
  }

  @Route(SESSIONS.runs)
  async runs(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof SESSIONS.runs>,
  ): Promise<{ items: RunView[]; next_cursor: string | null }> {
    await this.changeSessions.read(caller, params.session_id);
    const { items, next_cursor } = await this.sessions.listRuns(caller.tenant_id, params.session_id, pageOf(query));
    return { items: items.map(runView), next_cursor };
  }

  @Route(SESSIONS.transcript)
  async transcript(
    @RequestInput() { caller, params }: RequestInputOf<typeof SESSIONS.transcript>,
  ): Promise<TranscriptView> {
    const { session, runs } = await this.changeSessions.transcript(caller, params.session_id);
    return {
      v: 1,
      session: sessionView(session),
      runs: runs.map(({ run, input, events }) => ({ run: runView(run), input, events: events.map(eventView) })),
    };
  }

  @Route(SESSIONS.transcriptLines)
  async transcriptLines(
    @RequestInput() { caller, params }: RequestInputOf<typeof SESSIONS.transcriptLines>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const { presented } = exchange;
    const session = await this.changeSessions.read(caller, params.session_id);
    exchange.setHeader('cache-control', 'private, no-store');
    // Disables response buffering in nginx.
    exchange.setHeader('x-accel-buffering', 'no');
    return new StreamableFile(
      transcriptLines(this.sessions, {
        session,
        tenantId: caller.tenant_id,
        verifyKey: () => this.authenticator.verifyCaller(caller, presented, exchange.address),
      }),
      { type: 'application/x-ndjson' },
    );
  }

  @Route(SESSIONS.usage)
  async usage(@RequestInput() { caller, query }: RequestInputOf<typeof SESSIONS.usage>): Promise<UsageView> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER, by = 'model' } = query;
    const items = await this.sessions.usage(caller.tenant_id, from, to, by);
    return {
      from,
      to,
      by,
      items: items.map((row) => ({ ...row, currency: this.configuredModels.read(row.model)?.currency ?? null })),
    };
  }
}
