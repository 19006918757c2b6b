// SPDX-License-Identifier: Apache-2.0
import { FAULT_TITLES, FAULTS, isFaultCode, type FaultCode } from '@writ/contract';
import {
  makeWorld,
  Observer,
  sharedStack,
  type Answer,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { Document, type Route } from './openapi.ts';

/** The fixture of a spec that sends bad input. */
export interface Target {
  readonly stack: SharedStack;
  readonly world: World;
  readonly observer: Observer;
  readonly routes: readonly Route[];
}

/**
 * Gives a spec its own tenant. After each test, every process must still be the original one, and an ordinary call must
 * succeed.
 */
export function withTarget(assign: (target: Target) => void): void {
  let target: Target | undefined;
  let pids: Readonly<Record<string, number | null>>;
  beforeAll(async () => {
    const stack = await sharedStack();
    const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'c.txt': 'one\n' } });
    const { routes } = await Document.of(world.admin);
    pids = stack.pids();
    target = { stack, world, observer: new Observer(stack), routes };
    assign(target);
  });
  afterAll(async () => {
    await target?.observer.close();
  });
  afterEach(async () => {
    const { stack, world } = target as Target;
    expect(stack.pids()).toEqual(pids);
    await liftFreezes(world);
    await resetCallSettings(world);
    expect((await world.call('fs.read', { path: 'a.txt' })).body).toMatchObject({
      status: 'ok',
      result: { content: 'one\n' },
    });
  });
}

/** Lifts all freezes: a spec that sends every body also places one. */
async function liftFreezes(world: World): Promise<void> {
  const { items } = (await world.admin.get('/v1/freezes')).body;
  for (const { freeze_id, lifted_at } of items as { freeze_id: string; lifted_at: number | null }[])
    if (lifted_at === null) await world.admin.must(`/v1/freezes/${freeze_id}/lift`, {});
}

/** Lets calls reach all paths again: a spec that sends every body also sets others. */
async function resetCallSettings(world: World): Promise<void> {
  const { status } = await world.admin.request('PATCH', '/v1/call-settings', { allowed_paths: [''], denied_paths: [] });
  expect(status).toBe(200);
}

/** Asserts an RFC 9457 problem whose code and status are in the fault table, without details of a process. */
export function expectProblem(
  what: string,
  { status, headers, body, text }: Answer<JsonValue>,
  codes?: readonly string[],
): void {
  const code = body?.code as unknown;
  const row = isFaultCode(code) ? FAULTS[code] : undefined;
  expect({
    what,
    status,
    type: headers.get('content-type'),
    isKnown: row !== undefined,
    isClients: status >= 400 && status < 500,
  }).toEqual({ what, status: row?.status ?? 'none', type: 'application/problem+json', isKnown: true, isClients: true });
  expect({ what, body }).toMatchObject({
    what,
    body: {
      type: `https://writ.dev/errors/${String(code)}`,
      title: FAULT_TITLES[code as FaultCode],
      detail: expect.any(String),
      instance: expect.stringContaining('urn:writ:request:'),
    },
  });
  expect(text).not.toMatch(/\n\s+at |node_modules|\.ts:|\.js:|FST_|SELECT |relation "/);
  if (codes !== undefined)
    expect({ what, code, isExpected: codes.includes(String(code)) }).toEqual({ what, code, isExpected: true });
}
