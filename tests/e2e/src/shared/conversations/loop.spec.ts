// SPDX-License-Identifier: Apache-2.0
// One conversation of the agent loop with the provider's own calls: the built-in tools, tools that a tenant registers
// as the YAML of the specification, the categories in interactive and scheduled sessions, and the limit of iterations.
import { vi } from 'vitest';
import { parse } from 'yaml';
import { eventually, mustApproveShown, type JsonValue } from '@writ/stack';
import { Talk, type Step } from './talk.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

/** The tools of the specification; a script of the workspace stands for the program that the image lacks. */
const TOOLS = `
tools:
  - name: kubectl_get
    description: "Get Kubernetes resources"
    category: read
    cmd: sh
    args: ["kubectl", "get", "{{resource}}"]
    optional_args:
      namespace: ["-n", "{{namespace}}"]
    parameters:
      resource:
        type: string
        enum: [pods, services, deployments, configmaps, secrets, nodes, namespaces]
        description: "The resource type"
      namespace:
        type: string
        description: "The Kubernetes namespace"
        pattern: "^[a-z0-9-]+$"
        optional: true
  - name: kubectl_apply
    description: "Apply a Kubernetes manifest"
    category: write
    cmd: sh
    args: ["kubectl", "apply", "-f", "{{file}}"]
    parameters:
      file:
        type: string
        description: "Path to the manifest file"
        pattern: "^[a-zA-Z0-9_./-]+$"
  - name: deploy_app
    description: "Deploy the application"
    category: admin
    cmd: sh
    args: ["kubectl", "--env", "{{environment}}"]
    env:
      DEPLOY_TARGET: "\${DEPLOY_TARGET}"
    parameters:
      environment:
        type: string
        enum: [staging, production]
`;
const FILES = {
  kubectl:
    'if [ "$1" != get ]; then echo "$*" >> applied.txt; fi; printf "<%s>" "$@"; echo " to ${DEPLOY_TARGET:-nowhere}"\n',
  'manifest.yaml': 'kind: Service\n',
};
const LIMIT_TEXT = 'Stopped: maximum iteration limit reached.';
const call = (name: string, args: object = {}) => ({ name, args });

interface Told {
  readonly status?: string;
  readonly result?: JsonValue;
  readonly error?: { readonly code: string; readonly message: string };
}
/** The results of the newest round, in the order of the calls. */
const toldIn = (messages: Parameters<Step>[0]['messages']): Told[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1).map(({ role, content }) => {
    expect(role).toBe('tool');
    return JSON.parse(content ?? '') as Told;
  });

let talk: Talk;
let capability_token_id: string;
beforeAll(async () => {
  talk = await Talk.open('talk-loop', FILES);
  const { admin } = talk.world;
  const { tools } = parse(TOOLS) as { tools: JsonValue[] };
  const put = await admin.request('PUT', '/v1/tools', { tools, variables: { DEPLOY_TARGET: 'blue' } });
  expect(put.body).toMatchObject({ valid: true });
  capability_token_id = await talk.token({ tools: ['*'] });
});
afterAll(async () => {
  await talk?.close();
});

const codes = (told: readonly Told[]): string[] => told.map(({ status, error }) => error?.code ?? String(status));

const INTERACTIVE: readonly Step[] = [
  ({ tools }) => {
    for (const name of ['bash', 'read_file', 'write_file', 'list_directory', 'kubectl_get', 'deploy_app'])
      expect(tools).toContain(name);
    return { text: 'I look.', calls: [call('list_directory'), call('read_file', { path: 'manifest.yaml' })] };
  },
  ({ messages }) => {
    expect(toldIn(messages)[1]).toMatchObject({ status: 'ok', result: { content: FILES['manifest.yaml'] } });
    return {
      calls: [
        call('kubectl_get', { resource: 'pods; rm -rf ~' }),
        call('read_file', { path: 'none.txt' }),
        call('bash', { command: 'rm -rf /' }),
        call('write_file', { path: 'notes.txt', content: 'applied\n' }),
        call('bash', { command: 'cat notes.txt manifest.yaml' }),
      ],
    };
  },
  // An error is content like any result, in the order of the calls.
  ({ messages }) => {
    const told = toldIn(messages);
    expect(codes(told)).toEqual(['args.invalid', 'file.not_found', 'policy.denied', 'ok', 'ok']);
    expect(told[4]?.result.output).toBe('applied\nkind: Service\n');
    return {
      calls: [
        call('kubectl_apply', { file: 'manifest.yaml' }),
        call('kubectl_get', { resource: 'pods', namespace: 'a-b' }),
      ],
    };
  },
  ({ messages }) => {
    expect(toldIn(messages).map(({ result }) => result.output as string)).toEqual([
      '<apply><-f><manifest.yaml> to nowhere\n',
      '<get><pods><-n><a-b> to nowhere\n',
    ]);
    return { text: 'I deploy.', calls: [call('deploy_app', { environment: 'staging' })] };
  },
  ({ messages }) => {
    expect(toldIn(messages)).toMatchObject([{ status: 'ok', result: { output: '<--env><staging> to blue\n' } }]);
    return 'It is applied and deployed.';
  },
];

it('a conversation of the loop runs built-in and registered tools, waits for a person, and stops at its limit', async () => {
  const { world } = talk;
  const session = await talk.session({ capability_token_id });
  const held: string[] = [];
  const decide = async ({ approval_id, tool_id }: JsonValue): Promise<void> => {
    held.push(tool_id as string);
    await mustApproveShown(world.operator, approval_id);
  };
  const run = await talk.run(session, 'Apply the manifest and deploy.', INTERACTIVE, decide);
  expect(run).toMatchObject({ stopped: 'end', rounds: INTERACTIVE.length });
  expect(held).toEqual(['deploy_app']);
  expect(await world.file('applied.txt')).toBe('apply -f manifest.yaml\n--env staging\n');
  const again: Step = () => ({ calls: [call('list_directory')] });
  expect(await talk.run(session, 'Look for ever.', [again, again, again], undefined, { rounds_max: 3 })).toMatchObject({
    stopped: 'limit',
    rounds: 3,
  });
  const after: Step = ({ messages }) => {
    expect(messages.at(-2)).toMatchObject({ role: 'assistant', content: LIMIT_TEXT });
    return 'I stopped at the limit.';
  };
  expect(await talk.run(session, 'Why did you stop?', [after])).toMatchObject({ stopped: 'end', rounds: 1 });
  expect(await talk.verified(session)).toEqual([
    ['fs.list', 'no_op'],
    ['fs.read', 'no_op'],
    ['kubectl_get', 'refused'],
    ['fs.read', 'no_op'],
    ['shell.run', 'refused'],
    ['fs.write', 'committed'],
    ['shell.run', 'no_op'],
    ['kubectl_apply', 'committed'],
    ['kubectl_get', 'no_op'],
    ['deploy_app', 'committed'],
    ...Array.from({ length: 3 }, () => ['fs.list', 'no_op']),
  ]);
});

const NIGHTLY = 'Tidy up as every night.';
/** Runs the task as a job with these tools; returns what its model was told, and what its receipts say. */
async function nightly(tools: readonly string[]): Promise<{ codes: string[]; ends: [string, string][] }> {
  const { admin, workspaceId } = talk.world;
  let told: readonly Told[] = [];
  talk.script(NIGHTLY, [
    () => ({
      calls: [
        call('list_directory'),
        call('write_file', { path: 'nightly.txt', content: `by ${tools.join(' and ')}\n` }),
        call('deploy_app', { environment: 'production' }),
        call('bash', { command: 'echo x > bash.txt' }),
      ],
    }),
    ({ messages }) => {
      told = toldIn(messages);
      return 'Done for tonight.';
    },
  ]);
  const { job_id } = await admin.must('/v1/jobs', {
    name: `nightly with ${tools.length}`,
    cron: '@yearly',
    workspace_id: workspaceId,
    capability_token_id,
    model: 'talk-loop',
    input: NIGHTLY,
    tools,
  });
  await admin.must(`/v1/jobs/${job_id as string}/runs`);
  const session = await eventually('the end of the run of the job', async () => {
    talk.check();
    const [start] = (await admin.get(`/v1/jobs/${job_id as string}/runs`)).body.items as JsonValue[];
    if (typeof start?.run_id !== 'string') return null;
    const { body } = await admin.get(`/v1/runs/${start.run_id}`);
    return body.state === 'ended' ? (start.session_id as string) : null;
  });
  return { codes: codes(told), ends: await talk.verified(session) };
}

it('in a scheduled session a tool that changes something runs only if the job lists it, and its receipts verify', async () => {
  expect(await nightly(['fs.write'])).toEqual({
    codes: ['ok', 'ok', 'policy.denied', 'policy.denied'],
    ends: [
      ['fs.list', 'no_op'],
      ['fs.write', 'committed'],
      ['deploy_app', 'refused'],
      ['shell.run', 'refused'],
    ],
  });
  expect(await nightly(['deploy_app', 'fs.write'])).toEqual({
    codes: ['ok', 'ok', 'ok', 'policy.denied'],
    ends: [
      ['fs.list', 'no_op'],
      ['fs.write', 'committed'],
      ['deploy_app', 'committed'],
      ['shell.run', 'refused'],
    ],
  });
});
