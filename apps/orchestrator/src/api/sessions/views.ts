// SPDX-License-Identifier: Apache-2.0
import { ModelTurn, RunEvent } from '@writ/agent-loop';
import { idSchema, PolicyReplay, ReplayedCall } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { ModelView } from '../../runs/models/model-view.ts';
import { RUN_STOPPED, RunEnded } from '../../store/sessions/run-events.ts';
import { USAGE_BY } from '../../store/sessions/sessions.ts';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';

const Count = Type.Integer({ minimum: 0 });

export const ModelList = Type.Object({ items: Type.Array(ModelView) }, closed);

export const SessionView = Type.Object(
  {
    session_id: idSchema('session'),
    name: orNull(Type.String()),
    agent_id: idSchema('agent'),
    workspace_id: Type.String(),
    capability_token_id: Type.String(),
    dialect: Type.String({
      description: "how calls are written: `native` as the model's provider has it, or a dialect of text",
    }),
    model: Type.String(),
    forked_from: orNull(Type.Object({ run_id: idSchema('run'), after: Count }, closed)),
    spawned_by: orNull(
      Type.Object(
        { run_id: idSchema('run'), operation_id: idSchema('operation') },
        { ...closed, description: 'of a sub-agent: the run above it, and the call that it works for' },
      ),
    ),
    job_id: orNull(idSchema('job')),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that made it' }),
  },
  closed,
);
export type SessionView = Static<typeof SessionView>;
export const SessionList = listOf(SessionView);

export const RunView = Type.Object(
  {
    run_id: idSchema('run'),
    session_id: idSchema('session'),
    model: Type.String(),
    state: Type.Enum(['queued', 'running', 'waiting', 'ended'], {
      description:
        '`queued`: behind other runs of its session; `waiting`: a call is held for a person, or a sub-agent has to end first',
    }),
    stopped: orNull(
      Type.Enum([...RUN_STOPPED], { description: 'why it ended; `failed`: the orchestrator could not go on with it' }),
    ),
    waits_for: Type.Array(Type.String(), { description: 'operations that somebody has to decide' }),
    cancel_asked: Type.Boolean(),
    error: orNull(
      Type.Object(
        { fault: Type.String(), message: Type.String() },
        { ...closed, description: 'why the model or the run failed' },
      ),
    ),
    events: Type.Integer({ minimum: 0, description: "how many events are kept: the last one's `seq`" }),
    rounds: Count,
    input_tokens: Count,
    cached_tokens: Count,
    output_tokens: Count,
    cost: orNull(
      Type.Integer({ minimum: 0, description: "millionths of the model's currency; null for a model without prices" }),
    ),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key on whose behalf it makes its calls' }),
    started_at: orNull(Instant),
    ended_at: orNull(Instant),
  },
  closed,
);
export type RunView = Static<typeof RunView>;
export const RunList = listOf(RunView);

const ShownTurn = Type.Object(
  { ...Object.fromEntries(Object.entries(ModelTurn.properties).filter(([name]) => name !== 'native')) },
  closed,
);
const placed = { seq: Type.Integer({ minimum: 1 }), at: Instant };

/** An event in its place: flat, as a stream tells it. A reply is shown without what only its provider can read. */
export const RunEventView = Type.Union([
  ...RunEvent.anyOf.map((each) =>
    Type.Object({ ...placed, ...each.properties, ...('turn' in each.properties ? { turn: ShownTurn } : {}) }, closed),
  ),
  Type.Object({ ...placed, ...RunEnded.properties }, closed),
]);
export type RunEventView = { seq: number; at: number; kind: string } & Record<string, unknown>;

export const TranscriptView = Type.Object(
  {
    v: Type.Literal(1),
    session: SessionView,
    runs: Type.Array(Type.Object({ run: RunView, input: Type.String(), events: Type.Array(RunEventView) }, closed)),
  },
  closed,
);
export type TranscriptView = {
  v: 1;
  session: SessionView;
  runs: { run: RunView; input: string; events: RunEventView[] }[];
};

const CallPlaceView = {
  run_id: idSchema('run'),
  round: Type.Integer({ minimum: 0, description: '0: what the run read before its first round' }),
  index: Count,
} as const;

/** A page of the calls of a run, as another policy would have decided them. */
export const RunReplayView = Type.Object(
  {
    run_id: idSchema('run'),
    candidate: PolicyReplay.properties.candidate,
    next_cursor: orNull(Type.String()),
    parts_at: orNull(
      Type.Object(CallPlaceView, {
        ...closed,
        description:
          'the first call of this page that would be admitted, held or refused where it was not: from there on the run would have been another',
      }),
    ),
    counts: Type.Object(
      {
        examined: Count,
        skipped: Type.Integer({
          minimum: 0,
          description: 'calls that the sets could not be asked about; `why_not` says why',
        }),
        changed: Type.Integer({ minimum: 0, description: 'calls of another mode' }),
        would_be: Type.Object({ admitted: Count, held: Count, refused: Count }, closed),
      },
      { ...closed, description: 'of this page' },
    ),
    items: Type.Array(
      Type.Object(
        {
          ...CallPlaceView,
          tool_id: Type.String(),
          operation_id: orNull(idSchema('operation')),
          was: ReplayedCall.properties.was,
          would_be: ReplayedCall.properties.would_be,
          why_not: ReplayedCall.properties.why_not,
        },
        closed,
      ),
    ),
  },
  closed,
);
export type RunReplayView = Omit<Static<typeof RunReplayView>, 'run_id' | 'items' | 'parts_at'> & {
  run_id: string;
  parts_at: { run_id: string; round: number; index: number } | null;
  items: ({ run_id: string; round: number; index: number; tool_id: string; operation_id: string | null } & Pick<
    ReplayedCall,
    'was' | 'would_be' | 'why_not'
  >)[];
};

export const UsageView = Type.Object(
  {
    from: Instant,
    to: Instant,
    by: Type.Enum([...USAGE_BY]),
    items: Type.Array(
      Type.Object(
        {
          of: orNull(Type.String({ description: 'the session, agent or day; null by model' })),
          model: Type.String(),
          runs: Count,
          input_tokens: Count,
          cached_tokens: Count,
          output_tokens: Count,
          cost: Type.Integer({ minimum: 0, description: 'millionths of the currency' }),
          currency: orNull(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type UsageView = Static<typeof UsageView>;
