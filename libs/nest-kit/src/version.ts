// SPDX-License-Identifier: Apache-2.0

/**
 * The version of every process (Semantic Versioning 2). Pods compare it during a rollout (ADR 0101), so all processes
 * of a release have the same one. It equals the version in the root's package.json and the chart's appVersion.
 */
export const VERSION = '0.1.0';
