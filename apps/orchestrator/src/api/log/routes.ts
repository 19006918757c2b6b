// SPDX-License-Identifier: Apache-2.0
import { Consistency, Inclusion, Signatures } from '@writ/contract';
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';

const read = { tag: 'log', method: 'GET', allowed: ROLES } as const;
const size = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const faults = ['not_found', 'ledger.unavailable', 'ledger.diverged'] as const;

/**
 * The tenant's log in the layout of C2SP tlog-tiles (https://c2sp.org/tlog-tiles) below `/v1/log/`, and proofs for
 * clients that don't read tiles.
 */
export const LOG = {
  checkpoint: route({
    ...read,
    id: 'readCheckpoint',
    path: '/v1/log/checkpoint',
    summary: "Returns the signed checkpoint of the tenant's log",
    answers: { 200: { description: 'A C2SP signed note', media: 'text/plain' } },
    faults,
  }),
  tile: route({
    ...read,
    id: 'readTile',
    path: '/v1/log/tile/{tile}',
    params: { tile: 'tile' },
    summary: 'Returns a tile of hashes, `<L>/<N>[.p/<W>]`; it never changes',
    answers: { 200: { description: 'The hashes one after another, 32 bytes each', media: 'application/octet-stream' } },
    faults,
  }),
  entries: route({
    ...read,
    allowed: ['admin', 'operator', 'auditor'],
    id: 'readEntries',
    path: '/v1/log/tile/entries/{bundle}',
    params: { bundle: 'tile' },
    summary: 'Returns a bundle of records, `<N>[.p/<W>]`; it never changes',
    answers: {
      200: {
        description: "Each record's bytes after their length as a big-endian uint16",
        media: 'application/octet-stream',
      },
    },
    faults,
  }),
  signatures: route({
    ...read,
    allowed: ['admin', 'operator', 'auditor'],
    id: 'readSignatures',
    path: '/v1/log/signatures/{bundle}',
    params: { bundle: 'tile' },
    summary: 'Returns the signatures of the records of a bundle, `<N>[.p/<W>]`; they never change',
    answers: {
      200: {
        description:
          "The signature of each record: with the record's bytes as payload of type `application/vnd.in-toto+json`, it forms a DSSE envelope",
        schema: Signatures,
      },
    },
    faults,
  }),
  inclusion: route({
    ...read,
    id: 'readInclusion',
    path: '/v1/log/inclusion',
    summary: 'Proves that a record is in the log of the newest checkpoint, for example to refresh a receipt',
    query: Type.Object({ leaf_index: size('of the record, as in its receipt') }, closed),
    answers: { 200: { description: 'The proof', schema: Inclusion } },
    faults,
  }),
  consistency: route({
    ...read,
    id: 'readConsistency',
    path: '/v1/log/consistency',
    summary: 'Proves that the log of `to` records begins with the one of `from`',
    query: Type.Object(
      { from: size('the smaller tree size'), to: size("the larger one, at most the newest checkpoint's") },
      closed,
    ),
    answers: { 200: { description: 'The proof', schema: Consistency } },
    faults,
  }),
};
