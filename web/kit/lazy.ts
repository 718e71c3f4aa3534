// A component that is loaded when it is shown first. While no answer comes, because the line is broken or the server restarts, it is
// asked for again; browsers ask anew for a module whose request failed. It fails if the server answers and does not have it: then the
// server has another version, or the module is wrong.
import { lazy as lazyOnce, type Component } from 'solid-js';
import { href } from './route';

const PAUSE_MS = 500, PAUSE_MOST_MS = 8000;

const answers = () => fetch(href('/'), { method: 'HEAD', cache: 'no-store' }).then(({ ok }) => ok, () => false);

const repeated = async <T>(load: () => Promise<T>): Promise<T> => {
  let answered = false;
  for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, PAUSE_MOST_MS)) {
    try { return await load(); } catch (error) {
      if (answered) throw error;
      answered = await answers();
      if (!answered) await new Promise((go) => setTimeout(go, pause));
    }
  }
};

export const lazy = <T extends Component<any>>(load: () => Promise<{ default: T }>) => lazyOnce(() => repeated(load));
