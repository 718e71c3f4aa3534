// Earlier texts of an article: who wrote them and when, what differs from the present ones, and the way back.
import { createEffect, createSignal, For, on, Show } from 'solid-js';
import { call, get, rowsOf } from '../../kit/api';
import { tell, tellWrong } from '../../kit/strip';
import { fullTime, shortTime } from '../../kit/words';
import { decoded } from '../editor/html';
import { say } from './article_words';
import { nameOfLocale } from './data';

interface Version { id: number; user: { full_name?: string } | null; created_at: string }
interface Part { operation: 'EQUAL' | 'INSERTED' | 'DELETED'; text: string }
interface Difference { locale: string; title: Part[]; contents: Part[] }

const PAGE = 20, AROUND = 80;
/** Words around a difference; the middle of a long equal text is left out. */
const around = (text: string, first: boolean, last: boolean) => {
  const begin = first ? '' : text.slice(0, AROUND), end = last ? '' : text.slice(-AROUND);
  return text.length <= 2 * AROUND ? text : `${begin} … ${end}`;
};
/** The words of some HTML; a change of tags alone shows these. */
const words = (html: string) => {
  const text = decoded(html.replace(/<(?:br|\/(?:p|h[1-6]|li|tr|div|pre|blockquote|figure))>/g, '\n').replace(/<[^>]*>/g, '')).replace(/\n{2,}/g, '\n');
  return text.trim() || !html.includes('<') ? text : html;
};
const differs = (parts: Part[]) => parts.some(({ operation }) => operation !== 'EQUAL');

/** What was deleted and inserted since: elements that readers of the screen name, signs, and colours. */
const Marked = (props: { parts: Part[] }) => (
  <p class="version-text" dir="auto">
    <For each={props.parts}>
      {(part, i) => part.operation === 'EQUAL' ? <span>{around(words(part.text), i() === 0, i() === props.parts.length - 1)}</span>
        : part.operation === 'DELETED' ? <del><span class="hidden">{say('version_old')} </span><span aria-hidden="true">− </span>{words(part.text)}</del> : <ins><span class="hidden">{say('version_new')} </span><span aria-hidden="true">+ </span>{words(part.text)}</ins>}
    </For>
  </p>
);

/** `at`: the time of the last change of the article. */
export const Versions = (props: { article: number; at: string | undefined; mayRestore: boolean; isChanged: boolean; restored: () => Promise<void> }) => {
  const path = `/articles/${props.article}`;
  const [versions, setVersions] = createSignal<Version[]>(), [total, setTotal] = createSignal(0), [failed, setFailed] = createSignal(''), [shown, setShown] = createSignal<number>(), [differences, setDifferences] = createSignal<Difference[]>();
  const read = async (more = false) => {
    setFailed('');
    try {
      const known = more ? versions() ?? [] : [], reply = await get(`${path}/versions`, { limit: PAGE, offset: known.length, fields: 'user,created_at', include: 'user_minimal' });
      setVersions([...known, ...rowsOf(reply) as unknown as Version[]]);
      setTotal(reply.total_count ?? 0);
    } catch (error) { setFailed((error as Error).message); }
  };
  createEffect(on(() => props.at, () => void read()));
  let list!: HTMLOListElement;
  let turn = 0;
  const compare = async (id: number) => {
    const mine = ++turn;
    setShown(shown() === id ? undefined : id);
    setDifferences(undefined);
    if (shown() !== id) return;
    try {
      const { locales } = rowsOf(await get(`${path}/versions/${id}/comparison`))[0] as unknown as { locales: Difference[] };
      if (mine === turn) setDifferences(locales.filter(({ title, contents }) => differs(title) || differs(contents)));
    } catch (error) { if (mine === turn) setShown(undefined), tellWrong((error as Error).message); }
  };
  const put = async (version: number) => {
    await call('PUT', `${path}/restore`, { body: { version_id: version } });
    setShown(undefined);
    await props.restored();
    await read();
    if (document.activeElement === document.body) list.focus(); // the button is gone, and nobody has gone elsewhere
  };
  const restore = async (version: Version) => {
    try {
      await put(version.id);
      const [former] = versions() ?? []; // the texts that were replaced
      tell(say('version_restored', { time: shortTime(version.created_at) }), former ? () => put(former.id) : undefined);
    } catch (error) { tellWrong((error as Error).message); }
  };
  return (
    <div class="versions">
      <Show when={failed()}><p class="wrong" role="alert" dir="auto">{failed()} <button type="button" onClick={() => void read()}>{say('try_again')}</button></p></Show>
      <Show when={versions()?.length === 0}><p class="soft">{say('versions_none')}</p></Show>
      <ol ref={list} tabindex="-1" aria-label={say('versions')}>
        <For each={versions()}>
          {(version) => (
            <li>
              <div class="version-line">
                <span><time datetime={version.created_at} title={fullTime(version.created_at)}>{shortTime(version.created_at, 'long')}</time> · <span dir="auto">{version.user?.full_name ?? ''}</span></span>
                <button type="button" aria-expanded={shown() === version.id} aria-label={say('version_compare_of', { time: fullTime(version.created_at) })} onClick={() => void compare(version.id)}>{say('version_compare')}</button>
                <Show when={props.mayRestore}><button type="button" disabled={props.isChanged} aria-label={say('version_restore_of', { time: fullTime(version.created_at) })} onClick={() => void restore(version)}>{say('version_restore')}</button></Show>
              </div>
              <Show when={shown() === version.id && differences()}>
                {(list) => (
                  <div class="version-differences" role="region" aria-label={say('version_compare')}>
                    <For each={list()} fallback={<p class="soft">{say('version_same')}</p>}>
                      {(one) => (
                        <div lang={one.locale}>
                          <h2>{nameOfLocale(one.locale)}</h2>
                          <Show when={differs(one.title)}><Marked parts={one.title} /></Show>
                          <Show when={differs(one.contents)}><Marked parts={one.contents} /></Show>
                        </div>
                      )}
                    </For>
                  </div>
                )}
              </Show>
            </li>
          )}
        </For>
      </ol>
      <Show when={versions() && versions()!.length < total()}><button type="button" class="link" onClick={() => void read(true)}>{say('versions_more', { n: total() - versions()!.length })}</button></Show>
      <Show when={props.isChanged && props.mayRestore && versions()?.length}><p class="soft">{say('version_save_first')}</p></Show>
    </div>
  );
};
