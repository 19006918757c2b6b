// SPDX-License-Identifier: Apache-2.0
import type { RouteRow } from '../edge/requests/route.ts';
import { AGENTS } from './agents/routes.ts';
import { API_KEYS } from './api-keys/routes.ts';
import { APPROVAL_QUEUE } from './approvals/queue-routes.ts';
import { APPROVALS, DELEGATIONS } from './approvals/routes.ts';
import { AUDIO_DEVICES } from './audio-devices/routes.ts';
import { BUDGETS } from './budgets/routes.ts';
import { CALL_SETTINGS } from './call-settings/routes.ts';
import { CALLS } from './calls/routes.ts';
import { CONTAINERS } from './containers/routes.ts';
import { ERASURES } from './erasures/routes.ts';
import { EVENT_STREAMS } from './event-streams/routes.ts';
import { EXPORTS } from './exports/routes.ts';
import { FILES } from './workspaces/file-routes.ts';
import { FREEZES } from './freezes/routes.ts';
import { APPROVER_GROUPS } from './approver-groups/routes.ts';
import { FUNCTIONS } from './functions/routes.ts';
import { JOBS } from './jobs/routes.ts';
import { IDENTITY_PROVIDERS, PERSONS } from './identity-providers/routes.ts';
import { INVITATIONS } from './invitations/routes.ts';
import { MEMBERS } from './members/routes.ts';
import { LOG } from './log/routes.ts';
import { MCP } from './mcp/routes.ts';
import { MCP_CONNECTIONS, MCP_SERVERS } from './mcp-servers/routes.ts';
import { OAUTH_TOKEN } from './oauth-token/routes.ts';
import { OPERATIONS } from './operations/routes.ts';
import { POLICIES } from './policies/routes.ts';
import { IMAGES } from './images/routes.ts';
import { EXECUTION_PROFILES } from './profiles/routes.ts';
import { RECORDS } from './records/routes.ts';
import { RESOURCE_GRANTS, RESOURCES } from './resources/routes.ts';
import { EXTERNAL_VERSIONS } from './external-versions/routes.ts';
import { SANDBOXES } from './sandboxes/routes.ts';
import { SECRETS } from './secrets/routes.ts';
import { MODELS, RUNS, SESSIONS } from './sessions/routes.ts';
import { SIGN_INS } from './sign-in/routes.ts';
import { SKILLS } from './skills/routes.ts';
import { SYSTEM } from './system/routes.ts';
import { TENANTS } from './tenants/routes.ts';
import { TOKENS } from './tokens/routes.ts';
import { TOOL_ROUTES } from './tools/routes.ts';
import { TURNS } from './turns/routes.ts';
import { CALL_USAGE } from './usage/routes.ts';
import { CHANNELS } from './channels/routes.ts';
import { WEBHOOKS } from './webhooks/routes.ts';
import { WHOAMI } from './whoami/routes.ts';
import { WORKSPACES } from './workspaces/routes.ts';

/** All routes of the API. */
export const ROUTES: readonly RouteRow[] = [
  TENANTS,
  API_KEYS,
  WHOAMI,
  IDENTITY_PROVIDERS,
  PERSONS,
  MEMBERS,
  INVITATIONS,
  SIGN_INS,
  OAUTH_TOKEN,
  CALL_SETTINGS,
  BUDGETS,
  CALL_USAGE,
  AGENTS,
  CALLS,
  FUNCTIONS,
  TURNS,
  MCP,
  OPERATIONS,
  DELEGATIONS,
  APPROVAL_QUEUE,
  APPROVALS,
  APPROVER_GROUPS,
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
  RESOURCE_GRANTS,
  AUDIO_DEVICES,
  EXTERNAL_VERSIONS,
  SECRETS,
  CONTAINERS,
  SANDBOXES,
  IMAGES,
  EXECUTION_PROFILES,
  SKILLS,
  TOOL_ROUTES,
  MCP_SERVERS,
  MCP_CONNECTIONS,
  CHANNELS,
  WEBHOOKS,
  LOG,
  EXPORTS,
  RECORDS,
  SYSTEM,
].flatMap((group): RouteRow[] => Object.values(group));
