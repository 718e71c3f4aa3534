// What the editor needs of the place in which a person writes: a text area, or the rich text that replaces it as soon as it is loaded.
import { asText, plainText, type Written } from './html';

export type Form = 'strong' | 'em' | 'code' | 'link' | 'bullet_list' | 'ordered_list' | 'blockquote' | 'code_block';

export interface Surface {
  element: HTMLElement;
  read: () => Written;
  /** Replaces the whole text. */
  write: (text: Written) => void;
  /** Adds a text below the present one. */
  append: (text: Written) => void;
  isEmpty: () => boolean;
  focus: () => void;
  /** The text of the line before the caret; undefined if something is selected. */
  before: () => string | undefined;
  /** Replaces so many characters before the caret. The address makes a link of the text. */
  insert: (text: string, back?: number, address?: string) => void;
  /** The element leaves the page. The text can still be read, and an upload may end. */
  end?: () => void;
  /** Only rich text. */
  rich?: {
    forms: () => ReadonlySet<Form>;
    toggle: (form: Exclude<Form, 'link'>) => void;
    /** The address of the link at the caret. */
    address: () => string;
    /** Makes a link of what is selected; '' removes it. */
    link: (address: string) => void;
    /** Shows a picture that is uploaded. `ready` names its file; without one the picture goes. */
    picture: (url: string, name: string) => void;
    ready: (url: string, file?: number) => void;
    undo: () => void;
    redo: () => void;
  };
}

/** A text with forms can be read in the area, and keeps its forms until it is changed there. */
export const surfaceOfArea = (element: HTMLTextAreaElement): Surface => {
  let formed: Written | undefined;
  element.addEventListener('input', () => { formed = undefined; });
  return {
    element,
    read: () => formed ?? { contents: plainText(element.value), html: false },
    write: (text) => { formed = text.html ? text : undefined; element.value = asText(text); },
    append: (text) => {
      const before = element.value.trimEnd();
      element.value = before ? `${before}\n\n${asText(text)}` : asText(text);
      element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    },
    isEmpty: () => !element.value.trim(),
    focus: () => element.focus(),
    before: () => element.selectionStart === element.selectionEnd ? element.value.slice(element.value.lastIndexOf('\n', element.selectionStart - 1) + 1, element.selectionStart) : undefined,
    insert: (text, back = 0, address) => {
      element.setRangeText(address && address !== text ? `${text}\n${address}` : text, Math.max(0, element.selectionStart - back), element.selectionEnd, 'end');
      element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    },
  };
};
