// SPDX-License-Identifier: Apache-2.0

/**
 * The version of every process, as Semantic Versioning 2 has it. During a rollout pods compare it (ADR 0101), so all
 * processes of one release have the same one, and it is that of the root's package.json and of the chart's appVersion.
 */
export const VERSION = '0.1.0';
