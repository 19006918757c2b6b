// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, databaseOf, resolvePassword } from './address.ts';

describe('the database of a URL', () => {
  it('is the named one, else `writ`', () => {
    expect(databaseOf('postgres://a@h/team')).toBe('team');
    expect(databaseOf('postgres://a@h')).toBe('writ');
    expect(databaseOf('postgres://a@h/postgres')).toBe('writ');
  });

  it('is replaced together with the user, and the rest stays', () => {
    expect(addressOf('postgres://a:b@h:5433/x?sslmode=require', 'y')).toBe('postgres://a:b@h:5433/y?sslmode=require');
    expect(addressOf('postgres://a:b@h/x', 'y', { role: 'writ_ledger', password: 'p@ss/w' })).toBe(
      'postgres://writ_ledger:p%40ss%2Fw@h/y',
    );
  });
});

describe('the password of a URL', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'password-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  it('comes from the file that the URL names', () => {
    const file = join(dir, 'postgres-writ_ledger');
    writeFileSync(file, 'p@ss/w\n');
    expect(resolvePassword(`postgres://writ_ledger@h/writ?sslmode=verify-full&password_file=${file}`)).toBe(
      'postgres://writ_ledger:p%40ss%2Fw@h/writ?sslmode=verify-full',
    );
  });

  it('is not used for another user', () => {
    const url = addressOf('postgres://a@h/x?sslmode=require&password_file=/f', 'y', { role: 'b', password: 'c' });
    expect(url).toBe('postgres://b:c@h/y?sslmode=require');
    expect(addressOf('postgres://a@h/x?password_file=/f', 'y')).toBe('postgres://a@h/y?password_file=/f');
  });

  it('stays if the URL names no file', () => {
    for (const url of ['postgres://a:b@h/writ?sslmode=require', 'postgresql:///writ?host=/run'])
      expect(resolvePassword(url)).toBe(url);
  });

  it('is an error if the file is empty or missing', () => {
    const file = join(dir, 'empty');
    writeFileSync(file, '\n');
    expect(() => resolvePassword(`postgres://a@h/writ?password_file=${file}`)).toThrow(
      `the file \`${file}\` that a database's URL names by \`password_file\` is empty`,
    );
    expect(() => resolvePassword(`postgres://a@h/writ?password_file=${join(dir, 'none')}`)).toThrow("can't be read");
  });
});
