// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { parseSigner, sealEnvelope } from '@writ/signing';
import type { Check } from '../check.ts';
import { demand, NotMade } from '../finding.ts';
import {
  demandRefused,
  inWords,
  objectOf,
  textIn,
  type Answer,
  type DoctorApi,
  type JsonObject,
} from '../doctor-api.ts';
import type { FUNCTIONS, World } from '../world.ts';

/** The most that a permit may take to be there, in milliseconds. */
const PERMIT_WAIT_MS = 15_000;
const DONE = { outcome: 'succeeded', result: {} };
const newNonce = (): string => randomBytes(16).toString('hex');

interface Proof {
  readonly permit: JsonObject;
  readonly nonce: string;
}

/** A worker with the permit of a call that the doctor has proposed. */
interface Taken {
  readonly worker: DoctorApi;
  readonly proof: Proof;
}

async function takePermit(world: World, name: (typeof FUNCTIONS)[number]): Promise<Taken> {
  const [room, worker] = await Promise.all([world.room({}), world.key({ role: 'worker', tools: [`doctor.${name}`] })]);
  const proposed = await world.admin.post('/v1/tool-calls?wait=0', {
    agent_id: world.agentId,
    tool_id: `doctor.${name}`,
    args: {},
    capability_token_id: room.tokenId,
    workspace_id: room.workspaceId,
    idempotency_key: randomUUID(),
    max_autonomy: 'autopilot',
  });
  if (!['admitted', 'dispatched'].includes(textIn(objectOf(proposed), 'state')))
    throw new NotMade(`the call of a function was not admitted: ${inWords(proposed)}`);
  const taken = await worker.must('POST', `/v1/permits/next?wait=${String(PERMIT_WAIT_MS)}`, {});
  const { permit } = taken;
  if (typeof permit !== 'object' || permit === null) throw new NotMade('no permit came for an admitted call');
  return { worker, proof: { permit: permit as JsonObject, nonce: newNonce() } };
}

/** A permit that ended meanwhile says nothing about what happened to it before. */
const ENDED = 'permit.expired';

const redeem = async (by: DoctorApi, proof: Proof): Promise<Answer> => await by.post('/v1/permits/redemptions', proof);

/** Redeems the genuine permit. @throws Broken with `evidence` where it is refused */
async function redeemGenuine({ worker, proof }: Taken, evidence: string): Promise<void> {
  const answer = await redeem(worker, proof);
  if (answer.code === ENDED) throw new NotMade('the permit ended before it could be redeemed');
  demand(answer.status === 200, `${evidence}: ${inWords(answer)}`);
}

/** The genuine permit, redeemed and reported, which shows that nothing before has spent it. */
async function finish(taken: Taken): Promise<void> {
  const { worker, proof } = taken;
  await redeemGenuine(taken, 'the genuine permit was refused afterwards');
  await worker.must('POST', '/v1/permits/reports', { ...proof, outcome: DONE });
}

/** Envelopes that no kernel has signed, made from a genuine one. */
function forgeriesOf(permit: JsonObject): Readonly<Record<string, JsonObject>> {
  const payload = Buffer.from(textIn(permit, 'payload'), 'base64');
  const [signature] = permit['signatures'] as readonly JsonObject[];
  if (signature === undefined) throw new NotMade('the permit has no signature');
  const stranger = parseSigner(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  );
  const theirs = sealEnvelope(textIn(permit, 'payloadType'), payload, stranger);
  const changed = JSON.parse(payload.toString('utf8')) as Record<string, unknown>;
  const flipped = Buffer.from(textIn(signature, 'sig'), 'base64');
  flipped[0] = (flipped[0] ?? 0) ^ 1;
  return {
    'of a stranger': { ...theirs },
    "of a stranger under the kernel's key id": {
      ...theirs,
      signatures: [{ keyid: signature['keyid'], sig: theirs.signatures[0]?.sig }],
    },
    'with a longer life': {
      ...permit,
      payload: Buffer.from(JSON.stringify({ ...changed, expires_at: Number(changed['expires_at']) + 60_000 })).toString(
        'base64',
      ),
    },
    'with a flipped bit': { ...permit, signatures: [{ ...signature, sig: flipped.toString('base64') }] },
  };
}

const INVALID = ['permit.invalid'];
const SPENT = ['permit.spent'];

const forged: Check = {
  id: 'permit-forged',
  invariant: 'A permit that the kernel did not sign is refused',
  obligatory: true,
  run: async (world) => {
    const taken = await takePermit(world, 'forged');
    const forgeries = forgeriesOf(taken.proof.permit);
    for (const [what, permit] of Object.entries(forgeries)) {
      const answer = await redeem(taken.worker, { permit, nonce: newNonce() });
      demandRefused(answer, INVALID, `a permit ${what} was redeemed`);
    }
    await finish(taken);
    return `refused: ${Object.keys(forgeries).join(', ')}`;
  },
};

const replayed: Check = {
  id: 'permit-replayed',
  invariant: 'A permit is redeemed once, by one attempt',
  obligatory: true,
  run: async (world) => {
    const taken = await takePermit(world, 'replayed');
    const { worker, proof } = taken;
    await redeemGenuine(taken, 'a genuine permit was refused');
    const second = await redeem(worker, { ...proof, nonce: newNonce() });
    demandRefused(second, SPENT, 'it was redeemed a second time, by another attempt');
    await finish(taken);
    const late = await redeem(worker, { ...proof, nonce: newNonce() });
    demandRefused(late, SPENT, 'it was redeemed again after its call had ended');
    return `a second attempt got ${inWords(second)}, and one after the end ${inWords(late)}`;
  },
};

const foreign: Check = {
  id: 'permit-foreign',
  invariant: 'A permit counts for the key that took it alone',
  obligatory: true,
  run: async (world) => {
    const taken = await takePermit(world, 'foreign');
    const thief = await world.key({ role: 'worker', tools: ['doctor.*'] });
    const stolen = await redeem(thief, taken.proof);
    demandRefused(stolen, INVALID, "another worker's key redeemed it");
    await finish(taken);
    return `another worker's key got ${inWords(stolen)}`;
  },
};

export const PERMIT_CHECKS: readonly Check[] = [forged, replayed, foreign];
