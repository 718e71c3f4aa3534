// English.
const words = {
  selected: '[n: one {n} selected|other {n} selected]',
  changed: '[n: one {n} changed|other {n} changed]',
  left: '{which} not changed: {reason}',
  more: '[n: one and {n} more|other and {n} more]',
  tag_hint: 'Type a tag to add it, or choose one to remove',
};
export const en: Record<keyof typeof words, string> = words;
