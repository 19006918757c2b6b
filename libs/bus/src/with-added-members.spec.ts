// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage } from '@writ/contract';
import { Type } from 'typebox';
import { withAddedMembers } from './with-added-members.ts';

const closed = { additionalProperties: false };
const Before = Type.Object({ v: Type.Literal(1), b: Type.Optional(Type.Integer()) }, closed);
const Now = Type.Object({ ...Before.properties, a: Type.Integer() }, closed);
const sendTo = (schema: typeof Before | typeof Now) => (request: object) =>
  Promise.resolve().then(() => parseMessage(schema, request));

it('a server that knows the members gets them, and one of before what it knows of them', async () => {
  expect(await withAddedMembers({ v: 1 }, { a: 1, b: 2 }, sendTo(Now))).toEqual({ v: 1, a: 1, b: 2 });
  expect(await withAddedMembers({ v: 1 }, { a: 1, b: 2 }, sendTo(Before))).toEqual({ v: 1, b: 2 });
});

it('any other refusal is passed on, and so is one of a member that was always there', async () => {
  await expect(withAddedMembers({ v: 2 }, { a: 1 }, sendTo(Now))).rejects.toMatchObject({ pointer: '/v' });
  const busy = () => Promise.reject(new Fault('overloaded'));
  await expect(withAddedMembers({ v: 1 }, { a: 1 }, busy)).rejects.toMatchObject({ code: 'overloaded' });
});
