// SPDX-License-Identifier: Apache-2.0

/** The roles of API keys. */
export const ROLES = ['admin', 'operator', 'agent', 'auditor'] as const;
export type Role = (typeof ROLES)[number];
