// SPDX-License-Identifier: Apache-2.0
import { AuditRecord, parseMessage } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { composeRecord, type RecordFields } from './compose-record.ts';
import { RecordSeal, RecordSealer } from './record-sealer.ts';
import { traceIdsOf } from './trace-context.ts';

class PlainSeal extends RecordSeal {
  override readonly keyid = 'k1';
  override seal(record: AuditRecord): { payload: Uint8Array; sig: Uint8Array } {
    return { payload: Buffer.from(JSON.stringify(record)), sig: Buffer.alloc(64) };
  }
}
const sealer = new RecordSealer(new PlainSeal());
const fields = { kind: 'tool_call', tenant_id: newId('tenant'), recorded_at: 1 } as const;
const none = { actionDigest: null, newRoot: null };

describe('a record', () => {
  it('names who counted usage only where it has usage, and never as null', () => {
    const saysOf = (more: Partial<RecordFields>) => composeRecord({ ...fields, ...more }).usage_counted_by ?? 'nothing';
    expect([
      saysOf({ usage_counted_by: 'agent', budget_delta: { cpu_ms: 1 } }),
      saysOf({ usage_counted_by: 'host', budget_delta: { cpu_ms: 1 } }),
      saysOf({ usage_counted_by: null, budget_delta: { cpu_ms: 1 } }),
      saysOf({ usage_counted_by: 'agent' }),
      saysOf({ usage_counted_by: 'agent', budget_delta: null }),
    ]).toEqual(['agent', 'host', 'nothing', 'nothing', 'nothing']);
    expect(composeRecord({ ...fields, usage_counted_by: null })).not.toHaveProperty('usage_counted_by');
  });

  it('has every other field of the schema, null where it was not given', () => {
    const sealed = sealer.seal(composeRecord(fields), none);
    const record = parseMessage(AuditRecord, JSON.parse(sealed.payload.toString()));
    expect(Object.keys(record).sort()).toEqual(
      Object.keys(AuditRecord.properties)
        .filter((name) => !['usage_counted_by', 'person', 'execution', 'redactions'].includes(name))
        .sort(),
    );
    expect(record).toMatchObject({
      ...fields,
      kernel_key_id: 'k1',
      record_id: sealed.record_id,
      egress_count: 0,
      verdict: null,
    });
  });

  it('keeps rules within the bounds of the schema', () => {
    const record = composeRecord({ ...fields, rule_ids: Array.from({ length: 100 }, () => 'r'.repeat(200)) });
    expect(record.rule_ids.length).toBeGreaterThan(20);
    expect(record.rule_ids[0]).toHaveLength(128);
    expect(
      composeRecord({ ...fields, rule_ids: Array.from({ length: 100 }, () => 'r'.repeat(20)) }).rule_ids,
    ).toHaveLength(64);
  });

  it('fits even with the most that its schema allows, so that no call that ends is too long to record', () => {
    const rules = Array.from({ length: 64 }, () => '\u0001'.repeat(128));
    const word = 'w'.repeat(128);
    const record = composeRecord({
      ...fields,
      rule_ids: rules,
      risk_basis: rules,
      tool_id: '\u0001'.repeat(128),
      capability_token_id: '\u0001'.repeat(64),
      workspace_id: '\u0001'.repeat(64),
      provenance: {
        source: word,
        dialect: word,
        session_id: word,
        run_id: word,
        turn: word,
        parent_operation_id: word,
        model: word,
      },
      approval_refs: Array.from({ length: 16 }, () => newId('approval')),
      decision_hash: '0'.repeat(64),
      effect_digest: '0'.repeat(64),
      result_hash: '0'.repeat(64),
      redactions: [{ rule: 'r'.repeat(128), pointers: [`/${'x'.repeat(900)}`, `/${'y'.repeat(900)}`] }],
    });
    expect(sealer.seal(record, none).payload.byteLength).toBeLessThan(15 * 1024);
    expect(record.rule_ids.length).toBeGreaterThan(0);
  });

  it('is refused past 16 KiB', () => {
    const tooLong = { ...composeRecord(fields), fault_code: 'x'.repeat(17_000) };
    expect(() => sealer.seal(tooLong, none)).toThrow(expect.objectContaining({ code: 'record.too_large' }));
  });

  it('carries the ids of a valid trace and of no other', () => {
    const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    expect(traceIdsOf(`00-${trace}-${span}-01`)).toEqual({ trace_id: trace, span_id: span });
    for (const bad of [
      null,
      '',
      `01-${trace}-${span}-01`,
      `00-${'0'.repeat(32)}-${span}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
    ]) {
      expect(traceIdsOf(bad)).toEqual({ trace_id: null, span_id: null });
    }
  });
});
