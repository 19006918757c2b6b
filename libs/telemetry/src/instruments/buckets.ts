// SPDX-License-Identifier: Apache-2.0
// Upper bounds of buckets. Each one is a time series for each combination of labels, so instruments with many labels
// have few.

/** Seconds: from a request within one machine (0.5 ms) to a command at its limit (120 s). */
export const SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
] as const;

/** Seconds, for instruments with several labels: the bounds that objectives and dashboards use. */
export const COARSE_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const;

/** Seconds that a person takes to decide: from one second to two days, after which every approval has ended. */
export const PERSON_SECONDS = [1, 10, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 172_800] as const;

/** Seconds of a request to a model, as OpenTelemetry's conventions for generative AI advise. */
export const MODEL_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const;

/** Tokens of a request to a model, as OpenTelemetry's conventions for generative AI advise. */
export const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304] as const;

/** Seconds of a collection of garbage, as OpenTelemetry's conventions for V8 advise. */
export const GC_SECONDS = [0.01, 0.1, 1, 10] as const;

/** Records in one batch. */
export const BATCH = [1, 2, 5, 10, 25, 50, 100, 250, 1_000] as const;
