// Something read once for a part of a form. A resource would take the screen, and with it the focus, away until it is read.
import { createSignal, onCleanup } from 'solid-js';
import { tellWrong } from '../../kit/strip';

export const createRead = <T>(read: () => Promise<T>) => {
  const [value, setValue] = createSignal<T>();
  let gone = false;
  onCleanup(() => { gone = true; });
  const again = () => read().then((found) => { if (!gone) setValue(() => found); }, (error: Error) => tellWrong(error.message));
  void again();
  return [value, again] as const;
};
