// SPDX-License-Identifier: Apache-2.0
import { Fault, type AgentId, type Caller, type Id } from '@writ/contract';
import type { TextDialect } from '@writ/dialects';
import { newId } from '@writ/nest-kit';
import { RUNS_MAX, SESSIONS_MAX, UNENDED_MAX } from '../../store/session-rows/bounds.ts';
import type { KeptEvent } from '../../store/session-rows/run-events.ts';
import { Sessions, type RunRow, type SessionContent, type SessionRow } from '../../store/session-rows/sessions.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { closedMessages, conversationAfter, foldRun, textDialectOf, type RecordedRun } from './conversation.ts';
import { Models } from '../models/models.ts';

/** Events read at once. */
const ROWS = 500;

/** The values of a session in a request. */
export interface SessionRequest {
  readonly workspace_id: string;
  readonly capability_token_id: string;
  readonly model: string;
  readonly agent_id?: string;
  readonly name?: string;
  readonly dialect?: 'native' | TextDialect;
  readonly system?: string;
  readonly data_subject?: string;
  readonly session_mode?: 'interactive' | 'gateway';
}

/** The values of a run in a request. */
export interface RunRequest {
  readonly input: string;
  readonly rounds_max?: number;
  readonly tokens_max?: number;
  readonly cost_max?: number;
  readonly idempotency_key?: string;
}

/**
 * Creates and reads sessions and runs. An agent's key sees only what belongs to its agent; anything else is answered as
 * not found.
 */
export class ChangeSessions {
  readonly #kernel: KernelClient;
  readonly #sessions: Sessions;
  readonly #models: Models;

  constructor(kernel: KernelClient, sessions: Sessions, models: Models) {
    this.#kernel = kernel;
    this.#sessions = sessions;
    this.#models = models;
  }

  /**
   * Faults: `not_found` for a token, a workspace or an agent that isn't the caller's, `request.malformed` for a model
   * that isn't there, `limit.exceeded`.
   */
  async create(caller: Caller, request: SessionRequest): Promise<SessionRow> {
    this.#verifyModel(request.model);
    const { agent_id } = await this.#tokenOf(caller, request);
    await this.#kernel.ask('workspace.read', caller, { workspace_id: request.workspace_id });
    const {
      workspace_id,
      capability_token_id,
      model,
      name = null,
      dialect = 'native',
      system = null,
      data_subject = null,
      session_mode = 'interactive',
    } = request;
    return await this.#createSession(
      caller,
      {
        name,
        agent_id,
        workspace_id,
        capability_token_id,
        dialect,
        model,
        forked_from: null,
        spawned_by: null,
        job_id: null,
        session_mode,
        scheduling_class: null,
      },
      { system, base: [], data_subject },
    );
  }

  /** Faults: `not_found`, `request.malformed` for an event that the run doesn't have, `limit.exceeded`. */
  async fork(
    caller: Caller,
    runId: string,
    { after, name, model }: { readonly after: number; readonly name?: string; readonly model?: string },
  ): Promise<SessionRow> {
    const run = await this.readRun(caller, runId);
    if (after > run.events)
      throw new Fault('request.malformed', `the run has ${run.events} events`, { pointer: '/after' });
    if (model !== undefined) this.#verifyModel(model);
    const {
      content,
      session_id: _old,
      created_at: _then,
      created_by: _by,
      ...session
    } = await this.#read(caller, run.session_id);
    const forked = {
      ...session,
      name: name ?? session.name,
      model: model ?? session.model,
      forked_from: { run_id: run.run_id, after },
      spawned_by: null,
    };
    return await this.#createSession(caller, forked, {
      ...content,
      base: await this.#conversationUntil(caller, { content, dialect: textDialectOf(session) }, run, after),
    });
  }

  /** Faults: `not_found`, `limit.exceeded`. */
  async start(caller: Caller, sessionId: string, request: RunRequest): Promise<RunRow> {
    await this.#read(caller, sessionId);
    const { input, rounds_max = null, tokens_max = null, cost_max = null, idempotency_key = null } = request;
    return orNotFound(
      await this.#sessions.queue(
        caller.tenant_id,
        {
          run_id: newId('run'),
          session_id: sessionId as Id<'session'>,
          idempotency_key,
          input,
          rounds_max,
          tokens_max,
          cost_max,
          created_by: caller.api_key_id,
          role: caller.role === 'agent' ? 'agent' : 'admin',
          principal: caller.principal ?? null,
        },
        { runsMax: RUNS_MAX, unendedMax: UNENDED_MAX },
      ),
    );
  }

  /** Faults: `not_found`. */
  async read(caller: Caller, sessionId: string): Promise<SessionRow> {
    return await this.#read(caller, sessionId);
  }

  /** Faults: `not_found`. */
  async readRun(caller: Caller, runId: string): Promise<RunRow> {
    const run = orNotFound(await this.#sessions.readRun(caller.tenant_id, runId));
    if (caller.role === 'agent') await this.#read(caller, run.session_id);
    return run;
  }

  /** Faults: `not_found`. */
  async cancel(caller: Caller, runId: string): Promise<RunRow> {
    await this.readRun(caller, runId);
    return orNotFound(await this.#sessions.cancel(caller.tenant_id, runId, caller.principal ?? caller.api_key_id));
  }

  /** All runs of a session in order, with all events. Faults: `not_found`. */
  async transcript(
    caller: Caller,
    sessionId: string,
  ): Promise<{
    session: SessionRow;
    runs: { run: RunRow; input: string; events: { seq: number; at: number; event: KeptEvent }[] }[];
  }> {
    const session = await this.#read(caller, sessionId);
    const runs = [];
    for (const { run, input } of await this.#sessions.inputs(caller.tenant_id, sessionId))
      runs.push({ run, input, events: await this.#events(caller, run.run_id, Number.MAX_SAFE_INTEGER) });
    return { session, runs };
  }

  /** The conversation before the run, or up to one of its events. */
  async #conversationUntil(
    caller: Caller,
    { content, dialect }: { readonly content: SessionContent; readonly dialect: TextDialect | null },
    run: RunRow,
    after: number,
  ): Promise<SessionContent['base']> {
    const inputs = await this.#sessions.inputs(caller.tenant_id, run.session_id);
    const at = inputs.findIndex((each) => each.run.run_id === run.run_id);
    const earlier: RecordedRun[] = [];
    for (const each of inputs.slice(0, at))
      earlier.push({
        input: each.input,
        events: (await this.#events(caller, each.run.run_id, Number.MAX_SAFE_INTEGER)).map(({ event }) => event),
      });
    const base = await conversationAfter(content.base, earlier, dialect);
    if (after === 0) return base;
    const events = (await this.#events(caller, run.run_id, after)).map(({ event }) => event);
    return closedMessages(await foldRun(base, { input: inputs[at]?.input ?? '', events }), dialect);
  }

  async #events(
    caller: Caller,
    runId: string,
    until: number,
  ): Promise<{ seq: number; at: number; event: KeptEvent }[]> {
    const all: { seq: number; at: number; event: KeptEvent }[] = [];
    for (;;) {
      const page = await this.#sessions.events(caller.tenant_id, runId, all.at(-1)?.seq ?? 0, ROWS);
      all.push(...page.filter(({ seq }) => seq <= until));
      if (page.length < ROWS || all.length >= until) return all;
    }
  }

  async #createSession(
    caller: Caller,
    session: Omit<SessionRow, 'session_id' | 'created_at' | 'created_by'>,
    content: SessionContent,
  ): Promise<SessionRow> {
    return await this.#sessions.create(
      caller.tenant_id,
      { ...session, session_id: newId('session'), content, created_by: caller.api_key_id },
      SESSIONS_MAX,
    );
  }

  async #read(
    { tenant_id, agent_id }: Caller,
    sessionId: string,
  ): Promise<SessionRow & { readonly content: SessionContent }> {
    const session = orNotFound(await this.#sessions.read(tenant_id, sessionId));
    if (agent_id !== null && session.agent_id !== agent_id) throw new Fault('not_found');
    return session;
  }

  /** The session's agent is the token's agent. A key without an agent has to name that agent. */
  async #tokenOf(
    caller: Caller,
    { capability_token_id, agent_id, workspace_id }: SessionRequest,
  ): Promise<{ agent_id: AgentId }> {
    const token = await this.#kernel.ask('token.read', caller, { capability_token_id });
    const namedAgent = caller.agent_id ?? agent_id;
    if (namedAgent === undefined)
      throw new Fault('request.malformed', '`agent_id` is needed: the key is of no agent', { pointer: '/agent_id' });
    if (namedAgent !== token.agent_id || (agent_id !== undefined && agent_id !== namedAgent))
      throw new Fault('not_found');
    if (token.workspace_id !== null && token.workspace_id !== workspace_id) throw new Fault('not_found');
    return { agent_id: token.agent_id };
  }

  #verifyModel(name: string): void {
    if (this.#models.read(name) === null)
      throw new Fault('request.malformed', 'there is no such model here; `/v1/models` lists those that there are', {
        pointer: '/model',
      });
  }
}

function orNotFound<T>(row: T | null): T {
  if (row === null) throw new Fault('not_found');
  return row;
}
