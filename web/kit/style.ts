// The style of a part that is loaded later: a file of its own, so the first page does not load it.
import { prefix } from './api';

/** Resolves when the style holds, or can't be loaded: the part works without it. `file` is what the import of a .css file gives. */
export const styled = (file: string) => new Promise<void>((done) => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = `${prefix}/agent/files/${file}`;
  link.onload = link.onerror = () => done();
  document.head.append(link);
});
