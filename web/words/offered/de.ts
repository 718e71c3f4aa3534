import type { en } from './en';

export const de: typeof en = {
  draft_elsewhere: 'Sie haben an anderer Stelle einen anderen Text geschrieben:',
  draft_take: 'Jenen Text nehmen',
  draft_keep: 'Diesen Text behalten',
};
