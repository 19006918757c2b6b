// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { connect } from '@writ/database';
import type { Stack } from '@writ/stack';
import { testAddress } from '@writ/testing';
import { measure, type Load, type Metric } from '../measure.ts';

const run = promisify(execFile);
type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** The least that a durable anything costs here: one row, one commit, one connection. */
export async function pgCommit(stack: Stack, load: Load): Promise<Measured> {
  const client = await connect(stack.database.ownerUrl, 'bench');
  try {
    await client.query('CREATE TABLE public.bench (id bigserial PRIMARY KEY, text text)');
    return await measure(load, async () => { await client.query({ name: 'insert', text: 'INSERT INTO public.bench (text) VALUES ($1)', values: ['x'.repeat(100)] }); });
  } finally {
    await client.end();
  }
}

/** What a person would type to run one command in a container of its own. */
export function dockerRun(load: Load): Promise<Measured> {
  const image = testAddress('WRIT_TEST_SANDBOX_IMAGE');
  const env = { ...process.env, DOCKER_HOST: testAddress('DOCKER_HOST') };
  return measure(load, async () => { await run('docker', ['run', '--rm', '--network', 'none', '--entrypoint', '/bin/true', image], { env }); });
}
