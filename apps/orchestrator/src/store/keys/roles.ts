// SPDX-License-Identifier: Apache-2.0

/** The roles of API keys whose holders work with a tenant as a whole, or as one of its agents. */
export const ROLES = ['admin', 'operator', 'agent', 'auditor'] as const;
/** A role that an access token can give as well: a worker's key names its tools, which no scope does. */
export type TokenRole = (typeof ROLES)[number];
/**
 * The roles of all API keys. A key of the role `worker` takes calls of the tools that it names, and may do nothing
 * else: a route has to list the role by its name.
 */
export const KEY_ROLES = [...ROLES, 'worker'] as const;
export type Role = (typeof KEY_ROLES)[number];
