// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { INVITATION_PATH } from '../../edge/access/sign-in/invitation-code.ts';
import { SESSION_DONE_PATH } from '../../edge/access/sign-in/redirect-uris.ts';
import { DEVICE_PATH, KEY_PATH, SIGN_IN_PATH } from '../../edge/access/sign-in/return-to.ts';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { OauthErrorView } from '../../edge/oauth-endpoint/oauth-error.ts';
import { CurrentSignIn, DeviceAuthorization, DeviceForm, SignedOut, SignInList, SignInView } from './views.ts';

const EVERYBODY = ['admin', 'operator', 'agent', 'auditor'] as const;
const shared = { tag: 'sign-in' } as const;

export const SIGN_INS = {
  askDevice: route({
    ...shared,
    id: 'createDeviceAuthorization',
    method: 'POST',
    path: '/v1/device-authorizations',
    allowed: 'public',
    summary: 'Asks for a session of a program, which a person approves in a browser (RFC 8628)',
    form: DeviceForm,
    answers: {
      200: { description: 'The codes', schema: DeviceAuthorization },
      400: { description: 'An error as OAuth defines it (RFC 6749 §5.2)', schema: OauthErrorView },
    },
    faults: ['rate.limited', 'request.unsupported_media_type', 'database.unavailable'],
  }),
  read: route({
    ...shared,
    id: 'readSignIn',
    method: 'GET',
    path: '/v1/sign-in',
    allowed: EVERYBODY,
    summary: 'Reads the session of this request, and the token that its changes need',
    answers: { 200: { description: 'The session', schema: CurrentSignIn } },
  }),
  signOut: route({
    ...shared,
    id: 'signOut',
    method: 'POST',
    path: '/v1/sign-out',
    allowed: EVERYBODY,
    summary: 'Ends the session of this request',
    answers: { 200: { description: 'The session that ended', schema: SignedOut } },
  }),
  listOwn: route({
    ...shared,
    id: 'listOwnSignIns',
    method: 'GET',
    path: '/v1/sign-ins/own',
    allowed: EVERYBODY,
    summary: "Lists the sessions of the caller's person",
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of sessions, newest first', schema: SignInList } },
  }),
  endOwn: route({
    ...shared,
    id: 'endOwnSignIn',
    method: 'DELETE',
    path: '/v1/sign-ins/own/{sign_in_id}',
    params: { sign_in_id: 'signIn' },
    allowed: EVERYBODY,
    summary: "Ends a session of the caller's person within a second",
    answers: { 200: { description: 'The session', schema: SignInView } },
  }),
  list: route({
    ...shared,
    id: 'listSignIns',
    method: 'GET',
    path: '/v1/sign-ins',
    allowed: ['admin', 'auditor'],
    summary: 'Lists the sessions of all people',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of sessions, newest first', schema: SignInList } },
  }),
  end: route({
    ...shared,
    id: 'endSignIn',
    method: 'DELETE',
    path: '/v1/sign-ins/{sign_in_id}',
    params: { sign_in_id: 'signIn' },
    allowed: ['admin'],
    summary: 'Ends a session of anybody within a second',
    answers: { 200: { description: 'The session', schema: SignInView } },
  }),
};

const page = {
  tag: 'pages',
  allowed: 'public',
  summary: '',
  answers: { 200: { description: 'a page', media: 'text/html' } },
} as const;

/** Pages for people in browsers. They are no part of the API: its document doesn't list them. */
export const SIGN_IN_PAGES = {
  open: route({ ...page, id: 'openSignIn', method: 'GET', path: SIGN_IN_PATH }),
  start: route({ ...page, id: 'startSignIn', method: 'POST', path: `${SIGN_IN_PATH}/start` }),
  done: route({ ...page, id: 'signInDone', method: 'GET', path: `${SESSION_DONE_PATH}/{provider_id}` }),
  signOut: route({ ...page, id: 'signOutOnPage', method: 'POST', path: `${SIGN_IN_PATH}/sign-out` }),
  invitation: route({ ...page, id: 'openInvitation', method: 'GET', path: INVITATION_PATH }),
  device: route({ ...page, id: 'openDevice', method: 'GET', path: DEVICE_PATH }),
  decide: route({ ...page, id: 'decideDevice', method: 'POST', path: DEVICE_PATH }),
  key: route({ ...page, id: 'openKeySignIn', method: 'GET', path: KEY_PATH }),
  enterKey: route({ ...page, id: 'signInWithKey', method: 'POST', path: KEY_PATH }),
};
