// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { parseSigner, parseVerifier, type Envelope } from '@writ/signing';
import { compileScript } from '../compile/compile.ts';
import {
  definitionBytes,
  readDefinition,
  SANDBOX_LIMITS,
  sandboxDefinitionDigest,
  type SandboxDefinition,
} from './definition.ts';
import { inContainer } from '../rules/sandbox.ts';
import { signSandbox, verifySandbox, type StoredSandbox } from './signed-sandbox.ts';

const WORKSPACE = `wsp_${'0'.repeat(26)}`;
const SOURCE = {
  workspace_id: WORKSPACE,
  rules: {
    blacklist: [{ id: 'own.word', kind: 'word', pattern: 'plutonium', scope: 'everywhere', reason: 'is not ours' }],
    words: [{ name: 'own.services', summary: 'services', words: ['api', 'web'] }],
  },
  fragments: { greet: [{ verb: 'Echo', args: ['hello $WHO'] }] },
};
const signer = parseSigner(
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
);
const registrars = new Map([[signer.keyid, parseVerifier(signer.publicJwk)]]);

function read(value: unknown): SandboxDefinition {
  const { definition, problems } = readDefinition(value);
  if (definition === null) throw new Error(JSON.stringify(problems));
  return definition;
}
function stored(over: Record<string, unknown> = {}, of: unknown = SOURCE): StoredSandbox {
  const definition = definitionBytes(read(of));
  const statement = {
    v: 1 as const,
    tenant_id: 'ten_a',
    sandbox: 'build',
    definition_digest: sandboxDefinitionDigest(definition),
    environment: '# who\nWHO=world\n',
    signed_at: 5,
    ...over,
  };
  return { tenantId: 'ten_a', name: 'build', definition, envelope: signSandbox(statement, signer) };
}
const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, n) => (n === at ? byte ^ 1 : byte));
const compile = (sandbox: StoredSandbox, verb: string, args: string[]) =>
  compileScript({ operations: [{ verb, args }] }, inContainer(verifySandbox(sandbox, registrars)));

describe('a signed sandbox', () => {
  it('is read where its registrar signed it, and scripts are judged by it', () => {
    const sandbox = verifySandbox(stored(), registrars);
    expect([...sandbox.environment]).toEqual([['WHO', 'world']]);
    expect(sandbox).toMatchObject({ name: 'build', workspace_id: WORKSPACE, keyid: signer.keyid, signed_at: 5 });
    expect(compile(stored(), 'Include', ['greet']).program?.steps[0]?.args).toEqual([[{ text: 'hello world' }]]);
    expect(compile(stored(), 'Echo', ['plutonium']).problems).toHaveLength(1);
  });

  it('is refused where any byte of definition, statement or signature differs', () => {
    const good = stored();
    const {
      payload,
      signatures: [signature],
    } = good.envelope;
    const other = (change: Partial<Envelope>): StoredSandbox => ({
      ...good,
      envelope: { ...good.envelope, ...change },
    });
    const base64 = (text: string, at: number): string =>
      Buffer.from(flipped(Buffer.from(text, 'base64'), at)).toString('base64');
    for (let at = 0; at < good.definition.length; at++)
      expect(() => verifySandbox({ ...good, definition: flipped(good.definition, at) }, registrars)).toThrow(
        'are not the ones that were signed',
      );
    for (let at = 0; at < Buffer.from(payload, 'base64').length; at++)
      expect(() => verifySandbox(other({ payload: base64(payload, at) }), registrars)).toThrow(
        'not what its registrar signed',
      );
    for (let at = 0; at < 64; at++)
      expect(() =>
        verifySandbox(
          other({ signatures: [{ keyid: signer.keyid, sig: base64(signature?.sig ?? '', at) }] }),
          registrars,
        ),
      ).toThrow('not what its registrar signed');
  });

  it("is refused under another name, another tenant, another type or a key that is not a registrar's", () => {
    const good = stored();
    expect(() => verifySandbox({ ...good, name: 'other' }, registrars)).toThrow('for another sandbox');
    expect(() => verifySandbox({ ...good, tenantId: 'ten_b' }, registrars)).toThrow('for another sandbox');
    expect(() =>
      verifySandbox(
        { ...good, envelope: { ...good.envelope, payloadType: 'application/vnd.in-toto+json' } },
        registrars,
      ),
    ).toThrow('not what its registrar signed');
    expect(() => verifySandbox(good, new Map())).toThrow("no registrar's key");
  });

  it("is refused where the environment that was signed can't be read", () => {
    expect(() => stored({ environment: 'A' })).toThrow('line 1');
  });

  it('has another digest whenever anything of it, or its key, is another', () => {
    const digests = [
      stored(),
      stored({ signed_at: 6 }),
      stored({ environment: '' }),
      stored({}, { workspace_id: WORKSPACE }),
    ].map((each) => verifySandbox(each, registrars).digest);
    expect(new Set(digests).size).toBe(4);
    expect(verifySandbox(stored(), registrars).digest).toBe(digests[0]);
  });
});

describe('a definition', () => {
  it.each([
    [{}, ''],
    [{ workspace_id: 'x' }, '/workspace_id'],
    [
      { ...SOURCE, rules: { blacklist: [{ id: 'a', kind: 'regex', pattern: '(', scope: 'everywhere', reason: 'x' }] } },
      '/rules/blacklist/0/pattern',
    ],
    [
      { ...SOURCE, rules: { words: [{ name: 'git.operations', summary: 'x', words: ['ok', 'not ok'] }] } },
      '/rules/words/0/words/1',
    ],
    [
      { ...SOURCE, rules: { templates: [{ id: 'own.sh', binary: 'bash', parts: [], effect: 'read', summary: 'x' }] } },
      '/rules/templates/0/binary',
    ],
    [{ ...SOURCE, enabled_templates: ['no.such'] }, '/enabled_templates/0'],
    [{ ...SOURCE, fragments: { 'a.b': [{ verb: 'Echo', arg: [] }] } }, '/fragments/a.b/0/arg'],
    [{ ...SOURCE, fragments: { 'not ok': [{ verb: 'Echo' }] } }, '/fragments/not ok'],
    [{ ...SOURCE, fragments: { long: [{ verb: 'Echo', args: ['x'.repeat(SANDBOX_LIMITS.bytes)] }] } }, ''],
  ])('%.100j is refused with its faults and their pointers', (value, pointer) => {
    const { definition, problems } = readDefinition(value);
    expect(definition).toBeNull();
    expect(problems.map((problem) => problem.pointer)).toContain(pointer);
  });

  it('that enables some templates allows no other', () => {
    const only = stored({}, { workspace_id: WORKSPACE, enabled_templates: ['git.status'] });
    expect(compile(only, 'ProcRun', ['git', 'status']).problems).toEqual([]);
    expect(compile(only, 'ProcRun', ['git', 'log']).problems).toHaveLength(1);
    expect(compile(stored(), 'ProcRun', ['git', 'log']).problems).toEqual([]);
  });
});
