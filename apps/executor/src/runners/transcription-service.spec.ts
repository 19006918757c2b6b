// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import { wavOf } from '@writ/audio';
import type { Call, RunContext } from '../calls/runner.ts';
import type { AdmitOptions } from '../egress/admitted-request.ts';
import type { CallGate } from '../egress/call-gate.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { serviceTranscriber } from './transcription-service.ts';

const SERVICE = { kind: 'openai', url: 'https://api.example.org/v1', model: 'whisper-x' } as const;
const AUDIO = { kind: 'file', bytes: wavOf(new Float32Array(1_600)) } as const;
const callWith = (secrets: Record<string, string>, wall_ms = 900_000): Call =>
  ({ limits: { wall_ms }, resourceSecrets: secrets }) as unknown as Call;

/** Reads no reply: none comes here. */
const WORK = { run: () => Promise.reject(new Error('no reply is read')) } as unknown as RunContext['work'];

/** Takes all bytes and says nothing. */
class SilentConnection extends Duplex {
  override _read(): void {
    return undefined;
  }

  override _write(_bytes: unknown, _encoding: unknown, done: () => void): void {
    done();
  }
}

describe('a service of transcription', () => {
  it('may be silent for as long as the call may take: it hears for minutes', async () => {
    const asked: (AdmitOptions | undefined)[] = [];
    const gate = {
      admit: (_method: string, _target: unknown, _purpose: string, options?: AdmitOptions) => {
        asked.push(options);
        return Promise.reject(new GateRefusal('egress.failed', 'no network here'));
      },
    } as unknown as CallGate;
    const transcriber = serviceTranscriber(callWith({}), SERVICE, gate, WORK);
    const heard = transcriber.transcribe(AUDIO, { model: 'whisper-x', signal: new AbortController().signal });
    await expect(heard).rejects.toMatchObject({ code: 'transcription.unavailable' });
    expect(asked).toMatchObject([{ isSafe: true, idleMs: 900_000 }]);
  });

  it('that does not answer in time fails as `deadline`, and its connection is closed', async () => {
    let closed = 0;
    const gate = {
      admit: () => {
        const connection = new SilentConnection();
        connection.once('close', () => (closed += 1));
        return Promise.resolve({ connection, listed: { answered: () => undefined, failed: () => undefined } });
      },
    } as unknown as CallGate;
    const transcriber = serviceTranscriber(callWith({}, 100), SERVICE, gate, WORK);
    const heard = transcriber.transcribe(AUDIO, { model: 'whisper-x', signal: new AbortController().signal });
    await expect(heard).rejects.toMatchObject({ code: 'deadline' });
    expect(closed).toBe(1);
  });

  it('whose secret did not come with the call is not asked, as with any other resource', () => {
    const named = { ...SERVICE, secret: 'K' };
    const made = () => serviceTranscriber(callWith({}), named, {} as CallGate, WORK);
    expect(made).toThrow(expect.objectContaining({ code: 'permit.invalid' }));
    // No member of Object.prototype is a secret.
    expect(() => serviceTranscriber(callWith({}), { ...SERVICE, secret: 'constructor' }, {} as CallGate, WORK)).toThrow(
      expect.objectContaining({ code: 'permit.invalid' }),
    );
  });
});
