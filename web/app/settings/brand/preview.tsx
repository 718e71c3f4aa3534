// A colour to choose, and how the pages of customers look with it.
import { createEffect } from 'solid-js';
import { language } from '../../../kit/words';
import type { Control } from '../fields';
import { say } from '../words';
import { isColor, readableOn, textOn } from './color';

const DEFAULT = '#0b57d0', PANEL = '#eceef2'; // the darkest ground of the pages: --third of kit/tokens.css

/** The content security policy forbids inline styles: colours are set by the object model. */
const paint = (element: HTMLElement, colors: () => Record<string, string>) => createEffect(() => { for (const [name, value] of Object.entries(colors())) element.style.setProperty(name, value); });

export const ColorControl = (props: Control) => {
  const value = () => String(props.value ?? '');
  return (
    <div class="color">
      <input type="color" aria-label={say('color_pick')} value={isColor(value()) ? value().toLowerCase() : DEFAULT} onInput={(event) => props.set(event.currentTarget.value)} />
      <input id={props.id} dir="ltr" placeholder={DEFAULT} maxlength="7" aria-describedby={props.described} aria-invalid={props.invalid} value={value()} onInput={(event) => props.set(event.currentTarget.value.trim())} />
      <BrandPreview name={String(props.form.state.values['name'] ?? '')} color={value()} />
    </div>
  );
};

export const BrandPreview = (props: { name: string; color: string }) => {
  const color = () => isColor(props.color) ? props.color : DEFAULT, onIt = () => textOn(color()), act = () => readableOn(PANEL, color());
  const ratio = (n: number) => new Intl.NumberFormat(language(), { maximumFractionDigits: 1 }).format(n);
  return (
    <figure class="brand-preview" aria-label={say('brand_preview')}>
      <div class="brand-page" aria-hidden="true">
        <div class="brand-head" ref={(element) => paint(element, () => ({ 'background-color': color(), color: onIt().color }))}><b dir="auto">{props.name || say('preview_name')}</b></div>
        <div class="brand-body"><span>{say('preview_title')}</span><span class="brand-button" ref={(element) => paint(element, () => ({ 'background-color': act().color, color: textOn(act().color).color }))}>{say('preview_button')}</span></div>
      </div>
      <figcaption class="soft">
        {say('contrast_on', { ratio: ratio(onIt().ratio) })} {say(act().color === color().toLowerCase() ? 'contrast_good' : 'contrast_adapted', { ratio: ratio(act().ratio) })}
      </figcaption>
    </figure>
  );
};
