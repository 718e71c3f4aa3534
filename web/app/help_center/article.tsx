// The form of an article: its texts in several languages beside each other, its place, who may comment, and its files.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, onMount, Show } from 'solid-js';
import { call, get, Refused, rowsOf, type Row } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { go, href, place } from '../../kit/route';
import { tell, tellWrong } from '../../kit/strip';
import { numberText, shortTime } from '../../kit/words';
import { createFiles } from '../editor/files';
import { createEdit, type Values, type Version } from '../settings/edit';
import { isKept } from '../settings/kept';
import { say, type ArticleWord } from './article_words';
import { nameOfRaw } from './blocks';
import { Contents, tooLong } from './contents';
import { articleChanged, firstLocale, localeOf, locales, localesIn, mayChange, mayPublish, mayWrite, nameOfLocale, pageOf, readSectionNames, sectionNames, textsOf, titleOf, valuesOfTexts, type Article, type Status } from './data';
import { Question, Summary } from './parts';
import { Tags } from './tags';
import { BASE, turn } from './tree';
import { Versions } from './versions';
import { say as sayHelp } from './words';

interface Attachment { id: number; name: string; content_id: string | null; url: string }
interface Whole extends Article {
  contents: Article['titles']; tags: { name: string }[]; keywords: string | null; allow_comments: boolean; attachments: Attachment[]; updated_at: string; views: number; upvote_count: number; downvote_count: number;
}
type Named = { id: number; name: string };

const FIELDS = 'titles,contents,status,section,tags,keywords,is_featured,allow_comments,attachments,updated_at,views,upvote_count,downvote_count', INCLUDE = 'locale_field,tag,article_attachment';
const CONTENTS_MOST = 512 * 1024, BESIDE = 2;
const STATUS: Record<Status, ArticleWord> = { DRAFT: 'status_draft', PENDINGAPPROVAL: 'status_pending', PUBLISHED: 'status_published' };
const PLAIN = ['section_id', 'status', 'tags', 'is_featured', 'allow_comments'];

const valuesOf = (one: Whole): Values => ({
  ...valuesOfTexts('title', one.titles), ...valuesOfTexts('contents', one.contents), section_id: one.section.id, status: one.status, tags: one.tags.map(({ name }) => name).sort(),
  keywords: one.keywords ?? '', is_featured: one.is_featured, allow_comments: one.allow_comments, files: [], removed: [],
});
const newFiles = (changed: Values, all: Values) => {
  const shown = localesIn(changed, 'contents').flatMap((locale) => [...String(changed[`contents ${locale}`]).matchAll(/ src="cid:(\d{1,15})"/g)].map(([, id]) => Number(id)));
  return [...new Set([...shown, ...(all['files'] as Named[] ?? []).map(({ id }) => id)])];
};
/** Texts of one language alone, if no other has changed: other people may write the others at the same time. */
const bodyOf = (changed: Values, all: Values, isNew: boolean): Values => {
  const body: Values = {}, texts = Object.keys(changed).filter((name) => /^(title|contents) /.test(name));
  const touched = new Set(texts.map((name) => name.slice(name.indexOf(' ') + 1))), [alone] = touched;
  for (const kind of ['title', 'contents'] as const) {
    const given = textsOf(all, kind).filter(({ translation }) => translation.trim()), one = given.find(({ locale }) => locale === alone);
    if (!isNew && touched.size === 1 && one) { if (`${kind} ${alone}` in changed) body[kind === 'title' ? 'titles' : kind] = one; }
    else if (touched.size) body[kind === 'title' ? 'titles' : kind] = given;
  }
  for (const name of PLAIN) if (name in changed || (isNew && all[name] !== undefined)) body[name] = all[name];
  if ('keywords' in changed) body['keywords'] = all['keywords'] || null;
  const files = newFiles(changed, all);
  if (files.length) body['attachment_file_ids'] = files;
  return body;
};

export const ArticleForm = (props: { id: number | 'new' }) => {
  const { id } = props, isNew = id === 'new', path = `/articles/${id}`, heading = createUniqueId();
  const key = isNew ? `article new ${place().query.get('section') ?? ''}` : `article ${id}`;
  let title!: HTMLHeadingElement;
  const [whole, setWhole] = createSignal<Whole>(), [asking, setAsking] = createSignal(false), [old, setOld] = createSignal(false), [open, setOpen] = createSignal<readonly string[]>([]);
  const flushes = new Map<string, () => void>();

  const version = async (): Promise<Version> => {
    const reply = await get(path, { fields: FIELDS, include: INCLUDE }), one = rowsOf(reply)[0] as unknown as Whole;
    setWhole(one);
    return { values: valuesOf(one), etag: reply.etag };
  };
  const removeFiles = async (removed: number[]) => {
    for (const file of removed) {
      const name = whole()?.attachments.find((one) => one.id === file)?.name ?? '';
      await call('DELETE', `${path}/attachments/${file}`).catch((error: Error) => { if (!(error instanceof Refused && error.reply.status === 404)) tellWrong(say('file_stays', { name, why: error.message })); });
    }
  };
  const edit = createEdit({
    key, stored: true, apart: true, gone: () => say('gone'),
    ...(isNew ? { initial: {
      [`title ${firstLocale()}`]: place().query.get('title') ?? '', [`contents ${firstLocale()}`]: '', section_id: Number(place().query.get('section')) || undefined, status: 'DRAFT', tags: [], keywords: '', is_featured: false, allow_comments: true, files: [], removed: [],
    } } : { read: version }),
    send: async (changed, all, etag, attempt) => {
      try {
        if (isNew) {
          const made = rowsOf(await call('POST', '/articles', { body: bodyOf({ ...all, ...changed }, all, true), headers: { 'Idempotency-Key': attempt } }))[0] as Row;
          await articleChanged(all['section_id'] as number);
          turn('section', all['section_id'] as number, true);
          return { made: `article ${made.id}`, done: () => go(`${BASE}/articles/${made.id}`, { replace: true }) };
        }
        const body = bodyOf(changed, all, false);
        if (Object.keys(body).length) await call('PUT', path, { body, headers: etag ? { 'If-Match': etag } : {} });
      } catch (error) {
        if (error instanceof Refused && error.reply.status === 413) throw new Error(say('too_long_together'));
        throw error;
      }
      if (changed['removed']) await removeFiles(changed['removed'] as number[]);
      const before = edit.state.first['section_id'] as number, now = await version();
      files.restore([], () => false);
      await articleChanged(...new Set([before, now.values['section_id'] as number]));
      return { version: now };
    },
  });
  const value = <T,>(name: string) => edit.value<T>(name), text = (name: string) => value<string | null | undefined>(name) ?? '';
  const files = createFiles(() => {
    const hadProblems = edit.state.problems.length > 0;
    edit.set('files', files.named(files.files().filter((one) => one.id !== undefined && !one.inText).map(({ id: file }) => file!)));
    if (hadProblems) edit.refuse(problems()); // a file that has come answers no other question
  });
  const mayEdit = () => isNew ? mayWrite() : mayWrite() && mayChange((edit.state.first['status'] as Status | undefined) ?? 'DRAFT');
  const isOff = () => !mayEdit();

  // ---- languages -------------------------------------------------------------------------------

  const written = createMemo(() => [...new Set([...localesIn(edit.state.values, 'title'), ...localesIn(edit.state.values, 'contents')])].sort((a, b) => locales().findIndex((one) => one.locale === a) - locales().findIndex((one) => one.locale === b)));
  const others = () => locales().filter(({ locale }) => !written().includes(locale));
  createEffect(on([() => edit.status() === 'ready', written], ([isReady, all]) => {
    if (!isReady) return;
    setOpen((now) => { const still = now.filter((one) => all.includes(one)); return still.length ? still : all.slice(0, BESIDE); });
    const kept = value<Named[]>('files');
    if (kept?.length && !files.files().length) files.restore(kept, () => false);
  }));
  const addLanguage = (locale: string) => { edit.set(`contents ${locale}`, ''); edit.set(`title ${locale}`, ''); setOpen((now) => [...now, locale]); };
  const removeLanguage = (locale: string) => { flushes.get(locale)?.(); edit.set(`title ${locale}`, undefined); edit.set(`contents ${locale}`, undefined); };
  const showLanguage = (locale: string, shown: boolean) => setOpen((now) => shown ? written().filter((one) => one === locale || now.includes(one)) : now.filter((one) => one !== locale));

  // ---- saving ----------------------------------------------------------------------------------

  const problems = () => {
    const full = written().filter((locale) => text(`title ${locale}`).trim() || text(`contents ${locale}`).trim());
    return [
      ...(full.length ? [] : [say('title_missing')]),
      ...full.filter((locale) => !text(`title ${locale}`).trim() || !text(`contents ${locale}`).trim()).map((locale) => say('half', { language: nameOfLocale(locale) })),
      ...full.flatMap((locale) => tooLong(nameOfLocale(locale), text(`contents ${locale}`), CONTENTS_MOST) ?? []),
      ...(files.busy() ? [say('files_busy')] : []),
    ].map((one) => ({ field: '', text: one }));
  };
  const save = async (status?: Status) => {
    flushes.forEach((flush) => flush());
    if (problems().length) return edit.refuse(problems());
    if (status) edit.set('status', status);
    if (await edit.save()) tell(say('saved'));
  };
  if (mayWrite()) useKeys([{ key: 'Ctrl+s', word: 'key_save', inText: true, run: () => void save() }, { key: 'Ctrl+Enter', word: 'key_save', inText: true, run: () => void save() }]);
  const remove = async () => {
    const { id: section } = whole()!.section;
    await call('DELETE', path);
    edit.drop();
    go(`${BASE}/sections/${section}`);
    await articleChanged(section);
    tell(say('deleted'));
  };
  const restored = async () => { await edit.read(); await articleChanged(whole()!.section.id); };
  const name = () => { const texts = textsOf(edit.state.first, 'title').filter(({ translation }) => translation); return texts.length ? titleOf(texts) : say('new_article'); };
  createEffect(() => { document.title = `${name()} · deskd`; });
  onMount(() => { if (!isNew) title.focus(); void readSectionNames().then(() => { if (isNew && !value('section_id') && sectionNames()[0]) edit.set('section_id', sectionNames()[0]!.id); }).catch(() => undefined); });
  // The changes stay in the browser, and the way back is offered.
  const here = `${BASE}/articles/${id}${location.search}`;
  onCleanup(() => { const left = name(); queueMicrotask(() => { if (isKept(key) && edit.status() !== 'gone') tell(say('left_unsaved', { name: left }), async () => go(here)); }); });

  // ---- words of values -------------------------------------------------------------------------

  const fieldName = (one: string) => {
    const [field = '', locale = ''] = one.split(' '), language = nameOfLocale(locale);
    if (field === 'title' || field === 'contents') return say(`${field}_in`, { language });
    return say(field === 'section_id' ? 'section' : field as ArticleWord);
  };
  const sectionName = (wanted: number) => sectionNames().find((one) => one.id === wanted)?.name ?? '';
  const valueText = (one: string, theirs: unknown) => one === 'section_id' ? sectionName(Number(theirs)) : one === 'status' ? say(STATUS[theirs as Status]) : one.startsWith('contents ') ? nameOfRaw(String(theirs ?? '')).text
    : typeof theirs === 'boolean' ? say(theirs ? 'yes' : 'no') : Array.isArray(theirs) ? theirs.join(', ') : String(theirs ?? '');

  const statuses = () => (Object.keys(STATUS) as Status[]).filter((one) => one !== 'PUBLISHED' || mayPublish() || value('status') === one);
  const removed = () => value<number[]>('removed') ?? [];
  const isReady = () => edit.status() === 'ready' || edit.status() === 'saving';
  return (
    <section class="help-one region" aria-labelledby={heading} tabindex="-1" data-region>
      <a class="button narrow" href={href(BASE)}>{sayHelp('to_tree')}</a>
      <h1 ref={title} id={heading} tabindex="-1" dir="auto">{name()}</h1>
      <Show when={edit.status() !== 'gone'} fallback={<p class="soft">{say('gone')}</p>}>
        <Show when={edit.status() !== 'failed'} fallback={<p class="wrong" role="alert">{say('read_failed')} <button type="button" onClick={() => void edit.read()}>{say('try_again')}</button></p>}>
          <Show when={whole()}>
            {(one) => (
              <p class="soft article-facts">
                <span>{say('changed', { time: shortTime(one().updated_at), views: say('views', { n: one().views }), votes: say('votes', { up: numberText(one().upvote_count), down: numberText(one().downvote_count) }) })}</span>
                <a href={pageOf(one().id)} target="_blank">{say(one().status === 'PUBLISHED' ? 'page' : 'page_staff')}</a>
              </p>
            )}
          </Show>
          <Show when={edit.isRead()}>
          <form class="settings-form help-form article-form" noValidate aria-busy={edit.status() !== 'ready'} onSubmit={(event) => { event.preventDefault(); void save(); }}>
            <Summary edit={edit} nameOf={fieldName} textOf={valueText} />
            <Show when={!edit.isLocal()}><p class="warning" role="status">{say('not_local')}</p></Show>
            <fieldset disabled={isOff()} class="help-fields">
              <div class="pair">
                <label><span class="label">{say('status')}</span>
                  <select onChange={(event) => edit.set('status', event.currentTarget.value)}><For each={statuses()}>{(status) => <option value={status} selected={status === value('status')}>{say(STATUS[status])}</option>}</For></select></label>
                <label><span class="label">{say('section')}</span>
                  <select onChange={(event) => edit.set('section_id', Number(event.currentTarget.value))}><For each={sectionNames()}>{(one) => <option value={one.id} selected={one.id === value('section_id')}>{one.name}</option>}</For></select></label>
              </div>
              <div class="article-languages" role="group" aria-label={say('languages')}>
                <For each={written()}>{(locale) => <button type="button" aria-pressed={open().includes(locale)} aria-label={say('show_language', { language: nameOfLocale(locale) })} onClick={() => showLanguage(locale, !open().includes(locale))}><span lang={locale}>{nameOfLocale(locale)}</span></button>}</For>
                <Show when={others().length && mayEdit()}>
                  <select aria-label={sayHelp('add_language')} onChange={(event) => { if (event.currentTarget.value) addLanguage(event.currentTarget.value); event.currentTarget.value = ''; }}>
                    <option value="">{sayHelp('add_language')}</option><For each={others()}>{(one) => <option value={one.locale}>{one.native_name}</option>}</For>
                  </select>
                </Show>
              </div>
            </fieldset>
            <Show when={isReady()}>
              <div class="article-texts">
                <For each={open()}>
                  {(locale) => (
                    <div class="article-language" role="group" aria-label={nameOfLocale(locale)}>
                      <label><span class="label">{say('title_in', { language: nameOfLocale(locale) })}</span><input type="text" lang={locale} dir={localeOf(locale)?.direction ?? 'auto'} maxLength={1000} disabled={isOff()} value={text(`title ${locale}`)} onInput={(event) => edit.set(`title ${locale}`, event.currentTarget.value)} /></label>
                      <Contents label={say('contents_in', { language: nameOfLocale(locale) })} locale={locale} direction={localeOf(locale)?.direction ?? 'auto'} value={text(`contents ${locale}`)} set={(html) => edit.set(`contents ${locale}`, html)} disabled={isOff()} files={files}
                        ref={(flush) => { flushes.set(locale, flush); onCleanup(() => flushes.delete(locale)); }} />
                      <Show when={mayEdit() && written().length > 1}><button type="button" class="link" onClick={() => removeLanguage(locale)}>{say('remove_language', { language: nameOfLocale(locale) })}</button></Show>
                    </div>
                  )}
                </For>
              </div>
            </Show>
            <fieldset disabled={isOff()} class="help-fields">
              <Tags label={say('tags')} help={say('tags_help')} tags={value<string[]>('tags') ?? []} set={(tags) => edit.set('tags', [...tags].sort())} disabled={isOff()} />
              <label><span class="label">{say('keywords')}</span><input type="text" dir="auto" maxLength={1000} value={text('keywords')} onInput={(event) => edit.set('keywords', event.currentTarget.value)} /><span class="soft field-help">{say('keywords_help')}</span></label>
              <label class="yes"><input type="checkbox" checked={value<boolean>('allow_comments') ?? false} onChange={(event) => edit.set('allow_comments', event.currentTarget.checked)} /><span>{say('allow_comments')}</span></label>
              <label class="yes"><input type="checkbox" checked={value<boolean>('is_featured') ?? false} onChange={(event) => edit.set('is_featured', event.currentTarget.checked)} /><span>{say('is_featured')}</span></label>
              <div role="group" aria-label={say('files')} class="help-tags">
                <span class="label">{say('files')}</span>
                <ul class="files">
                  <For each={whole()?.attachments}>
                    {(file) => {
                      const goes = () => removed().includes(file.id);
                      return <li><a href={file.url} target="_blank" dir="auto">{file.name}</a> <span class="soft">{goes() ? say('file_goes') : file.content_id ? say('in_text') : ''}</span>
                        <Show when={mayEdit()}><button type="button" class="link" aria-label={say(goes() ? 'keep_file' : 'remove_file', { name: file.name })} onClick={() => edit.set('removed', goes() ? removed().filter((one) => one !== file.id) : [...removed(), file.id])}>{goes() ? '↺' : '×'}</button></Show></li>;
                    }}
                  </For>
                  <For each={files.files().filter((one) => !one.inText)}>
                    {(file) => <li classList={{ wrong: !!file.wrong }}><span dir="auto">{file.name}</span> <span class="soft">{file.wrong ?? (file.id === undefined ? '…' : '')}</span> <button type="button" class="link" aria-label={say('remove_file', { name: file.name })} onClick={() => files.remove(file.key)}>×</button></li>}
                  </For>
                </ul>
                <Show when={mayEdit()}><label class="button article-attach"><input type="file" multiple class="hidden" onChange={(event) => { files.add(event.currentTarget.files ?? []); event.currentTarget.value = ''; }} />{say('attach')}</label></Show>
              </div>
            </fieldset>
            <Show when={mayEdit()} fallback={<p class="soft">{say(mayWrite() ? 'may_not_published' : 'may_not')}</p>}>
              <div class="settings-foot article-foot">
                <button type="submit" class="main" disabled={edit.status() !== 'ready'}>{say(edit.status() === 'saving' ? 'saving' : 'save')}</button>
                <Show when={mayPublish() && value('status') !== 'PUBLISHED'}><button type="button" disabled={edit.status() !== 'ready'} onClick={() => void save('PUBLISHED')}>{say('publish')}</button></Show>
                <Show when={edit.isChanged()}><button type="button" onClick={() => { files.restore([], () => false); void edit.discard(); }}>{say('discard')}</button></Show>
                <span class="grow" />
                <Show when={!isNew}><button type="button" class="danger" onClick={() => setAsking(true)}>{say('delete')}</button></Show>
              </div>
            </Show>
          </form>
          </Show>
        </Show>
      </Show>
      <Show when={!isNew && mayWrite() && whole() && edit.status() !== 'gone'}>
        <details class="article-versions" onToggle={(event) => setOld(event.currentTarget.open)}>
          <summary>{say('versions')}</summary>
          <Show when={old()}><Versions article={id as number} at={whole()?.updated_at} mayRestore={mayEdit()} isChanged={edit.isChanged()} restored={restored} /></Show>
        </details>
      </Show>
      <Question open={asking()} title={say('delete_title', { name: name() })} lines={[say('delete_all')]} run={remove} close={() => setAsking(false)} />
    </section>
  );
};
