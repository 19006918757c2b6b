// SPDX-License-Identifier: Apache-2.0
import type { Revision } from './suite.ts';

const ASKS =
  'a server of 2025-11-25 asks within a session, and Writ has none; servers of 2026-07-28 ask at a mount (ADR 0147)';
const DECIDED =
  'the server rejects a client without the capability; the call was decided, so it is answered as one that failed';
const LOGGING = 'the capability `logging` is optional, and a mount does not declare it';
const NO_SUBSCRIPTIONS = 'subscriptions are optional, and lists of Writ have a lifetime instead';
const NO_SESSIONS = 'sessions are optional, and Writ has none (ADR 0137)';

/**
 * Scenarios and checks that pass at a server alone and not at its mount, each with the reason why the revision does not
 * ask for it.
 */
export const NOT_AT_MOUNT: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2026-07-28': {
    'server-stateless:sep-2575-server-rejects-undeclared-capability': DECIDED,
    'server-stateless:sep-2575-missing-capability-http-400': DECIDED,
    'server-stateless:sep-2575-server-sends-subscription-ack': NO_SUBSCRIPTIONS,
    'server-stateless:sep-2575-server-tags-subscription-id': NO_SUBSCRIPTIONS,
    'server-stateless:sep-2575-server-honors-notification-filter': NO_SUBSCRIPTIONS,
  },
  '2025-11-25': {
    'resources-subscribe': NO_SUBSCRIPTIONS,
    'resources-unsubscribe': NO_SUBSCRIPTIONS,
    'logging-set-level': LOGGING,
    'tools-call-with-logging': LOGGING,
    'tools-call-sampling': ASKS,
    'tools-call-elicitation': ASKS,
    'elicitation-sep1034-defaults': ASKS,
    'elicitation-sep1330-enums': ASKS,
    'server-initialize:server-session-id-visible-ascii': NO_SESSIONS,
    'server-session-lifecycle': NO_SESSIONS,
    'server-sse-multiple-streams': NO_SESSIONS,
  },
};

/**
 * Checks that the suite gives half a second. A call behind Writ is decided, recorded and sent on, so they pass or fail
 * by how busy the machine is.
 */
export const TIMED: ReadonlySet<string> = new Set([
  'server-stateless:sep-2575-server-no-log-without-loglevel',
  'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
]);
