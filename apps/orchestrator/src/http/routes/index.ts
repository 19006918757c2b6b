// SPDX-License-Identifier: Apache-2.0
import type { RouteRow } from '../route.ts';
import { AGENTS } from './agents.ts';
import { API_KEYS } from './api-keys.ts';
import { APPROVALS, DELEGATIONS } from './approvals.ts';
import { CallBody, CALLS } from './calls.ts';
import { CONTAINERS } from './containers.ts';
import { ERASURES } from './erasures.ts';
import { EVENT_STREAMS } from './event-streams.ts';
import { EXPORTS } from './exports.ts';
import { FILES } from './files.ts';
import { FREEZES } from './freezes.ts';
import { JOBS } from './jobs.ts';
import { LOG } from './log.ts';
import { OPERATIONS } from './operations.ts';
import { POLICIES } from './policies.ts';
import { EXECUTION_PROFILES } from './profiles.ts';
import { RECORDS } from './records.ts';
import { RESOURCES } from './resources.ts';
import { SANDBOXES } from './sandboxes.ts';
import { SECRETS } from './secrets.ts';
import { MODELS, RUNS, SESSIONS } from './sessions.ts';
import { SKILLS } from './skills.ts';
import { SYSTEM } from './system.ts';
import { TENANTS } from './tenants.ts';
import { TOKENS } from './tokens.ts';
import { SEARCH_PROVIDER, TOOL_ROUTES } from './tools.ts';
import { PromptView, TurnBody, TURNS, TurnView } from './turns.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WORKSPACES } from './workspaces.ts';

export {
  AGENTS,
  API_KEYS,
  APPROVALS,
  CallBody,
  CALLS,
  CONTAINERS,
  DELEGATIONS,
  ERASURES,
  EVENT_STREAMS,
  EXECUTION_PROFILES,
  EXPORTS,
  FILES,
  FREEZES,
  JOBS,
  LOG,
  MODELS,
  OPERATIONS,
  POLICIES,
  PromptView,
  RECORDS,
  RESOURCES,
  RUNS,
  SANDBOXES,
  SEARCH_PROVIDER,
  SECRETS,
  SESSIONS,
  SKILLS,
  SYSTEM,
  TENANTS,
  TOKENS,
  TOOL_ROUTES,
  TurnBody,
  TURNS,
  TurnView,
  WEBHOOKS,
  WORKSPACES,
};

/** Every route there is. */
export const ROUTES: readonly RouteRow[] = [
  TENANTS,
  API_KEYS,
  AGENTS,
  CALLS,
  TURNS,
  OPERATIONS,
  DELEGATIONS,
  APPROVALS,
  POLICIES,
  TOKENS,
  WORKSPACES,
  FILES,
  FREEZES,
  ERASURES,
  EVENT_STREAMS,
  MODELS,
  RUNS,
  SESSIONS,
  JOBS,
  RESOURCES,
  SECRETS,
  CONTAINERS,
  SANDBOXES,
  EXECUTION_PROFILES,
  SKILLS,
  TOOL_ROUTES,
  SEARCH_PROVIDER,
  WEBHOOKS,
  LOG,
  EXPORTS,
  RECORDS,
  SYSTEM,
].flatMap((group): RouteRow[] => Object.values(group));
