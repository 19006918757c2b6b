// SPDX-License-Identifier: Apache-2.0
import { idSchema, IdempotencyKey, PolicyRef } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, Name, paging } from '../../edge/requests/fields.ts';
import { runFields, sessionFields } from '../../runs/conversations/session-fields.ts';
import { USAGE_BY } from '../../store/session-rows/sessions.ts';
import { Expand } from '../../edge/expansions/expansions.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import {
  ExpandableRun,
  ModelList,
  RunList,
  RunReplayView,
  RunView,
  SessionList,
  SessionView,
  TranscriptView,
  UsageView,
} from './views.ts';

const shared = { tag: 'sessions' } as const;
const ofSession = { ...shared, params: { session_id: 'session' } } as const;
const ofRun = { ...shared, params: { run_id: 'run' } } as const;
const WRITER_ROLES = ['admin', 'agent'] as const;

/** A day; a client that reads longer reconnects. */
const STREAM_MS_MAX = 24 * 3_600_000;

const Moment = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'milliseconds since the epoch',
});

export const MODELS = {
  list: route({
    id: 'listModels',
    method: 'GET',
    path: '/v1/models',
    tag: 'sessions',
    allowed: ROLES,
    summary: 'Lists the models that sessions may use, with their prices',
    answers: { 200: { description: 'The models of this deployment, without keys and addresses', schema: ModelList } },
  }),
};

export const RUNS = {
  read: route({
    ...ofRun,
    id: 'readRun',
    method: 'GET',
    path: '/v1/runs/{run_id}',
    allowed: ROLES,
    summary: 'Shows a run with its current state',
    query: Type.Object({ expand: Expand('session') }, closed),
    expands: { session: { route: 'readSession', param: 'session_id' } },
    answers: { 200: { description: 'The run', schema: ExpandableRun } },
    faults: ['not_found'],
  }),
  follow: route({
    ...ofRun,
    id: 'followRun',
    method: 'GET',
    path: '/v1/runs/{run_id}/events',
    allowed: ROLES,
    summary:
      "Streams a run: its stored events, with `seq` as the event's id, then text and calls as they arrive; `Last-Event-ID` resumes after an event",
    query: Type.Object(
      {
        after: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1_000_000_000,
            description: 'only events after this `seq`; `Last-Event-ID` takes precedence',
          }),
        ),
        for_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: STREAM_MS_MAX,
            description: 'milliseconds after which the stream ends; default: when the run ends',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { description: 'Server-Sent Events until the run has ended', media: 'text/event-stream' } },
    faults: ['not_found', 'rate.limited'],
  }),
  cancel: route({
    ...ofRun,
    id: 'cancelRun',
    method: 'POST',
    path: '/v1/runs/{run_id}/cancel',
    allowed: ['admin', 'operator', 'agent'],
    summary: 'Cancels a run and its calls that have not ended; a run that has ended stays as it is',
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The run with its current state; it soon ends as `cancelled`', schema: RunView } },
    faults: ['not_found'],
  }),
  fork: route({
    ...ofRun,
    id: 'forkRun',
    method: 'POST',
    path: '/v1/runs/{run_id}/fork',
    allowed: WRITER_ROLES,
    summary:
      'Creates a session that begins with the conversation up to an event of a run; files are those of the workspace now',
    body: Type.Object(
      {
        after: Type.Integer({
          minimum: 0,
          maximum: 1_000_000_000,
          description: 'the last event to include; 0: the conversation before the run',
        }),
        name: Type.Optional(Name),
        model: Type.Optional(sessionFields.model),
      },
      closed,
    ),
    answers: { 201: { description: 'The new session', schema: SessionView } },
    faults: ['not_found', 'limit.exceeded'],
  }),
  replay: route({
    ...ofRun,
    id: 'replayRun',
    method: 'POST',
    path: '/v1/runs/{run_id}/replay',
    allowed: ['admin', 'operator'],
    summary:
      'Evaluates a set on the calls of a run and its sub-agents, page by page: which decisions would differ, and where the conversation would have diverged; nothing is executed, decided or recorded',
    body: Type.Object(
      {
        policy: Type.Optional({ ...PolicyRef, description: 'a stored set; default: the one in force' }),
        document: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: "a set that isn't stored, instead of `policy`" }),
        ),
        cursor: paging.cursor,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'calls of a page; default: 100' })),
      },
      closed,
    ),
    answers: { 200: { description: 'A page of its calls, in their order', schema: RunReplayView } },
    faults: ['not_found', 'policy.invalid', 'policy.unreadable'],
  }),
};

export const SESSIONS = {
  list: route({
    ...shared,
    id: 'listSessions',
    method: 'GET',
    path: '/v1/sessions',
    allowed: ROLES,
    summary: "Lists sessions, newest first; an agent's key sees its own",
    query: Type.Object(
      {
        ...paging,
        workspace_id: Type.Optional(Key),
        run_id: Type.Optional({
          ...idSchema('run'),
          description: 'only sessions of sub-agents of this run, which other lists omit',
        }),
      },
      closed,
    ),
    answers: { 200: { description: 'A page of sessions', schema: SessionList } },
  }),
  create: route({
    ...shared,
    id: 'createSession',
    method: 'POST',
    path: '/v1/sessions',
    allowed: WRITER_ROLES,
    summary: 'Creates a session: a conversation of an agent in a workspace, under a capability token',
    body: Type.Object(
      {
        workspace_id: Key,
        capability_token_id: Key,
        model: sessionFields.model,
        agent_id: Type.Optional(idSchema('agent')),
        name: Type.Optional(Name),
        dialect: sessionFields.dialect,
        system: sessionFields.system,
        data_subject: sessionFields.data_subject,
        session_mode: sessionFields.session_mode,
      },
      closed,
    ),
    answers: { 201: { description: 'The session', schema: SessionView } },
    faults: ['not_found', 'limit.exceeded'],
  }),
  runs: route({
    ...ofSession,
    id: 'listRuns',
    method: 'GET',
    path: '/v1/sessions/{session_id}/runs',
    allowed: ROLES,
    summary: 'Lists the runs of a session, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of runs', schema: RunList } },
    faults: ['not_found'],
  }),
  run: route({
    ...ofSession,
    id: 'startRun',
    method: 'POST',
    path: '/v1/sessions/{session_id}/runs',
    allowed: WRITER_ROLES,
    summary: 'Starts a run: a task for the agent; runs of one session execute one after another',
    body: Type.Object({ ...runFields, idempotency_key: Type.Optional(IdempotencyKey) }, closed),
    answers: {
      202: {
        description: 'The run, which continues whether anybody waits or not; `Location` has its path',
        schema: RunView,
      },
    },
    faults: ['not_found', 'limit.exceeded'],
  }),
  transcript: route({
    ...ofSession,
    id: 'exportTranscript',
    method: 'GET',
    path: '/v1/sessions/{session_id}/transcript',
    allowed: ROLES,
    summary: 'Returns the transcript of a session, run by run',
    answers: { 200: { description: 'The session with its runs and their events', schema: TranscriptView } },
    faults: ['not_found'],
  }),
  transcriptLines: route({
    ...ofSession,
    id: 'exportTranscriptLines',
    method: 'GET',
    path: '/v1/sessions/{session_id}/transcript.ndjson',
    allowed: ROLES,
    summary:
      'Returns the transcript as lines, without a length limit: the session, each run with its events, and an end line that marks completeness',
    answers: {
      200: {
        description: 'One JSON value per line: `line` is `session`, `run`, `event` or `end`',
        media: 'application/x-ndjson',
      },
    },
    faults: ['not_found'],
  }),
  usage: route({
    ...shared,
    id: 'readUsage',
    method: 'GET',
    path: '/v1/usage',
    allowed: ['admin', 'operator', 'auditor'],
    summary:
      'Sums tokens and costs of runs that were requested in a period, by model and by session, agent or day; includes deleted sessions',
    query: Type.Object(
      {
        from: Type.Optional(Moment),
        to: Type.Optional(Moment),
        by: Type.Optional(Type.Enum([...USAGE_BY], { description: 'default: `model`; days are UTC' })),
      },
      closed,
    ),
    answers: { 200: { description: 'The sums', schema: UsageView } },
  }),
  read: route({
    ...ofSession,
    id: 'readSession',
    method: 'GET',
    path: '/v1/sessions/{session_id}',
    allowed: ROLES,
    summary: 'Shows a session',
    answers: { 200: { description: 'The session', schema: SessionView } },
    faults: ['not_found'],
  }),
  remove: route({
    ...ofSession,
    id: 'deleteSession',
    method: 'DELETE',
    path: '/v1/sessions/{session_id}',
    allowed: ['admin'],
    summary: 'Deletes a session with its runs and texts, and records that; its calls and their receipts remain',
    answers: { 200: { description: 'The deleted session', schema: SessionView } },
    faults: ['not_found', 'conflict'],
  }),
};
