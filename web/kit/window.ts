// The part of a long list that is on the screen. Browsers limit the height of an element (Firefox: 17.8 million pixels), and a list of
// a million rows is higher. So the scrolled element has at most HEIGHT_MOST, and `top` is the position in the list: small steps move
// it pixel by pixel, and a jump of the bar moves it in proportion.
import { createSignal, onCleanup } from 'solid-js';

const HEIGHT_MOST = 8_000_000, AROUND = 8;

export const createWindow = (box: () => HTMLElement, count: () => number, rowHeight: () => number) => {
  const [top, setTop] = createSignal(0), [bar, setBar] = createSignal(0), [view, setView] = createSignal(600);
  const whole = () => count() * rowHeight(), height = () => Math.min(whole(), HEIGHT_MOST);
  const most = () => Math.max(0, whole() - view()), barMost = () => Math.max(0, height() - view());
  let expected = -1;

  const place = (wanted: number) => {
    const to = Math.min(Math.max(0, wanted), most());
    const at = barMost() && most() ? Math.round(to / most() * barMost()) : 0;
    setTop(to);
    setBar(at);
    if (Math.abs(box().scrollTop - at) >= 1) box().scrollTop = expected = at;
  };

  const onScroll = () => {
    const now = box().scrollTop, moved = now - bar();
    if (now === expected) { expected = -1; return; }
    if (whole() <= HEIGHT_MOST) setTop(now), setBar(now);
    else if (Math.abs(moved) <= view()) place(top() + moved);
    else setTop(barMost() ? now / barMost() * most() : 0), setBar(now);
  };

  const watch = (element: HTMLElement) => {
    const sizes = new ResizeObserver(() => setView((former) => element.clientHeight || former)); // 0: it is not in the page now
    sizes.observe(element);
    onCleanup(() => sizes.disconnect());
  };

  const first = () => Math.max(0, Math.floor(top() / rowHeight()) - AROUND);
  const last = () => Math.min(count(), Math.ceil((top() + view()) / rowHeight()) + AROUND);
  /** Distance of a row from the start of the scrolled element. */
  const offset = (position: number) => position * rowHeight() - top() + bar();
  const reveal = (position: number) => {
    const start = position * rowHeight();
    if (start < top()) place(start);
    else if (start + rowHeight() > top() + view()) place(start + rowHeight() - view());
  };
  return { first, last, height, offset, onScroll, watch, reveal, place };
};
