// SPDX-License-Identifier: Apache-2.0
//
// A client of a process that runs functions under permits, one request at a time, so that a test stops it anywhere.
import { randomBytes } from 'node:crypto';
import { eventually, type World } from './world.ts';
import type { Api, JsonValue } from './api.ts';

/** The proof of an attempt. */
export interface AttemptProof {
  readonly permit: JsonValue;
  readonly nonce: string;
}

/** A worker of a tenant, with a key of its own. */
export class FunctionWorker {
  readonly api: Api;
  readonly keyId: string;

  constructor(api: Api, keyId: string) {
    this.api = api;
    this.keyId = keyId;
  }

  static async create(world: World, tools: readonly string[]): Promise<FunctionWorker> {
    const key = await world.admin.must('/v1/api-keys', { name: 'worker', role: 'worker', tools });
    return new FunctionWorker(world.admin.as(key['api_key'] as string), key['api_key_id'] as string);
  }

  /** Takes a permit as soon as there is one. */
  async take(): Promise<AttemptProof> {
    const permit = await eventually('a permit', async () => {
      const answer = await this.api.post('/v1/permits/next?wait=2000', {});
      return answer.status === 200 ? (answer.body['permit'] as JsonValue | null) : null;
    });
    return { permit, nonce: randomBytes(16).toString('hex') };
  }

  redeem = (proof: AttemptProof) => this.api.post('/v1/permits/redemptions', proof);
  renew = (proof: AttemptProof) => this.api.post('/v1/permits/renewals', proof);
  report = (proof: AttemptProof, outcome: unknown) => this.api.post('/v1/permits/reports', { ...proof, outcome });
}
