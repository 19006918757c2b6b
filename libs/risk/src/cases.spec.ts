// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import {
  AUDIO_TRANSCRIBE,
  bindTool,
  EMAIL_DRAFT,
  STORE_REGISTER,
  VECDB_DELETE,
  VECDB_QUERY,
  VECDB_UPSERT,
  RAW_SHELLS,
  SHELL_DANGEROUS,
  type BoundResource,
} from '@writ/contract';
import { Type } from 'typebox';
import { Parse } from 'typebox/value';
import { parse } from 'yaml';
import { assessRisk } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';
import { RISK_RULES } from './rules/risk-rules.ts';
import { CEILINGS, type Ceiling } from './rules/rule.ts';

const CaseGroups = Type.Array(
  Type.Object(
    {
      title: Type.String({ minLength: 1 }),
      ceiling: Type.Enum([...CEILINGS]),
      basis: Type.Optional(Type.String({ description: 'the rule that must be among those that speak' })),
      tool: Type.Optional(
        Type.Enum(['read', 'write', 'admin'], { description: "the tool's category; `write` by default" }),
      ),
      times: Type.Optional(
        Type.Integer({ minimum: 2, description: 'how often each command is repeated, behind each other' }),
      ),
      shell: Type.Optional(
        Type.Enum([...RAW_SHELLS], { description: 'a raw command for it, as `shell.dangerous` takes it' }),
      ),
      mailbox: Type.Optional(
        Type.String({ description: 'the address of a mailbox: each line has the recipients of a draft in it' }),
      ),
      store: Type.Optional(
        Type.Enum(['store.register', 'vecdb.query', 'vecdb.upsert', 'vecdb.delete'], {
          description: 'a tool of information stores: each line is a name, a text or the id of a document',
        }),
      ),
      audio: Type.Optional(
        Type.Enum(['device', 'local', 'service'], {
          description: 'a transcription with the local model, or by a service: each line is a device or a file',
        }),
      ),
      history: Type.Optional(
        Type.Object(
          {
            destructive_calls: Type.Optional(Type.Integer()),
            failures_in_a_row: Type.Optional(Type.Integer()),
            labels: Type.Optional(Type.Array(Type.String())),
          },
          { additionalProperties: false },
        ),
      ),
      commands: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    },
    { additionalProperties: false },
  ),
);

const cases = new URL('../cases/', import.meta.url);
const grammar = await bundledGrammar();
const groups = readdirSync(cases).flatMap((file) =>
  Parse(CaseGroups, parse(readFileSync(new URL(file, cases), 'utf8'))),
);

function draftFrom(address: string) {
  const settings = { host: 'mail.example.org', port: 993, tls: 'implicit', username: 'a', secret: 'S', address };
  return bindTool(EMAIL_DRAFT, [{ kind: 'mailbox', settings } as unknown as BoundResource]);
}

const ofStores = {
  'store.register': { tool: STORE_REGISTER, argsOf: (name: string) => ({ name }) },
  'vecdb.query': { tool: VECDB_QUERY, argsOf: (text: string) => ({ store: 's', text }) },
  'vecdb.upsert': {
    tool: VECDB_UPSERT,
    argsOf: (text: string) => ({ store: 's', documents: [{ document_id: 'a', text }] }),
  },
  'vecdb.delete': { tool: VECDB_DELETE, argsOf: (id: string) => ({ store: 's', document_ids: [id] }) },
};

/** A transcription: of a device, or of a file; by a service, unless it is local. */
function heardBy(engine: 'device' | 'local' | 'service', source: string) {
  const provider = { kind: 'openai', url: 'https://speech.example.org/v1', model: 'x' };
  const model = { kind: 'model', settings: { task: 'transcription', provider } };
  const resources = [
    ...(engine === 'service' ? [model] : []),
    ...(engine === 'device' ? [{ kind: 'audio_device', settings: {} }] : []),
  ] as unknown as BoundResource[];
  return {
    tool: bindTool(AUDIO_TRANSCRIBE, resources),
    args: {
      ...(engine === 'device' ? { device: source } : { path: source }),
      ...(engine === 'service' ? { model: 'x' } : {}),
    },
  };
}

function callOf({ tool = 'write', shell, mailbox, store, audio }: (typeof groups)[number], command: string) {
  if (mailbox !== undefined)
    return { tool: draftFrom(mailbox), args: { to: command.split(' '), subject: 'x', body: 'y' } };
  if (store !== undefined) return { tool: ofStores[store].tool, args: ofStores[store].argsOf(command) };
  if (audio !== undefined) return heardBy(audio, command);
  return shell === undefined
    ? { tool: { tool_id: 'shell.run', category: tool }, args: { command } }
    : { tool: SHELL_DANGEROUS, args: { shell, command, profile: 'ops' } };
}

describe.each(groups)('$ceiling: $title', (group) => {
  const { ceiling, basis, times = 1, history, commands } = group;
  test.each(commands)('%s', (line) => {
    const call = callOf(group, line.repeat(times));
    const risk = assessRisk({ ...call, resources: [] }, grammar, history);
    expect({ ceiling: risk.ceiling, basis: risk.risk_basis }).toMatchObject({
      ceiling,
      basis: basis ? expect.arrayContaining([basis]) : expect.anything(),
    });
  });
});

test('at least half of the cases are harmless', () => {
  const count = (ceilings: readonly Ceiling[]) =>
    groups.filter(({ ceiling }) => ceilings.includes(ceiling)).flatMap(({ commands }) => commands).length;
  expect(count(['none'])).toBeGreaterThanOrEqual(75);
  expect(count(['none', 'soft_gate', 'no_go'])).toBeGreaterThanOrEqual(150);
});

test('each rule has a case that it speaks in', () => {
  const named = new Set(groups.map(({ basis }) => basis));
  expect(RISK_RULES.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
});
