// SPDX-License-Identifier: Apache-2.0
import { CONSENT_DONE_PATH, SIGNED_IN_PATH } from '../../edge/access/sign-in/redirect-uris.ts';
import { route } from '../../edge/requests/route.ts';

const shared = { tag: 'pages', allowed: 'public', summary: '' } as const;
const page = { 200: { description: 'a page', media: 'text/html' } } as const;

/**
 * Pages for people in browsers. They are no part of the API: its document doesn't list them, and their answers to
 * errors are pages, too.
 */
export const CONNECT_PAGES = {
  open: route({ ...shared, id: 'openConsent', method: 'GET', path: '/connect/{handle}', answers: page }),
  confirm: route({ ...shared, id: 'confirmConsent', method: 'POST', path: '/connect/{handle}', answers: page }),
  signOut: route({ ...shared, id: 'signOut', method: 'POST', path: '/connect/{handle}/sign-out', answers: page }),
  signedIn: route({ ...shared, id: 'signedIn', method: 'GET', path: `${SIGNED_IN_PATH}/{provider_id}`, answers: page }),
  done: route({
    ...shared,
    id: 'consentDone',
    method: 'GET',
    path: `${CONSENT_DONE_PATH}/{resource_id}`,
    answers: page,
  }),
  status: route({
    ...shared,
    id: 'consentStatus',
    method: 'GET',
    path: '/connect/status/{connection_id}',
    answers: page,
  }),
};
