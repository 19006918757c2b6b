// SPDX-License-Identifier: Apache-2.0

/** What an API key may be for. */
export const ROLES = ['admin', 'operator', 'agent', 'auditor'] as const;
export type Role = (typeof ROLES)[number];
