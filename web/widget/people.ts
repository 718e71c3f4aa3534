// Faces of people: the picture that the desk has, or the first letter of the name.
import type { Row } from './api';
import { h } from './dom';

export const face = (person: Row | undefined, name: string) => {
  const letter = h('span', { class: 'face', 'aria-hidden': 'true' }, [...name.trim()][0]?.toUpperCase() ?? '');
  if (person?.avatar) {
    const picture = h('img', { alt: '', src: person.avatar, width: '32', height: '32', referrerpolicy: 'no-referrer', hidden: true });
    picture.onload = () => { picture.hidden = false; };
    letter.append(picture);
  }
  return letter;
};
