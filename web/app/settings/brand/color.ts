// Colours of a brand as the pages of customers show them (src/pages/color.c), and their contrast (WCAG 2.2).
export interface Shade { color: string; ratio: number }

const channel = (value: number) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
export const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text);
const luminance = (color: string) => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => channel(parseInt(color.slice(at, at + 2), 16) / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
export const contrast = (one: string, other: string) => {
  const [a = 0, b = 0] = [luminance(one), luminance(other)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};
/** The text on a colour: white or black, whichever is easier to read. */
export const textOn = (color: string): Shade =>
  ['#ffffff', '#000000'].map((text) => ({ color: text, ratio: contrast(color, text) })).sort((a, b) => b.ratio - a.ratio)[0]!;

const LEAST = 4.5, STEPS = 32;
/** The colour of links and buttons: the brand's, moved to the text colour of the ground until it can be read on it. */
export const readableOn = (ground: string, color: string): Shade => {
  const parts = (one: string) => [1, 3, 5].map((at) => parseInt(one.slice(at, at + 2), 16)), end = textOn(ground).color;
  for (let step = 0; step < STEPS; step++) {
    const tried = `#${parts(color).map((part, i) => Math.trunc(part + (parts(end)[i]! - part) * step / STEPS).toString(16).padStart(2, '0')).join('')}`, ratio = contrast(tried, ground);
    if (ratio >= LEAST) return { color: tried, ratio };
  }
  return textOn(ground);
};
