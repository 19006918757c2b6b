// SPDX-License-Identifier: Apache-2.0
import type { ImageClaim } from '@writ/contract';
import { ImageError } from '@writ/sandbox/images';
import { ImageIntake, type ImageIntakeParts } from './image-intake.ts';

const CLAIM: ImageClaim = {
  image_id: 'img_1',
  tenant_id: 'ten_1',
  definition: Buffer.from(JSON.stringify({ digest: `sha256:${'a'.repeat(64)}` })).toString('base64'),
  digest: 'a'.repeat(64),
  claim: 1,
};

let reports: unknown[];
let failures: unknown[];
let intake: ImageIntake;
let reported: PromiseWithResolvers<undefined>;

/** An intake with one image to make, whose kernel records what it hears of it. */
function intakeOf(make: ImageIntakeParts['images']['make']): ImageIntake {
  const claims = [CLAIM];
  const note = (report: unknown): Promise<void> => {
    reports.push(report);
    reported.resolve(undefined);
    return Promise.resolve();
  };
  return new ImageIntake({
    kernel: {
      claimImage: () => Promise.resolve(claims.pop() ?? null),
      renewImage: () => Promise.resolve(true),
      releaseImage: (_image, stopping) => note({ stopping }),
      finishImage: (_image, { image_digest, problem }) => note({ image_digest, problem }),
    },
    images: { make },
    executorId: 'exe_1',
    context: () => ({ registries: {}, ca: null, egress: () => Promise.reject(new Error('nothing is sent')) }) as never,
    failed: (error) => failures.push(error),
  });
}

beforeEach(() => {
  [reports, failures, reported] = [[], [], Promise.withResolvers<undefined>()];
});
afterEach(() => intake.stop());

const run = async (make: ImageIntakeParts['images']['make']): Promise<void> => {
  intake = intakeOf(make);
  await intake.start();
  await reported.promise;
};

it('an image that is made ends with its digest', async () => {
  await run(() => Promise.resolve('sha256:b'));
  expect([reports, failures]).toEqual([[{ image_digest: 'sha256:b', problem: null }], []]);
});

it('an image whose source is at fault ends as failed', async () => {
  await run(() => Promise.reject(new ImageError('there is no such package')));
  expect([reports, failures]).toEqual([[{ image_digest: null, problem: 'there is no such package' }], []]);
});

it('an image over which the engine fails is given back, and the operator is told why', async () => {
  const lost = new Error('connect ECONNREFUSED /var/run/docker.sock');
  await run(() => Promise.reject(lost));
  expect([reports, failures]).toEqual([[{ stopping: false }], [lost]]);
});

it.each([
  ['without a result', (reason: unknown) => Promise.reject(reason as Error)],
  ['with what looks like a fault of the source', () => Promise.reject(new ImageError('it could not be fetched'))],
])('an image whose executor stops is given back, also where its build ends %s', async (_how, end) => {
  const making = Promise.withResolvers<undefined>();
  intake = intakeOf(async (_wanted, _context, signal) => {
    making.resolve(undefined);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return await end(signal.reason);
  });
  await intake.start();
  await making.promise;
  await intake.stop();
  expect([reports, failures]).toEqual([[{ stopping: true }], []]);
});
