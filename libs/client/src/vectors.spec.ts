// SPDX-License-Identifier: Apache-2.0
// The vectors that every client library passes: sdk/vectors/README.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';
import { entityTag } from '@writ/digest';
import { UsageError } from './errors.ts';
import { pathOf, type Query } from './paths.ts';
import { decideRetry, type FailedAttempt } from './retry.ts';
import type { ServerEvent } from './answers.ts';
import { EventReader } from './server-events.ts';

const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(join(repositoryRoot(), 'sdk/vectors', `${name}.json`), 'utf8')) as T;

interface RetryVector {
  readonly name: string;
  readonly failed: Record<string, unknown>;
  readonly waits: number | null;
}

it.each(vectors<RetryVector[]>('retries'))('retries: $name', ({ failed, waits }) => {
  const { retry_after: retryAfter, can_repeat: canRepeat, left_ms: leftMs, ...rest } = failed;
  expect(decideRetry({ ...rest, retryAfter, canRepeat, leftMs } as unknown as FailedAttempt)).toBe(waits);
});

interface PathVector {
  readonly template: string;
  readonly values: readonly unknown[];
  readonly rest: readonly string[];
  readonly query: Query;
  readonly path: string | null;
}

it.each(vectors<PathVector[]>('paths'))(
  'paths: $template with $values and $query is $path',
  ({ template, values, rest, query, path }) => {
    const made = () => pathOf(template, values, rest, query);
    if (path === null) return expect(made).toThrow(UsageError);
    expect(made()).toBe(path);
    // What a URL parser makes of it is the same: no part of it leads elsewhere.
    const { pathname, search } = new URL(`http://writ${path}`);
    expect(`${pathname}${search}`).toBe(path);
  },
);

interface EventVector {
  readonly name: string;
  readonly chunks: readonly string[];
  readonly events: readonly ServerEvent[];
}

it.each(vectors<EventVector[]>('events'))('events: $name', ({ chunks, events }) => {
  const reader = new EventReader();
  expect(chunks.flatMap((chunk) => reader.read(Buffer.from(chunk, 'base64')))).toEqual(events);
});

it.each(vectors<{ name: string; value: unknown; tag: string }[]>('tags'))('tags: $name', ({ value, tag }) => {
  expect(entityTag(value)).toBe(tag);
});
