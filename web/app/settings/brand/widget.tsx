// The widget of a brand, for owners: the origins of the site, what the widget says, the line for the site's pages, and the secret of the site. Each change is saved at once.
import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { call, get, prefix, type Schemas } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { tell, tellWrong } from '../../../kit/strip';
import { fullTime } from '../../../kit/words';
import { Once } from '../once';
import { Part } from '../page';
import { Question } from '../programs/question';
import { say } from '../words';

type Widget = Schemas['brand_widget'];

/** The line that is copied into the pages of the site. */
const Snippet = () => {
  const [copied, setCopied] = createSignal(false);
  let area!: HTMLTextAreaElement;
  const copy = async () => {
    try { await navigator.clipboard.writeText(area.value); } catch { area.select(); document.execCommand('copy'); }
    setCopied(true);
  };
  return (
    <div class="copied">
      <label class="label"><span>{say('widget_snippet')}</span><textarea ref={area} class="sheet" readonly dir="ltr" rows="2" value={`<script src="${location.origin}${prefix}/widget.js" async></script>`} onFocus={(event) => event.currentTarget.select()} /></label>
      <p><button type="button" aria-label={`${say(copied() ? 'copied' : 'copy')}: ${say('widget_snippet')}`} onClick={() => void copy()}>{say(copied() ? 'copied' : 'copy')}</button></p>
    </div>
  );
};

export default (props: { brand: number }) => {
  const id = createUniqueId(), path = () => `/brands/${props.brand}/widget`;
  const [widget, { mutate, refetch }] = createRead(path, async (at) => (await get(at)).data as unknown as Widget);
  const [wrong, setWrong] = createSignal(''), [secret, setSecret] = createSignal<string>();
  const origins = () => (widget()?.origins ?? []) as unknown as string[];
  let input!: HTMLInputElement, words!: HTMLInputElement, alert!: HTMLParagraphElement;

  const put = async (body: object) => {
    mutate((await call('PUT', path(), { body })).data as unknown as Widget);
    tell(say('saved'));
  };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    setWrong('');
    try {
      await put({ origins: [...origins(), input.value] });
      input.value = '';
      input.focus();
    } catch (error) {
      setWrong((error as Error).message);
      alert.focus();
    }
  };
  const drop = (origin: string) => put({ origins: origins().filter((one) => one !== origin) }).then(() => input.focus(), (error: Error) => tellWrong(error.message));
  const greet = (event: SubmitEvent) => { event.preventDefault(); void put({ greeting: words.value || null }).catch((error: Error) => tellWrong(error.message)); };
  const renew = async () => {
    const made = (await call('POST', `${path()}/secret`)).data as unknown as Widget;
    setSecret(made.signing_secret ?? undefined);
    await refetch();
  };
  const forget = async () => {
    await call('DELETE', `${path()}/secret`);
    setSecret(undefined);
    await refetch();
  };

  return (
    <Show when={widget()}><div class="brand-widget">
      <Part title="widget" why="widget_why">
        <h3 id={`${id}-origins`}>{say('widget_origins')}</h3>
        <p class="soft">{say('widget_origins_why')}</p>
        <ul class="plain-rows" aria-labelledby={`${id}-origins`}>
          <For each={origins()} fallback={<li class="soft">{say('widget_origins_none')}</li>}>
            {(origin) => <li><code class="plain-text" dir="ltr">{origin}</code><button type="button" class="danger" aria-label={say('widget_origin_remove', { origin })} onClick={() => void drop(origin)}>{say('delete')}</button></li>}
          </For>
        </ul>
        <form class="settings-form" noValidate onSubmit={(event) => void add(event)}>
          <div><label class="label" for={`${id}-origin`}>{say('widget_origin')}</label>
            <input ref={input} id={`${id}-origin`} type="url" dir="ltr" autocomplete="off" aria-describedby={`${id}-help ${id}-wrong`} aria-invalid={wrong() !== ''} />
            <p id={`${id}-help`} class="soft">{say('widget_origin_help')}</p></div>
          <p ref={alert} id={`${id}-wrong`} class="wrong" role="alert" tabindex="-1" dir="auto" hidden={!wrong()}>{wrong()}</p>
          <div class="settings-foot"><button type="submit">{say('widget_origin_add')}</button></div>
        </form>
        <form class="settings-form" noValidate onSubmit={greet}>
          <div><label class="label" for={`${id}-words`}>{say('widget_greeting')}</label>
            <input ref={words} id={`${id}-words`} dir="auto" maxLength={255} autocomplete="off" aria-describedby={`${id}-words-help`} value={widget()!.greeting ?? ''} />
            <p id={`${id}-words-help`} class="soft">{say('widget_greeting_help')}</p></div>
          <div class="settings-foot"><button type="submit" aria-label={`${say('save')}: ${say('widget_greeting')}`}>{say('save')}</button></div>
        </form>
        <div class="settings-form"><label class="yes"><input type="checkbox" aria-describedby={`${id}-anonymous`} checked={widget()!.is_anonymous_allowed ?? true} onChange={(event) => void put({ is_anonymous_allowed: event.currentTarget.checked }).catch((error: Error) => tellWrong(error.message))} /><span>{say('widget_anonymous')}</span></label>
        <p id={`${id}-anonymous`} class="soft">{say('widget_anonymous_help')}</p></div>
        <Snippet />
      </Part>
      <Part title="widget_secret" why="widget_secret_why">
        <Show when={secret()}>{(text) => <Once label="widget_secret_text" text={text()} onKept={() => setSecret(undefined)} />}</Show>
        <p>{widget()!.secret_created_at ? say('widget_secret_since', { time: fullTime(widget()!.secret_created_at!) }) : say('widget_secret_none')}</p>
        <div class="settings-foot">
          <Question button="widget_secret_new" title="widget_secret_question" why="widget_secret_question_why" act={renew} />
          <Show when={widget()!.secret_created_at}><Question button="widget_secret_drop" title="widget_secret_drop_question" why="widget_secret_question_why" danger act={forget} /></Show>
        </div>
      </Part>
    </div></Show>
  );
};
