// Words and style of forwards: of the dialog, and of their notes in the timeline.
import { styled } from '../../kit/style';
import { dictionary } from '../../kit/words';
import { en } from '../../words/forward/en';
import style from './forward.css';

const words = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/forward/de')).de, ar: async () => (await import('../../words/forward/ar')).ar });
export const { say } = words;

let shown: Promise<void> | undefined;
export const ready = async () => { await Promise.all([words.ready(), shown ??= styled(style)]); };
