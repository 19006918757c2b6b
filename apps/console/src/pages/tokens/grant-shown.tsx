// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/client/web';
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { Json } from '../../parts/json.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';

const words = en.tokens;

/** What a token grants, dimension by dimension. */
export function GrantShown({ grant }: { readonly grant: Grant }): ReactNode {
  const files = grant.fs.map(
    ({ path, read, write, denied }) =>
      `${path === '' ? words.workspaceRoot : path}: ${rightsOf({ read, write, isDenied: denied === true })}`,
  );
  const hosts = grant.net.map(
    ({ domain, methods, ports }) =>
      `${domain}${ports === undefined ? '' : `:${ports.join(',')}`}: ${methods.join(', ')}`,
  );
  const lists: readonly (readonly [string, readonly string[]])[] = [
    [words.tools, grant.tools],
    [words.files, files],
    [words.hosts, hosts],
    [words.secrets, grant.secrets],
    [words.resources, grant.resources ?? []],
    [words.profiles, grant.profiles ?? []],
  ];
  return (
    <table className={styles['table']}>
      <tbody>
        {lists.map(([name, texts]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Texts texts={texts} />
            </td>
          </tr>
        ))}
        {grant.effects === undefined || grant.effects.length === 0 ? null : (
          <tr>
            <th scope="row">{words.effects}</th>
            <td>
              <Json value={grant.effects} />
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

const rightsOf = (given: { readonly read: boolean; readonly write: boolean; readonly isDenied: boolean }): string =>
  given.isDenied
    ? words.rights.denied
    : [...(given.read ? [words.rights.read] : []), ...(given.write ? [words.rights.write] : [])].join(', ');

const Texts = ({ texts }: { readonly texts: readonly string[] }): ReactNode =>
  texts.length === 0 ? (
    <span className={controls['hint']}>{words.nothing}</span>
  ) : (
    <ul>
      {texts.map((text, at) => (
        <li key={at}>
          <Shown text={text} isCode />
        </li>
      ))}
    </ul>
  );
