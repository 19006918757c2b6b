// SPDX-License-Identifier: Apache-2.0
// Options that say which service accounts of a Kubernetes cluster may call.
import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import { usage } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { readJsonOption } from '../read-json.ts';

const PREFIX = 'system:serviceaccount:';
const OrNull = Type.Union([Type.String(), Type.Null()]);
const Workload = Type.Object({
  subject: Type.String(),
  role: Type.String(),
  agent_id: OrNull,
  tools: Type.Union([Type.Array(Type.String()), Type.Null()]),
  capability_token_id: OrNull,
});

/** What a registration has of them. */
export const Workloads = {
  profile: Type.Optional(Type.String()),
  workloads: Type.Optional(Type.Array(Workload)),
  pinned_keys: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
};

export interface WorkloadOptions {
  readonly profile?: string;
  readonly workload?: readonly string[];
  /** false: `--no-workloads` */
  readonly workloads: boolean;
  readonly jwksFile?: string;
  /** false: `--no-jwks` */
  readonly jwks: boolean;
}

/** The members of the request that the options name. */
export async function workloadSettings(context: Context, options: WorkloadOptions): Promise<object> {
  const { profile, workload, workloads, jwksFile, jwks } = options;
  if (!workloads && workload !== undefined) throw usage('`--no-workloads` does not go with `--workload`');
  if (!jwks && jwksFile !== undefined) throw usage('`--no-jwks` does not go with `--jwks-file`');
  const named = workload?.map(parseWorkload) ?? (workloads ? undefined : []);
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(named === undefined ? {} : { workloads: named }),
    ...(jwks ? {} : { jwks: null }),
    ...(jwksFile === undefined
      ? {}
      : { jwks: await readJsonOption(context, '--jwks-file', fromFile(context, jwksFile)) }),
  };
}

const fromFile = (context: Context, path: string): string => (path === '-' ? path : `@${resolve(context.cwd, path)}`);

function parseWorkload(text: string): object {
  const [, namespace, name, role, more] = /^([^/=]+)\/([^/=]+)=([a-z]+)(?::(.+))?$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined || role === undefined)
    throw usage(
      `\`--workload\` takes \`NAMESPACE/NAME=ROLE\`, with the agent or the tools behind a \`:\`, not \`${text}\``,
    );
  const [subject, [agent_id, capability_token_id]] = [`${PREFIX}${namespace}:${name}`, more?.split(':') ?? []];
  if (role === 'worker') return { subject, role, tools: more?.split(',') ?? [] };
  return {
    ...{ subject, role },
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(capability_token_id === undefined ? {} : { capability_token_id }),
  };
}

/** As `--workload` takes it. */
export function describeWorkload({
  subject,
  role,
  agent_id,
  tools,
  capability_token_id,
}: Static<typeof Workload>): string {
  const more = tools === null ? [agent_id, capability_token_id].filter((each) => each !== null) : [tools.join(',')];
  return `${subject.slice(PREFIX.length).replace(':', '/')}=${[role, ...more].join(':')}`;
}
