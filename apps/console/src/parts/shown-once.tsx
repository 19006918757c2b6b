// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import controls from '../design/controls.module.css';
import { administration } from '../words/administration.ts';
import { CopyButton } from './copy-button.tsx';

interface OnceGiven {
  readonly title: string;
  readonly text: string;
  /** a key, link or secret that nobody can show again */
  readonly value: string;
  readonly close: () => void;
}

/** Shows a value that exists nowhere else. It is left by its button alone, so that no stray click loses it. */
export const ShownOnce = ({ title, text, value, close }: OnceGiven): ReactNode => (
  <ModalOverlay className={controls['overlay'] ?? ''} isOpen isKeyboardDismissDisabled>
    <Modal className={controls['dialogFrame'] ?? ''}>
      <Dialog className={controls['dialog'] ?? ''}>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            close();
          }}
        >
          <p>{text}</p>
          <label className={controls['field']}>
            <span className={controls['label']}>{administration.once.value}</span>
            <input
              className={`${controls['input']} ${controls['id']}`}
              readOnly
              autoFocus
              value={value}
              onFocus={({ target }) => target.select()}
            />
          </label>
          <div className={controls['actions']}>
            <CopyButton text={value} />
            <button type="submit" className={`${controls['button']} ${controls['main']}`}>
              {administration.once.done}
            </button>
          </div>
        </form>
      </Dialog>
    </Modal>
  </ModalOverlay>
);
