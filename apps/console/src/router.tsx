// SPDX-License-Identifier: Apache-2.0
// Where each page is. A page's code is loaded when it is opened, but for the inbox, which is opened first.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { readActivitySearch } from './pages/activity/activity-search.ts';
import { readAdministrationSearch } from './pages/administration/administration-search.ts';
import { Inbox } from './pages/approvals/inbox.tsx';
import { readInboxSearch } from './pages/approvals/inbox-search.ts';
import { readEditSearch } from './pages/policy/edit-search.ts';
import { readTokensSearch } from './pages/tokens/tokens-search.ts';
import { readServerSearch, readToolsSearch } from './pages/tools/tools-search.ts';
import { readEvidenceSearch } from './pages/evidence/evidence-search.ts';
import { readWorkspaceSearch } from './pages/workspaces/workspace-search.ts';
import { readReplaySearch, readSessionSearch, readSessionsSearch } from './pages/sessions/sessions-search.ts';
import { Empty, Failed, Skeleton } from './parts/loading.tsx';
import { Shell } from './shell/shell.tsx';
import { en } from './words/en.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: () => <Empty title={en.problem.noPage} /> });
const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/approvals', search: {} });
  },
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: readInboxSearch,
  component: Inbox,
});
const approval = createRoute({
  getParentRoute: () => root,
  path: '/approvals/$approvalId',
  component: lazyRouteComponent(() => import('./pages/approvals/held-call.tsx'), 'HeldCall'),
});
const activity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  validateSearch: readActivitySearch,
  component: lazyRouteComponent(() => import('./pages/activity/operations.tsx'), 'Operations'),
});
const operation = createRoute({
  getParentRoute: () => root,
  path: '/activity/$operationId',
  component: lazyRouteComponent(() => import('./pages/activity/one-operation.tsx'), 'OneOperation'),
});
const policies = createRoute({
  getParentRoute: () => root,
  path: '/policy',
  component: lazyRouteComponent(() => import('./pages/policy/policies.tsx'), 'Policies'),
});
const policyEditor = createRoute({
  getParentRoute: () => root,
  path: '/policy/edit',
  validateSearch: readEditSearch,
  component: lazyRouteComponent(() => import('./pages/policy/write-policy.tsx'), 'WritePolicy'),
});
const policy = createRoute({
  getParentRoute: () => root,
  path: '/policy/$policy',
  component: lazyRouteComponent(() => import('./pages/policy/one-policy.tsx'), 'OnePolicy'),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  validateSearch: readTokensSearch,
  component: lazyRouteComponent(() => import('./pages/tokens/tokens.tsx'), 'Tokens'),
});
const token = createRoute({
  getParentRoute: () => root,
  path: '/tokens/$tokenId',
  component: lazyRouteComponent(() => import('./pages/tokens/one-token.tsx'), 'OneToken'),
});
const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: readToolsSearch,
  component: lazyRouteComponent(() => import('./pages/tools/tools.tsx'), 'Tools'),
});
const tool = createRoute({
  getParentRoute: () => root,
  path: '/tools/$toolId',
  component: lazyRouteComponent(() => import('./pages/tools/one-tool.tsx'), 'OneTool'),
});
const mcpServers = createRoute({
  getParentRoute: () => root,
  path: '/mcp-servers',
  component: lazyRouteComponent(() => import('./pages/tools/servers.tsx'), 'McpServers'),
});
const mcpServer = createRoute({
  getParentRoute: () => root,
  path: '/mcp-servers/$server',
  validateSearch: readServerSearch,
  component: lazyRouteComponent(() => import('./pages/tools/one-server.tsx'), 'OneServer'),
});
const administration = createRoute({
  getParentRoute: () => root,
  path: '/administration',
  validateSearch: readAdministrationSearch,
  component: lazyRouteComponent(() => import('./pages/administration/administration.tsx'), 'Administration'),
});
const administrationStart = createRoute({
  getParentRoute: () => administration,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/administration/freezes', search: {} });
  },
});
const freezes = createRoute({
  getParentRoute: () => administration,
  path: '/freezes',
  component: lazyRouteComponent(() => import('./pages/administration/freezes.tsx'), 'Freezes'),
});
const members = createRoute({
  getParentRoute: () => administration,
  path: '/members',
  component: lazyRouteComponent(() => import('./pages/administration/members.tsx'), 'Members'),
});
const invitations = createRoute({
  getParentRoute: () => administration,
  path: '/invitations',
  component: lazyRouteComponent(() => import('./pages/administration/invitations.tsx'), 'Invitations'),
});
const agents = createRoute({
  getParentRoute: () => administration,
  path: '/agents',
  component: lazyRouteComponent(() => import('./pages/administration/agents.tsx'), 'Agents'),
});
const apiKeys = createRoute({
  getParentRoute: () => administration,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/administration/api-keys.tsx'), 'ApiKeys'),
});
const secrets = createRoute({
  getParentRoute: () => administration,
  path: '/secrets',
  component: lazyRouteComponent(() => import('./pages/administration/secrets.tsx'), 'Secrets'),
});
const webhooks = createRoute({
  getParentRoute: () => administration,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/administration/webhooks.tsx'), 'Webhooks'),
});
const limits = createRoute({
  getParentRoute: () => administration,
  path: '/limits',
  component: lazyRouteComponent(() => import('./pages/administration/limits.tsx'), 'Limits'),
});
const usage = createRoute({
  getParentRoute: () => administration,
  path: '/usage',
  component: lazyRouteComponent(() => import('./pages/administration/usage.tsx'), 'Usage'),
});
const erasures = createRoute({
  getParentRoute: () => administration,
  path: '/erasures',
  component: lazyRouteComponent(() => import('./pages/administration/erasures.tsx'), 'Erasures'),
});
const platform = createRoute({
  getParentRoute: () => root,
  path: '/platform',
  validateSearch: readAdministrationSearch,
  component: lazyRouteComponent(() => import('./pages/platform/platform.tsx'), 'Platform'),
});
const administrationPages = administration.addChildren([
  administrationStart,
  freezes,
  members,
  invitations,
  agents,
  apiKeys,
  secrets,
  webhooks,
  limits,
  usage,
  erasures,
]);
const workspaces = createRoute({
  getParentRoute: () => root,
  path: '/workspaces',
  component: lazyRouteComponent(() => import('./pages/workspaces/workspace-list.tsx'), 'WorkspaceList'),
});
const workspace = createRoute({
  getParentRoute: () => root,
  path: '/workspaces/$workspaceId',
  validateSearch: readWorkspaceSearch,
  component: lazyRouteComponent(() => import('./pages/workspaces/one-workspace.tsx'), 'OneWorkspace'),
});
const evidence = createRoute({
  getParentRoute: () => root,
  path: '/evidence',
  validateSearch: readEvidenceSearch,
  component: lazyRouteComponent(() => import('./pages/evidence/records.tsx'), 'Records'),
});
const record = createRoute({
  getParentRoute: () => root,
  path: '/evidence/records/$leafIndex',
  component: lazyRouteComponent(() => import('./pages/evidence/one-record.tsx'), 'OneRecord'),
});
const log = createRoute({
  getParentRoute: () => root,
  path: '/evidence/log',
  component: lazyRouteComponent(() => import('./pages/evidence/log-state.tsx'), 'LogState'),
});
const exportsOfRecords = createRoute({
  getParentRoute: () => root,
  path: '/evidence/exports',
  component: lazyRouteComponent(() => import('./pages/evidence/exports.tsx'), 'Exports'),
});
const verifyFiles = createRoute({
  getParentRoute: () => root,
  path: '/evidence/verify',
  component: lazyRouteComponent(() => import('./pages/evidence/verify-files.tsx'), 'VerifyFiles'),
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: readSessionsSearch,
  component: lazyRouteComponent(() => import('./pages/sessions/all-sessions.tsx'), 'AllSessions'),
});
const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  validateSearch: readSessionSearch,
  component: lazyRouteComponent(() => import('./pages/sessions/one-session.tsx'), 'OneSession'),
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('./pages/sessions/place-of-run.tsx'), 'PlaceOfRun'),
});
const replay = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId/replay',
  validateSearch: readReplaySearch,
  component: lazyRouteComponent(() => import('./pages/sessions/run-replay.tsx'), 'RunReplay'),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./pages/jobs/all-jobs.tsx'), 'AllJobs'),
});
const job = createRoute({
  getParentRoute: () => root,
  path: '/jobs/$jobId',
  component: lazyRouteComponent(() => import('./pages/jobs/one-job.tsx'), 'OneJob'),
});

const PageFailed = ({ error, reset }: ErrorComponentProps): ReactNode => <Failed error={error} retry={reset} />;

export const consoleRouter = createRouter({
  routeTree: root.addChildren([
    start,
    approvals,
    approval,
    activity,
    operation,
    policies,
    policyEditor,
    policy,
    tokens,
    token,
    tools,
    tool,
    mcpServers,
    mcpServer,
    administrationPages,
    workspaces,
    workspace,
    platform,
    evidence,
    record,
    log,
    exportsOfRecords,
    verifyFiles,
    sessions,
    session,
    run,
    replay,
    jobs,
    job,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Skeleton lines={12} />,
  defaultErrorComponent: PageFailed,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof consoleRouter;
  }
}
