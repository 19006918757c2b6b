// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import {
  Autocomplete,
  Dialog,
  Input,
  ListBox,
  ListBoxItem,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import controls from '../design/controls.module.css';
import { visibleText } from '../parts/visible-text.ts';
import { en } from '../words/en.ts';
import { placeOfId, PLACES } from './places.ts';
import styles from './shell.module.css';
import { applyTheme, THEMES } from './theme.ts';

interface Command {
  readonly id: string;
  readonly label: string;
  readonly run: () => void;
}

/** Every page and setting by its name, and every thing by its id. */
export function Palette({ close }: { readonly close: () => void }): ReactNode {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const commands = matching(text.trim(), navigate);
  const run = (id: unknown): void => {
    close();
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <ModalOverlay
      className={controls['overlay'] ?? ''}
      isOpen
      isDismissable
      onOpenChange={(isOpen) => isOpen || close()}
    >
      <Modal className={controls['dialogFrame'] ?? ''}>
        <Dialog className={`${controls['dialog']} ${styles['palette']}`} aria-label={en.palette.title}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label={en.palette.title} autoFocus>
              <Input className={styles['paletteInput'] ?? ''} placeholder={en.palette.placeholder} />
            </SearchField>
            <ListBox
              aria-label={en.palette.title}
              className={styles['paletteList'] ?? ''}
              items={commands}
              onAction={run}
              renderEmptyState={() => <p className={controls['hint']}>{en.palette.none}</p>}
            >
              {({ label }) => (
                <ListBoxItem className={styles['paletteItem'] ?? ''} textValue={label}>
                  {label}
                </ListBoxItem>
              )}
            </ListBox>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function matching(text: string, navigate: ReturnType<typeof useNavigate>): readonly Command[] {
  const place = placeOfId(text);
  const all: Command[] = [
    ...PLACES.map(({ to, label }) => ({ id: to, label, run: () => void navigate({ to, search: {} }) })),
    ...THEMES.map((theme) => ({ id: theme, label: en.palette.theme(en.themes[theme]), run: () => applyTheme(theme) })),
  ];
  const found = all.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  return place === null
    ? found
    : [{ id: text, label: en.palette.goTo(visibleText(text)), run: () => void navigate(place) }, ...found];
}
