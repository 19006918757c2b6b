// SPDX-License-Identifier: Apache-2.0
import type { Change } from '@writ/contract';
import { startsLater } from '@writ/effect';

/** Parts of a workspace that policy can name without paths. */
export const AREAS = ['git', 'runs_later', 'pipelines', 'secrets'] as const;
export type Area = (typeof AREAS)[number];

const IS_IN: Readonly<Record<Area, (path: string) => boolean>> = {
  git: (path) => path.split('/').includes('.git'),
  runs_later: startsLater,
  pipelines: (path) => PIPELINES.test(path),
  secrets: (path) => SECRETS.test(path),
};
const PIPELINES =
  /(?:^|\/)(?:\.github\/workflows\/.+|\.gitlab-ci\.yml|\.circleci\/.+|Jenkinsfile|azure-pipelines\.yml|\.buildkite\/.+)$/;
const SECRETS =
  /(?:^|\/)(?:\.env(?:\.[^/]*)?|[^/]*\.(?:pem|key|p12|pfx)|id_(?:rsa|ed25519|ecdsa)|\.netrc|\.npmrc|\.pypirc|credentials\.json)$/;

/** The facts about a delta for policy: how many files, and which areas; single paths only if a rule reads them. */
export interface EffectFacts {
  readonly created: number;
  readonly modified: number;
  readonly deleted: number;
  readonly areas: readonly Area[];
}

/** Counts directories too: a created or removed one is an entry of the delta. */
export function effectFacts(changes: readonly Pick<Change, 'path' | 'before' | 'after'>[]): EffectFacts {
  const count = (picks: (change: Pick<Change, 'before' | 'after'>) => boolean): number => changes.filter(picks).length;
  return {
    created: count(({ before }) => before === null),
    modified: count(({ before, after }) => before !== null && after !== null),
    deleted: count(({ after }) => after === null),
    // A deleted file can't run later and reveals nothing, so it is in no area but git's.
    areas: AREAS.filter((area) =>
      changes.some(({ path, after }) => (after !== null || area === 'git') && IS_IN[area](path)),
    ),
  };
}
