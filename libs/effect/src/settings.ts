// SPDX-License-Identifier: Apache-2.0
import { TaskClass } from '@writ/contract';
import { Type, type Static, type TSchema } from 'typebox';

const closed = { additionalProperties: false } as const;

/** The consequence of a finding, from the mildest to the strictest. `observe` only records it. */
export const EFFECT_MODES = ['observe', 'soft_gate', 'escalated', 'no_go'] as const;
export type EffectMode = (typeof EFFECT_MODES)[number];

/** More files than a workspace may hold: a rule with this number never applies. */
const FILES_MAX = 1_000_000;
/** As many patterns as a person can survey. */
const PATTERNS_MAX = 64;

const Mode = Type.Enum([...EFFECT_MODES], { default: 'soft_gate', description: 'what a finding leads to' });
const Files = (description: string, value: number) =>
  Type.Integer({ minimum: 1, maximum: FILES_MAX, default: value, description });
const Share = (description: string, value: number) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description });

const LostMany = Type.Object(
  {
    mode: Mode,
    few_files: Files('lost files that count together with `few_share`', 3),
    few_share: Share('share of the counted files from which few lost files are many', 0.25),
    some_files: Files('lost files that count together with `some_share`', 20),
    some_share: Share('share of the counted files from which some lost files are many', 0.1),
    many_files: Files('lost files that are many in any workspace', 200),
  },
  closed,
);

const LostSeries = Type.Object(
  {
    mode: Mode,
    window_ms: Type.Integer({
      minimum: 60_000,
      maximum: 86_400_000,
      default: 3_600_000,
      description: 'how far back a series goes: what it lost is measured by what stood when this window began',
    }),
    factor: Type.Number({
      minimum: 1,
      maximum: 100,
      default: 2,
      description: 'how many rewritten files of a series count as one lost file; deleted and emptied ones count each',
    }),
  },
  closed,
);

const BinaryOverText = Type.Object({ mode: Mode, files: Files('text files that become binary', 3) }, closed);

const RenamedMany = Type.Object(
  {
    mode: Mode,
    files: Files('files that move to another extension', 50),
    share: Share('share of the counted files that they must be', 0.25),
  },
  closed,
);

const ModeOnly = Type.Object({ mode: Mode }, closed);

const Glob = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'a path pattern: `*` within a name, `**` across names',
});

/**
 * The settings by which effects are judged. They are part of a policy document and so of its hash.
 * `effect.emptied_workspace` has none: every policy refuses it.
 */
export const EffectSettings = Type.Object(
  {
    regenerable: Type.Array(Glob, {
      maxItems: PATTERNS_MAX,
      default: [],
      description: 'further paths that are made again by a build, an install or a generator',
    }),
    lost_many: LostMany,
    lost_series: LostSeries,
    history: ModeOnly,
    binary_over_text: BinaryOverText,
    renamed_many: RenamedMany,
    runs_later: ModeOnly,
    read_wrote: ModeOnly,
  },
  closed,
);
export type EffectSettings = Static<typeof EffectSettings>;

const optional = <T extends Record<string, TSchema>>(object: { properties: T }) =>
  Type.Partial(Type.Object(object.properties, closed));

/** The settings in a policy's source: omitted ones have their default. */
export const EffectSettingsSource = Type.Object(
  {
    regenerable: Type.Optional(EffectSettings.properties.regenerable),
    lost_many: Type.Optional(optional(LostMany)),
    lost_series: Type.Optional(optional(LostSeries)),
    history: Type.Optional(ModeOnly),
    binary_over_text: Type.Optional(optional(BinaryOverText)),
    renamed_many: Type.Optional(optional(RenamedMany)),
    runs_later: Type.Optional(ModeOnly),
    read_wrote: Type.Optional(ModeOnly),
  },
  closed,
);
export type EffectSettingsSource = Static<typeof EffectSettingsSource>;

/** Additional settings for a task class. The caller names its task class, so they can only tighten the general ones. */
export const EffectTaskClasses = Type.Record(TaskClass, EffectSettingsSource, { additionalProperties: false });

type Sections = Omit<EffectSettings, 'regenerable'>;
const SECTIONS = {
  lost_many: LostMany,
  lost_series: LostSeries,
  history: ModeOnly,
  binary_over_text: BinaryOverText,
  renamed_many: RenamedMany,
  runs_later: ModeOnly,
  read_wrote: ModeOnly,
} as const;

/** Fills in the defaults. */
export function completeEffectSettings(source: EffectSettingsSource = {}): EffectSettings {
  const sections = Object.fromEntries(
    Object.entries(SECTIONS).map(([name, { properties }]) => {
      const defaults = Object.entries(properties).map(([key, schema]) => [
        key,
        (schema as unknown as { default: unknown }).default,
      ]);
      return [name, { ...(Object.fromEntries(defaults) as object), ...source[name as keyof Sections] }];
    }),
  );
  return { regenerable: [...(source.regenerable ?? [])], ...(sections as unknown as Sections) };
}

/** The stricter of two settings, value by value: fewer files, smaller shares, longer windows, stricter modes. */
export function stricterSettings(general: EffectSettings, own: EffectSettingsSource): EffectSettings {
  const sections = Object.fromEntries(
    Object.keys(SECTIONS).map((name) => {
      const [a, b] = [general[name as keyof Sections], own[name as keyof Sections] ?? {}];
      return [
        name,
        Object.fromEntries(
          Object.entries(a).map(([key, value]) => [
            key,
            stricterValue(key, value, (b as Record<string, unknown>)[key]),
          ]),
        ),
      ];
    }),
  );
  return { regenerable: general.regenerable, ...(sections as unknown as Sections) };
}

function stricterValue(key: string, general: unknown, own: unknown): unknown {
  if (own === undefined) return general;
  if (key === 'mode')
    return EFFECT_MODES[Math.max(EFFECT_MODES.indexOf(general as EffectMode), EFFECT_MODES.indexOf(own as EffectMode))];
  return key === 'window_ms' ? Math.max(general as number, own as number) : Math.min(general as number, own as number);
}
