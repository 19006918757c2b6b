// SPDX-License-Identifier: Apache-2.0
// The executor accepts what comes with a script in a registered sandbox only if it hashes to the permit's digest.
import { memoryBlobs } from '@writ/blobs';
import {
  definitionForDigest,
  formatId,
  MK8_RUN,
  SHELL_DANGEROUS,
  type ExecutionProfile,
  type Permit,
  type Redemption,
} from '@writ/contract';
import { actionDigest, argsHash, canonicalBytes, sha256Hex } from '@writ/digest';
import {
  definitionBytes,
  readDefinition,
  readSignedSandbox,
  sandboxDefinitionDigest,
  type SandboxSource,
} from '@writ/mk8-shell';
import { dangerousTool, profileBytes } from '@writ/mk8-shell/dangerous';
import { toolWithin } from '@writ/mk8-shell/tool';
import { InlineTaskRunner } from '@writ/worker-pool';
import { executorTasks } from '../calls/worker-tasks.ts';
import { callWork } from '../foundation/call-work.ts';
import { proveCall } from './prove-call.ts';

const id = (kind: 'tenant' | 'workspace' | 'operation' | 'token', n = 1): string =>
  formatId(kind, new Uint8Array(16).fill(n));
const SALT = new Uint8Array(32).fill(7);
const HASH = '0'.repeat(64);
const ARGS = { script: { operations: [{ verb: 'Include', args: ['greet'] }] }, sandbox: 'build' };

function sourceOf({
  tenant = id('tenant'),
  name = 'build',
  workspace = id('workspace'),
  environment = 'WHO=world\n',
} = {}): SandboxSource {
  const { definition } = readDefinition({
    workspace_id: workspace,
    fragments: { greet: [{ verb: 'Echo', args: ['hello $WHO'] }] },
    enabled_templates: ['git.status'],
  });
  if (definition === null) throw new Error('the definition is wrong');
  const bytes = definitionBytes(definition);
  const statement = canonicalBytes({
    v: 1,
    tenant_id: tenant,
    sandbox: name,
    definition_digest: sandboxDefinitionDigest(bytes),
    environment,
    signed_at: 5,
  });
  return { definition: bytes, statement, keyid: 'k'.repeat(43) };
}
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const redeemedSandbox = ({ definition, statement, keyid }: SandboxSource): NonNullable<Redemption['sandbox']> => ({
  definition: base64(definition),
  statement: base64(statement),
  keyid,
});
const digestOf = (source: SandboxSource): string =>
  sha256Hex(
    canonicalBytes(
      definitionForDigest(toolWithin(readSignedSandbox(source, { tenantId: id('tenant'), name: 'build' }).digest)),
    ),
  );

/**
 * The call that the executor proves from a redemption. The permit is for a script in the sandbox `build`, as
 * `sourceOf()` defines it.
 */
async function provenCall(over: Partial<Redemption> = {}, args: Record<string, unknown> = ARGS) {
  const ordered = {
    tool_id: over.tool_id ?? MK8_RUN.tool_id,
    tool_definition_digest: digestOf(sourceOf()),
    args_hash: argsHash(SALT, args),
    capability_token_id: id('token'),
    policy_hash: HASH,
    state_snapshot_id: `snap_${HASH}`,
    image_digest: `sha256:${HASH}`,
  };
  const redemption = {
    v: 1,
    operation_id: id('operation'),
    tenant_id: id('tenant'),
    attempt: 1,
    tool_id: MK8_RUN.tool_id,
    tool_definition_digest: ordered.tool_definition_digest,
    args,
    args_ref: null,
    args_salt: base64(SALT),
    capability_token_id: ordered.capability_token_id,
    policy_hash: HASH,
    workspace_id: id('workspace'),
    state_snapshot_id: ordered.state_snapshot_id,
    image_digest: ordered.image_digest,
    fs: [],
    secrets: {},
    limits: { ...MK8_RUN.limits },
    nodes: [],
    lease_until: 0,
    lease_ms: 1,
    sandbox: redeemedSandbox(sourceOf()),
    ...over,
  } as unknown as Redemption;
  const permit = {
    action_digest: actionDigest({ ...ordered, tool_definition_digest: redemption.tool_definition_digest }),
  } as Permit;
  return await proveCall(
    permit,
    redemption,
    memoryBlobs(),
    callWork(new InlineTaskRunner(executorTasks), id('tenant'), new AbortController().signal),
  );
}

describe('a script in a registered sandbox', () => {
  it('runs in the signed sandbox that its permit orders', async () => {
    expect((await provenCall()).sandbox).toEqual({
      name: 'build',
      environment: { WHO: 'world' },
      rules: {},
      enabled_templates: ['git.status'],
      fragments: { greet: [{ verb: 'Echo', args: ['hello $WHO'] }] },
      skills: [],
    });
  });

  it("has the tenant's skills that came with its redemption", async () => {
    const skills = [{ name: 'release', description: 'how to release' }];
    expect((await provenCall({ skills })).skills).toEqual(skills);
    expect((await provenCall()).skills).toBeUndefined();
  });

  it('without a name, or with the name of the shipped sandbox, uses no registered one', async () => {
    const shipped = sha256Hex(canonicalBytes(definitionForDigest(MK8_RUN)));
    for (const args of [{ script: ARGS.script }, { ...ARGS, sandbox: 'default' }])
      expect((await provenCall({ tool_definition_digest: shipped }, args)).sandbox).toBeUndefined();
  });

  const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, n) => (n === 40 ? byte ^ 1 : byte));
  const refused: readonly (readonly [string, Partial<Redemption>])[] = [
    ['no sandbox', { sandbox: undefined as never }],
    ['another environment', { sandbox: redeemedSandbox(sourceOf({ environment: 'WHO=nobody\n' })) }],
    ['another key', { sandbox: { ...redeemedSandbox(sourceOf()), keyid: 'x'.repeat(43) } }],
    [
      'a definition that differs in one bit',
      { sandbox: redeemedSandbox({ ...sourceOf(), definition: flipped(sourceOf().definition) }) },
    ],
    [
      'a statement that differs in one bit',
      { sandbox: redeemedSandbox({ ...sourceOf(), statement: flipped(sourceOf().statement) }) },
    ],
    ['a sandbox of another name', { sandbox: redeemedSandbox(sourceOf({ name: 'other' })) }],
    ['a sandbox of another tenant', { sandbox: redeemedSandbox(sourceOf({ tenant: id('tenant', 2) })) }],
    ['a sandbox of another workspace', { workspace_id: id('workspace', 2) }],
    [
      'the digest of the tool without a sandbox',
      { tool_definition_digest: sha256Hex(canonicalBytes(definitionForDigest(MK8_RUN))) },
    ],
  ];
  it.each(refused)('is refused when its redemption has %s', async (_what, over) => {
    await expect(provenCall(over)).rejects.toMatchObject({ code: 'permit.invalid' });
  });
});

describe('a raw command', () => {
  const profile: ExecutionProfile = {
    shells: ['Bash'],
    workspace_id: null,
    environment: { STAGE: 'test' },
    net: [{ domain: 'a.example', methods: ['GET'] }],
    limits: { wall_ms: 5_000, memory_bytes: 128 * 1024 * 1024 },
  };
  const raw = { shell: 'Bash', command: 'ls', profile: 'ops' };
  const digest = sha256Hex(canonicalBytes(definitionForDigest(dangerousTool(profile))));
  const ran = (over: Partial<Redemption> = {}) =>
    provenCall(
      {
        tool_id: SHELL_DANGEROUS.tool_id,
        tool_definition_digest: digest,
        profile: base64(profileBytes(profile)),
        net: [[{ domain: '*.example', methods: ['GET', 'POST'] }]],
        limits: { ...SHELL_DANGEROUS.limits },
        ...over,
      },
      raw,
    );

  it('runs under the profile that its permit orders, with no more than the profile allows', async () => {
    expect(await ran()).toMatchObject({
      profile,
      net: [[{ domain: '*.example', methods: ['GET', 'POST'] }], profile.net],
      limits: { ...SHELL_DANGEROUS.limits, ...profile.limits },
    });
  });

  it.each<readonly [string, Partial<Redemption>]>([
    ['no profile', { profile: undefined as never }],
    [
      'a wider profile',
      { profile: base64(profileBytes({ ...profile, net: [{ domain: '*.example', methods: ['POST'] }] })) },
    ],
    [
      'the profile in other bytes',
      { profile: base64(Buffer.from(`${Buffer.from(profileBytes(profile)).toString()} `)) },
    ],
    ['bytes that are no profile', { profile: base64(Buffer.from('{}')) }],
    [
      'the digest of the tool without a profile',
      { tool_definition_digest: sha256Hex(canonicalBytes(definitionForDigest(SHELL_DANGEROUS))) },
    ],
  ])('is refused when its redemption has %s', async (_what, over) => {
    await expect(ran(over)).rejects.toMatchObject({ code: 'permit.invalid' });
  });
});
