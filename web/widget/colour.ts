// Colours of a brand, with contrasts that can be read (WCAG 2.2: 4.5 to 1 for texts).
type Rgb = [number, number, number];
const READ = 4.5;

const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb;
const hex = (colour: Rgb) => `#${colour.map((c) => Math.round(c).toString(16).padStart(2, '0')).join('')}`;
const light = (colour: Rgb) => {
  const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
export const contrast = (a: string, b: string) => {
  const [low, high] = [light(rgb(a)), light(rgb(b))].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

/** White or black, which is read better on the colour. One of them always has more than 4.5 to 1. */
export const textOn = (colour: string) => (contrast(colour, '#ffffff') >= READ ? '#ffffff' : '#000000');

/** The colour as a text on the ground: mixed with black or white as far as it takes. */
export const readable = (colour: string, ground: string) => {
  const goal = light(rgb(ground)) > 0.18 ? 0 : 255, from = rgb(colour);
  for (let part = 0; part < 1; part += 0.05) {
    const mixed = hex(from.map((c) => c + (goal - c) * part) as Rgb);
    if (contrast(mixed, ground) >= READ) return mixed;
  }
  return goal ? '#ffffff' : '#000000';
};

export const isColour = (text: unknown): text is string => typeof text === 'string' && /^#[0-9a-f]{6}$/i.test(text);
