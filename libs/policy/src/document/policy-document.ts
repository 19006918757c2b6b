// SPDX-License-Identifier: Apache-2.0
import { APPROVER_GROUPS_MAX, ApproverGroupName, TaskClass } from '@writ/contract';
import { completeEffectSettings, EffectSettings, EffectSettingsSource, stricterSettings } from '@writ/effect';
import { Type, type Static } from 'typebox';
import { HistoryRule } from './history-rule.ts';

const closed = { additionalProperties: false } as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Nobody answers older requests; a longer time is a mistake. */
const TTL_MAX_MS = 30 * DAY_MS;
/** More people than a call will ever need. */
const APPROVERS_MAX = 16;

/** Limits on a set: reading one takes a fraction of a second, and a process holds many. */
export const POLICY_LIMITS = { cedarChars: 262_144, rules: 1000, historyRules: 64, taskClasses: 64 } as const;

const Threshold = (description: string, value: number | null) =>
  Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], { description, default: value });

/** The risk from which a call needs each level of supervision, whatever the rules permit. */
export const Thresholds = Type.Object(
  {
    soft_gate: Threshold('risk from which on one person must see the call; null: risk alone never asks for it', 0.6),
    escalated: Threshold('risk from which on administrators must agree; null: risk alone never asks for it', 0.99),
    no_go: Threshold(
      'risk from which on the call is refused; null: risk alone never refuses, what the risk table itself rules out stays refused',
      null,
    ),
  },
  closed,
);
export type Thresholds = Static<typeof Thresholds>;

const Quorum = Type.Object(
  {
    soft_gate: Type.Integer({
      minimum: 1,
      maximum: APPROVERS_MAX,
      default: 1,
      description: "people who must approve a call at a soft gate; a rule's `@quorum` may ask for more",
    }),
    escalated: Type.Integer({
      minimum: 1,
      maximum: APPROVERS_MAX,
      default: 1,
      description: "administrators who must approve an escalated call; a rule's `@quorum` may ask for more",
    }),
  },
  closed,
);

const Ttl = (description: string, value: number) =>
  Type.Integer({ minimum: 1000, maximum: TTL_MAX_MS, default: value, description });
const TimesToLive = Type.Object(
  {
    approval_ms: Ttl('how long a held call waits for a person before it is refused as expired', DAY_MS),
    preview_ms: Ttl('how long a previewed effect may be approved as it was shown; later it is previewed anew', DAY_MS),
    staged_change_ms: Ttl('how long the token of a staged change is good', 10 * MINUTE_MS),
    session_grant_ms: Ttl('how long the narrowed token lives that "approve for the session" issues', 8 * HOUR_MS),
  },
  closed,
);

/** More steps, or reminders, than anybody follows. */
const STEPS_MAX = 4;
const REMINDERS_MAX = 8;

/** A step of an escalation. It adds persons who may decide; it never decides. */
export const EscalationStep = Type.Object(
  {
    after_ms: Type.Integer({
      minimum: 1000,
      maximum: TTL_MAX_MS,
      description: 'how long nobody has decided, from the moment when the call was held',
    }),
    to: Type.Array(ApproverGroupName, {
      minItems: 1,
      maxItems: APPROVER_GROUPS_MAX,
      uniqueItems: true,
      description: 'the groups whose members may decide from then on, too',
    }),
  },
  closed,
);
export type EscalationStep = Static<typeof EscalationStep>;

/** What happens while a held call waits. A set without it has the same hash as before there was it. */
const Waiting = Type.Object(
  {
    escalation: Type.Array(EscalationStep, {
      maxItems: STEPS_MAX,
      description: 'to whom the approval is offered after how long, in the order of the times',
    }),
    reminders_ms: Type.Array(Type.Integer({ minimum: 1000, maximum: TTL_MAX_MS }), {
      maxItems: REMINDERS_MAX,
      uniqueItems: true,
      description: 'how long before the approval expires a reminder is sent, each once',
    }),
  },
  { ...closed, description: 'what happens while a held call waits for people' },
);

const Name = Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]{0,63}$', description: 'what people call the set' });

/**
 * A complete policy set, from which the hash is computed. Data only, so that it can be stored, sent, compared and
 * signed.
 */
export const PolicyDocument = Type.Object(
  {
    v: Type.Literal(1),
    name: Name,
    description: Type.String({ maxLength: 2048, default: '', description: 'what the set is for, in words' }),
    enforcement: Type.Enum(['enforce', 'observe'], {
      default: 'enforce',
      description:
        "`observe` decides and records but lets calls run; errors, what the risk table rules out, the session's own limit and the hold on admin tools are enforced all the same",
    }),
    cedar: Type.String({
      maxLength: POLICY_LIMITS.cedarChars,
      description: 'the rules, in Cedar; deny by default, a forbid wins',
    }),
    thresholds: Type.Object(
      {
        general: Thresholds,
        task_classes: Type.Record(TaskClass, Thresholds, {
          additionalProperties: false,
          maxProperties: POLICY_LIMITS.taskClasses,
          default: {},
          description: 'thresholds of their own for single task classes, instead of the general ones',
        }),
      },
      closed,
    ),
    history: Type.Array(HistoryRule, {
      maxItems: POLICY_LIMITS.historyRules,
      default: [],
      description: 'rules on what happened before in the session',
    }),
    effects: Type.Object(
      {
        general: EffectSettings,
        task_classes: Type.Record(TaskClass, EffectSettingsSource, {
          additionalProperties: false,
          maxProperties: POLICY_LIMITS.taskClasses,
          default: {},
          description:
            'for single task classes, what is stricter than the general settings; the caller names its task class, so what is milder has no effect',
        }),
      },
      { ...closed, description: 'the numbers by which the effect of a call is judged before it commits' },
    ),
    quorum: Quorum,
    ttl: TimesToLive,
    waiting: Type.Optional(Waiting),
  },
  closed,
);
export type PolicyDocument = Static<typeof PolicyDocument>;

/**
 * A policy set as it is written: omitted members have their defaults. Entries of `thresholds.task_classes` inherit
 * omitted members from `general`.
 */
export const PolicySetSource = Type.Object(
  {
    v: Type.Literal(1),
    name: Name,
    description: Type.Optional(PolicyDocument.properties.description),
    enforcement: Type.Optional(PolicyDocument.properties.enforcement),
    cedar: PolicyDocument.properties.cedar,
    thresholds: Type.Optional(
      Type.Partial(
        Type.Object({
          general: Type.Partial(Thresholds),
          task_classes: Type.Record(TaskClass, Type.Partial(Thresholds), {
            additionalProperties: false,
            maxProperties: POLICY_LIMITS.taskClasses,
          }),
        }),
        closed,
      ),
    ),
    history: Type.Optional(PolicyDocument.properties.history),
    effects: Type.Optional(
      Type.Object(
        {
          general: Type.Optional(EffectSettingsSource),
          task_classes: Type.Optional(PolicyDocument.properties.effects.properties.task_classes),
        },
        closed,
      ),
    ),
    quorum: Type.Optional(Type.Partial(Quorum)),
    ttl: Type.Optional(Type.Partial(TimesToLive)),
    waiting: Type.Optional(Type.Partial(Waiting)),
  },
  closed,
);
export type PolicySetSource = Static<typeof PolicySetSource>;

type Defaults<T> = { readonly properties: Readonly<Record<keyof T, object>> };
/** The defaults in a schema, so that document, code and docs share them. */
export function defaultsOf<T>({ properties }: Defaults<T>): T {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, (schema as { default: unknown }).default]),
  ) as T;
}

/** Fills in omitted members. */
export function completeDocument(source: PolicySetSource): PolicyDocument {
  const general = { ...defaultsOf<Thresholds>(Thresholds), ...source.thresholds?.general };
  const task_classes = Object.fromEntries(
    Object.entries(source.thresholds?.task_classes ?? {}).map(([name, own]) => [name, { ...general, ...own }]),
  );
  return {
    v: 1,
    name: source.name,
    description: source.description ?? '',
    enforcement: source.enforcement ?? 'enforce',
    // Line ends are normalised, so that the same text has the same hash wherever it was edited.
    cedar: source.cedar.replace(/\r\n?/g, '\n'),
    thresholds: { general, task_classes },
    history: source.history ?? [],
    effects: {
      general: completeEffectSettings(source.effects?.general),
      task_classes: { ...source.effects?.task_classes },
    },
    quorum: { ...defaultsOf<PolicyDocument['quorum']>(Quorum), ...source.quorum },
    ttl: { ...defaultsOf<PolicyDocument['ttl']>(TimesToLive), ...source.ttl },
    ...(source.waiting === undefined ? {} : { waiting: { escalation: [], reminders_ms: [], ...source.waiting } }),
  };
}

/** The settings for judging the effects of a task class: the general ones, and its own if those are stricter. */
export function effectSettingsFor(
  { effects: { general, task_classes } }: Pick<PolicyDocument, 'effects'>,
  taskClass: string,
): EffectSettings {
  return Object.hasOwn(task_classes, taskClass)
    ? stricterSettings(general, task_classes[taskClass] as EffectSettingsSource)
    : general;
}
