// SPDX-License-Identifier: Apache-2.0
import { ModelTurn, RunEvent } from '@writ/agent-loop';
import { idSchema, PolicyReplay, ReplayedCall, SchedulingClass } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { ModelView } from '../../runs/models/model-view.ts';
import { RUN_STOPPED, RunEnded } from '../../store/session-rows/run-events.ts';
import { USAGE_BY } from '../../store/session-rows/sessions.ts';
import { expandable } from '../../edge/expansions/expansions.ts';
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
      description: "how the model writes calls: `native`, the provider's format, or a text dialect",
    }),
    model: Type.String(),
    forked_from: orNull(Type.Object({ run_id: idSchema('run'), after: Count }, closed)),
    spawned_by: orNull(
      Type.Object(
        { run_id: orNull(idSchema('run')), operation_id: idSchema('operation') },
        {
          ...closed,
          description: 'for a sub-agent: its parent run (null for a call of a turn), and the call that started it',
        },
      ),
    ),
    job_id: orNull(idSchema('job')),
    session_mode: Type.Enum(['interactive', 'gateway', 'scheduled'], {
      description: 'of its calls: only in an interactive session can a person be asked',
    }),
    scheduling_class: orNull({
      ...SchedulingClass,
      description: "the class that the job's definition names; null: each call's task class and session mode give it",
    }),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that created it' }),
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
        '`queued`: waits for earlier runs of its session; `waiting`: a call is held for a person, or a sub-agent has to end first',
    }),
    stopped: orNull(
      Type.Enum([...RUN_STOPPED], { description: 'why it ended; `failed`: the orchestrator could not continue it' }),
    ),
    waits_for: Type.Array(Type.String(), { description: 'operations that a person has to decide' }),
    cancel_asked: Type.Boolean(),
    error: orNull(
      Type.Object(
        { fault: Type.String(), message: Type.String() },
        { ...closed, description: 'why the model or the run failed' },
      ),
    ),
    events: Type.Integer({ minimum: 0, description: "how many events are stored, which is the last one's `seq`" }),
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

/** A run, with what its request expands. */
export const ExpandableRun = expandable(RunView, { session: Type.Optional(orNull(SessionView)) });
export const RunList = listOf(RunView);

const ShownTurn = Type.Object(
  { ...Object.fromEntries(Object.entries(ModelTurn.properties).filter(([name]) => name !== 'native')) },
  closed,
);
const eventPosition = { seq: Type.Integer({ minimum: 1 }), at: Instant };

/** An event with its position, as a flat object as in a stream. A reply is shown without its provider's native form. */
export const RunEventView = Type.Union([
  ...RunEvent.anyOf.map((each) =>
    Type.Object(
      { ...eventPosition, ...each.properties, ...('turn' in each.properties ? { turn: ShownTurn } : {}) },
      closed,
    ),
  ),
  Type.Object({ ...eventPosition, ...RunEnded.properties }, closed),
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

const CallPositionView = {
  run_id: idSchema('run'),
  round: Type.Integer({ minimum: 0, description: "0: the run's own read before its first round" }),
  index: Count,
} as const;

/** A page of the calls of a run, with the decisions of another policy. */
export const RunReplayView = Type.Object(
  {
    run_id: idSchema('run'),
    candidate: PolicyReplay.properties.candidate,
    next_cursor: orNull(Type.String()),
    parts_at: orNull(
      Type.Object(CallPositionView, {
        ...closed,
        description: 'the first call of this page with another verdict; from there on the run would have diverged',
      }),
    ),
    counts: Type.Object(
      {
        examined: Count,
        skipped: Type.Integer({
          minimum: 0,
          description: 'calls that could not be evaluated; `why_not` has the reason',
        }),
        changed: Type.Integer({ minimum: 0, description: 'calls with another autonomy mode' }),
        would_be: Type.Object({ admitted: Count, held: Count, refused: Count }, closed),
      },
      { ...closed, description: 'counts of this page' },
    ),
    items: Type.Array(
      Type.Object(
        {
          ...CallPositionView,
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
