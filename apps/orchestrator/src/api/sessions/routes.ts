// SPDX-License-Identifier: Apache-2.0
import { idSchema, IdempotencyKey, PolicyRef } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, Name, paging } from '../../edge/requests/fields.ts';
import { runFields, sessionFields } from '../../runs/sessions/session-fields.ts';
import { USAGE_BY } from '../../store/sessions/sessions.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import {
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
const hands = ['admin', 'agent'] as const;

/** A day: whoever reads longer connects again. */
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
    answers: { 200: { says: 'The models of this deployment; no key and no address is among it', schema: ModelList } },
  }),
};

export const RUNS = {
  read: route({
    ...ofRun,
    id: 'readRun',
    method: 'GET',
    path: '/v1/runs/{run_id}',
    allowed: ROLES,
    summary: 'Shows a run as it stands',
    answers: { 200: { says: 'The run', schema: RunView } },
    faults: ['not_found'],
  }),
  follow: route({
    ...ofRun,
    id: 'followRun',
    method: 'GET',
    path: '/v1/runs/{run_id}/events',
    allowed: ROLES,
    summary:
      "Streams what happens in a run: everything that is kept, with its `seq` as the event's id, then text and calls as they come; `Last-Event-ID` goes on after an event",
    query: Type.Object(
      {
        after: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1_000_000_000,
            description: 'only what came after this `seq`; `Last-Event-ID` outweighs it',
          }),
        ),
        for_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: STREAM_MS_MAX,
            description: 'milliseconds after which it ends; with the run unless said',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'Server-Sent Events until the run has ended', media: 'text/event-stream' } },
    faults: ['not_found', 'rate.limited'],
  }),
  cancel: route({
    ...ofRun,
    id: 'cancelRun',
    method: 'POST',
    path: '/v1/runs/{run_id}/cancel',
    allowed: ['admin', 'operator', 'agent'],
    summary: 'Asks for the end of a run, and of its calls that have not ended; one that has ended stays as it is',
    body: Type.Object({}, closed),
    answers: { 200: { says: 'The run as it stands: it ends as `cancelled` soon', schema: RunView } },
    faults: ['not_found'],
  }),
  fork: route({
    ...ofRun,
    id: 'forkRun',
    method: 'POST',
    path: '/v1/runs/{run_id}/fork',
    allowed: hands,
    summary:
      'Makes a session that begins with the conversation up to an event of a run; files are as the workspace has them',
    body: Type.Object(
      {
        after: Type.Integer({
          minimum: 0,
          maximum: 1_000_000_000,
          description: 'the last event that counts; 0: the conversation before the run',
        }),
        name: Type.Optional(Name),
        model: Type.Optional(sessionFields.model),
      },
      closed,
    ),
    answers: { 201: { says: 'The new session', schema: SessionView } },
    faults: ['not_found', 'limit.exceeded'],
  }),
  replay: route({
    ...ofRun,
    id: 'replayRun',
    method: 'POST',
    path: '/v1/runs/{run_id}/replay',
    allowed: ['admin', 'operator'],
    summary:
      'Asks a set about the calls of a run and its sub-agents, page by page: which would be decided otherwise, and where the conversation would have parted; nothing is executed, decided or recorded',
    body: Type.Object(
      {
        policy: Type.Optional({ ...PolicyRef, description: 'a stored set; the one in force unless said' }),
        document: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: "a set that isn't stored, in the place of `policy`",
          }),
        ),
        cursor: paging.cursor,
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 200, description: 'calls of a page; 100 unless said' }),
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'A page of its calls, in their order', schema: RunReplayView } },
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
          description: 'those of the sub-agents of this run, which are listed nowhere else',
        }),
      },
      closed,
    ),
    answers: { 200: { says: 'A page of sessions', schema: SessionList } },
  }),
  create: route({
    ...shared,
    id: 'createSession',
    method: 'POST',
    path: '/v1/sessions',
    allowed: hands,
    summary: 'Makes a session: a conversation of an agent in a workspace, under a capability token',
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
      },
      closed,
    ),
    answers: { 201: { says: 'The session', schema: SessionView } },
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
    answers: { 200: { says: 'A page of runs', schema: RunList } },
    faults: ['not_found'],
  }),
  run: route({
    ...ofSession,
    id: 'startRun',
    method: 'POST',
    path: '/v1/sessions/{session_id}/runs',
    allowed: hands,
    summary: 'Gives the agent a task; runs of one session are done one after another',
    body: Type.Object({ ...runFields, idempotency_key: Type.Optional(IdempotencyKey) }, closed),
    answers: {
      202: {
        says: 'The run, which goes on whether anybody waits or not; `Location` says where to look',
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
    summary: 'Gives all that was said and done in a session, run by run',
    answers: { 200: { says: 'The session with its runs and their events', schema: TranscriptView } },
    faults: ['not_found'],
  }),
  transcriptLines: route({
    ...ofSession,
    id: 'exportTranscriptLines',
    method: 'GET',
    path: '/v1/sessions/{session_id}/transcript.ndjson',
    allowed: ROLES,
    summary:
      'Gives the same as lines, however long it is: the session, each run with its events, and an end without which it broke off',
    answers: {
      200: { says: 'A JSON value a line: `line` is `session`, `run`, `event` or `end`', media: 'application/x-ndjson' },
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
      'Sums tokens and costs of the runs that were asked for in a time, of each model, and by session, agent or day; of deleted sessions too',
    query: Type.Object(
      {
        from: Type.Optional(Moment),
        to: Type.Optional(Moment),
        by: Type.Optional(Type.Enum([...USAGE_BY], { description: '`model` unless said; a day is of UTC' })),
      },
      closed,
    ),
    answers: { 200: { says: 'The sums', schema: UsageView } },
  }),
  read: route({
    ...ofSession,
    id: 'readSession',
    method: 'GET',
    path: '/v1/sessions/{session_id}',
    allowed: ROLES,
    summary: 'Shows a session',
    answers: { 200: { says: 'The session', schema: SessionView } },
    faults: ['not_found'],
  }),
  remove: route({
    ...ofSession,
    id: 'deleteSession',
    method: 'DELETE',
    path: '/v1/sessions/{session_id}',
    allowed: ['admin'],
    summary:
      'Takes a session away, with its runs and all that was said, and records that; its calls and their receipts stay',
    answers: { 200: { says: 'The session as it was', schema: SessionView } },
    faults: ['not_found', 'conflict'],
  }),
};
