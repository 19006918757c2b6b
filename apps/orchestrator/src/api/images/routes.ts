// SPDX-License-Identifier: Apache-2.0
import { ImageLog, ImageName, ImageSource, ImageTools, ImageView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { ImageList } from './views.ts';

const READER_ROLES = ['admin', 'operator', 'auditor'] as const;
const shared = { tag: 'images', path: '/v1/images' } as const;
const one = { tag: 'images', path: '/v1/images/{image}', params: { image: 'imageName' } } as const;

/** Images of the tenant, in which commands run. */
export const IMAGES = {
  list: route({
    ...shared,
    id: 'listImages',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the images of the tenant, by name',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of images', schema: ImageList } },
  }),
  create: route({
    ...shared,
    id: 'createImage',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Registers an image, which an executor then fetches or builds; it never changes',
    // Accepts any source here, so that the answer says what is wrong with it in its own words.
    body: Type.Object({ name: ImageName, source: Type.Unknown(), tools: Type.Optional(ImageTools) }, closed),
    documentedBody: Type.Object({ name: ImageName, source: ImageSource, tools: Type.Optional(ImageTools) }, closed),
    answers: { 200: { description: 'The image, which is ready once its state says so', schema: ImageView } },
    faults: ['image.not_allowed', 'conflict', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readImage',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Shows one image',
    answers: { 200: { description: 'The image', schema: ImageView } },
  }),
  log: route({
    ...one,
    path: '/v1/images/{image}/log',
    id: 'readImageLog',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Shows the end of what the builder of an image wrote',
    answers: { 200: { description: 'The log, while it is built and afterwards', schema: ImageLog } },
  }),
  remove: route({
    ...one,
    id: 'removeImage',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes an image: no call runs in it from then on, not even one that waits already',
    answers: {
      200: { description: 'The name of the removed image', schema: Type.Object({ removed: Type.String() }, closed) },
    },
  }),
};
