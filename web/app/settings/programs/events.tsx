// Addresses to which other systems report what people do.
import { createSignal, Show } from 'solid-js';
import { prefix, type Schemas } from '../../../kit/api';
import { shortTime } from '../../../kit/words';
import { Logo } from '../logo';
import { Part } from '../page';
import { rows } from '../rows';
import { say, type SettingsWord } from '../words';

/** A text that is copied, of several uses. */
export const Copied = (props: { label: SettingsWord; text: string }) => {
  const [copied, setCopied] = createSignal(false);
  let area!: HTMLTextAreaElement;
  const copy = async () => {
    try { await navigator.clipboard.writeText(props.text); } catch { area.select(); document.execCommand('copy'); }
    setCopied(true);
  };
  return (
    <div class="copied">
      <label class="label"><span>{say(props.label)}</span><textarea ref={area} class="sheet" readonly dir="ltr" rows={Math.min(8, props.text.split('\n').length + Math.floor(props.text.length / 70))} value={props.text} onFocus={(event) => event.currentTarget.select()} /></label>
      <p><button type="button" aria-label={`${say(copied() ? 'copied' : 'copy')}: ${say(props.label)}`} onClick={() => void copy()}>{say(copied() ? 'copied' : 'copy')}</button></p>
    </div>
  );
};

const exampleOf = (address: string) => `curl ${address} -H 'Content-Type: application/json' \\
  -d '{"event": "order.paid", "user": {"email": "clara@example.com"}, "properties": {"total": "20.00"}}'`;

const usedText = (time: string | null | undefined) => time ? say('used_last', { time: shortTime(time) }) : say('used_never');

/** The address of the picture. A picture that replaces it has another one. */
const iconOf = ({ id, icon, updated_at }: Schemas['token']) => icon ? `${location.origin}${prefix}/api/v1/events/tokens/${id}/attachments/${icon.id}/url?at=${encodeURIComponent(updated_at ?? '')}` : undefined;

const Address = (props: { token: Schemas['token'] }) => (
  <Part title="event_address" why="event_address_why">
    <Show when={props.token.webhook_url}>{(address) => <><Copied label="event_address" text={address()} /><Copied label="event_example" text={exampleOf(address())} /></>}</Show>
    <p class="soft">{usedText(props.token.lastused_at)}</p>
  </Part>
);

export default rows({
  name: 'events', path: '/events/tokens', type: 'token', title: 'event_tokens', new: 'event_token_new', empty: 'event_tokens_empty', emptyNext: 'event_tokens_empty_next', deleteWhy: 'event_token_delete_why',
  sorted: true, initial: () => ({ is_enabled: true, channel: 'EVENT' }),
  fields: [
    { name: 'label', label: 'name' },
    { name: 'description', label: 'event_token_about' },
    { name: 'channel', label: 'event_token_channel', help: 'event_token_channel_help' },
    { name: 'is_enabled', label: 'event_token_enabled', help: 'event_token_enabled_help' },
  ],
  label: (row) => row.label ?? '',
  note: (row) => [row.is_enabled ? '' : say('is_off'), usedText(row.lastused_at)].filter(Boolean).join(' · '),
  below: (props) => <Show when={props.row}>{(row) => <><Address token={row()} /><Logo path={`/events/tokens/${row().id}`} member="icon" logo={iconOf(row())} /></>}</Show>,
});
