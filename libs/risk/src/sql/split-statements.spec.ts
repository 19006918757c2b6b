// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import { MYSQL, POSTGRES, SQLITE, TRANSACT } from './dialects.ts';
import { loadSqlParser } from './load-parser.ts';
import { isParsable } from './parser.ts';
import { splitStatements } from './split-statements.ts';

describe('a text of statements', () => {
  test('ends a statement at a semicolon outside of strings, names and comments', () => {
    expect(splitStatements(`SELECT ';', ";" -- ;\n; SELECT /* ; */ 2`, POSTGRES.lexicalRules).statements).toEqual([
      `SELECT ';', ";"`,
      'SELECT   2',
    ]);
  });

  test('of Postgres holds strings between dollars, nested comments and escapes behind an E', () => {
    expect(
      splitStatements('SELECT $a$ ; $b$ ; $a$; /* /* ; */ ; */ SELECT 1', POSTGRES.lexicalRules).statements,
    ).toEqual(['SELECT $a$ ; $b$ ; $a$', 'SELECT 1']);
    expect(splitStatements(`SELECT E'\\'; DROP'; SELECT '\\'; DROP`, POSTGRES.lexicalRules).statements).toEqual([
      `SELECT E'\\'; DROP'`,
      `SELECT '\\'`,
      'DROP',
    ]);
  });

  test('of MySQL runs comments with `!`, and begins one with two dashes only before white space', () => {
    expect(splitStatements('/*!50000 DROP TABLE t */; SELECT 1--1; # ; x', MYSQL.lexicalRules).statements).toEqual([
      'DROP TABLE t',
      'SELECT 1--1',
    ]);
  });

  test('of SQL Server has names in brackets', () => {
    expect(splitStatements('SELECT [a;b]; DELETE FROM [x]', TRANSACT.lexicalRules).words).toEqual([
      `SELECT ''`,
      `DELETE FROM ''`,
    ]);
  });

  test('holds commands of its client, which reach to the end of their line', () => {
    expect(splitStatements(`SELECT 1 \\g |cat\n\\! rm -rf src\nSELECT '\\! ls'`, POSTGRES.lexicalRules)).toMatchObject({
      statements: ['SELECT 1', `SELECT '\\! ls'`],
      commands: ['g |cat', '! rm -rf src'],
    });
    expect(splitStatements('.shell ls\nSELECT 1.5;\n.tables', SQLITE.lexicalRules)).toMatchObject({
      statements: ['SELECT 1.5'],
      commands: ['shell ls', 'tables'],
    });
    expect(splitStatements('system ls\nselect system from t', MYSQL.lexicalRules)).toMatchObject({
      commands: ['system ls'],
    });
  });

  test('with an unclosed part extends it to the end of the text', () => {
    for (const text of [`SELECT 'a; b`, 'SELECT $$ a; b', 'SELECT /* a; b', 'SELECT "a; b'])
      expect(splitStatements(text, POSTGRES.lexicalRules).statements.length).toBe(1);
  });
});

describe('the parser of statements', () => {
  test('refuses a statement that may overflow its stack', () => {
    const deep = [
      '+1',
      '::int',
      ' - - -',
      "||'a'",
      ' COLLATE x',
      ' UNION SELECT 1',
      ' NOT NOT',
      ' AND f(1, 2)',
      ' JOIN t ON a = b',
      ' AT TIME ZONE x',
      ' IN (1, 2)',
    ];
    expect(deep.filter((part) => isParsable(`SELECT 1${part.repeat(60_000 / part.length)}`))).toEqual([]);
    expect(isParsable(`SELECT ${'('.repeat(13)}1${')'.repeat(13)}`)).toBe(false);
    expect(isParsable(`INSERT INTO t VALUES ${"(1, 'a-b', -2), ".repeat(900)}(1, 'x', 3)`)).toBe(true);
  });

  test('is replaced when its stack has overflowed all the same', async () => {
    const parser = await loadSqlParser(createRequire(import.meta.url));
    expect(parser.parse(`SELECT 1${'+1'.repeat(30_000)}`, 'postgres')).toBeUndefined();
    await vi.waitFor(() => {
      expect(parser.parse('DELETE FROM t', 'postgres')).toMatchObject({ stmts: [{ stmt: { DeleteStmt: {} } }] });
    });
  });
});

describe('the time to tokenize a text', () => {
  const UNITS = ['\\a\\\\', '$x', '$a$', "'", '/*', '/*!', '*/', '--x ', ' ', ';', '\n.x', "E'", '"', '[', 'a$'];
  test.each(UNITS)('grows no faster than the text, for many of %j', (unit) => {
    const timeOf = (length: number): number => {
      const text = unit.repeat(length / unit.length);
      const times = Array.from({ length: 3 }, () => {
        const before = process.cpuUsage();
        for (const { lexicalRules } of [POSTGRES, MYSQL, SQLITE]) splitStatements(text, lexicalRules);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      return Math.min(...times);
    };
    timeOf(8192);
    // Eight times the text: quadratic work would take 64 times as long. A short time is noise.
    expect(timeOf(65_536)).toBeLessThan(Math.max(400_000, 30 * timeOf(8192)));
  });
});
