// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSetup, type Setup } from '../setup.ts';
import { ensureSpeechModel, speechModelDir } from './ensure.ts';

let dir: string;
let setup: Setup;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-speech-'));
  setup = makeSetup(join(dir, 'state'), join(dir, 'cache'), { PATH: `${dir}:/usr/bin:/bin` }, () => undefined);
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A Python that logs its arguments, and then does this. */
function python(body: string): void {
  writeFileSync(join(dir, 'python3'), `#!/bin/sh\necho "$*" >> ${dir}/calls\n${body}\n`);
  chmodSync(join(dir, 'python3'), 0o755);
}

const DOWNLOADS = `case "$*" in *download*) for each; do case "$each" in --dest=*) mkdir -p "\${each#--dest=}"; echo other > "\${each#--dest=}/x.whl" ;; esac; done ;; esac`;

describe('the model of speech', () => {
  it('is refused if the package has other bytes than the table says, and nothing is left', async () => {
    python(DOWNLOADS);
    await expect(ensureSpeechModel(setup)).rejects.toMatchObject({
      name: 'SetupError',
      message: expect.stringMatching(/moonshine-cpp 0\.1\.4 has the SHA-256 .* was expected/) as string,
    });
    expect(readdirSync(setup.cacheDir)).toEqual([]);
  });

  it('that cannot be downloaded is an error with the end of the output', async () => {
    python('case "$*" in *download*) echo no route to the index; exit 1 ;; esac');
    await expect(ensureSpeechModel(setup)).rejects.toMatchObject({
      message: 'could not download moonshine-cpp 0.1.4, which is needed to get the model of speech',
      details: ['no route to the index'],
    });
  });

  it('whose files were damaged is got again', async () => {
    mkdirSync(speechModelDir(setup.cacheDir), { recursive: true });
    writeFileSync(join(speechModelDir(setup.cacheDir), 'tokenizer.bin'), 'damaged');
    python('exit 1');
    await expect(ensureSpeechModel(setup)).rejects.toThrow('could not download');
    expect(existsSync(join(dir, 'calls'))).toBe(true);
  });
});
