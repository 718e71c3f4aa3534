// One template: its text with the preview beside it, and its versions.
import { createUniqueId, onMount, Show } from 'solid-js';
import { call, get, rowsOf, type Row } from '../../../kit/api';
import { href } from '../../../kit/route';
import { tell, tellWrong } from '../../../kit/strip';
import type { Control } from '../fields';
import { createForm } from '../form';
import { Form } from '../form_view';
import { say } from '../words';
import { Editor, type Variable } from './editor';
import { createPreview, Preview } from './preview';
import { createVersions, Versions } from './versions';
import { titleOf } from './words';

export interface Template { name: string; app: string; is_custom: boolean; variables: Variable[] }

export const TemplateForm = (props: { brand: number; template: Template; back: string; changed: () => Promise<void> }) => {
  const { brand, template } = props, path = `/brands/${brand}/templates/${template.name}`, title = createUniqueId();
  let heading!: HTMLHeadingElement;
  const read = () => get(path), versions = createVersions(path);
  const changed = () => void Promise.all([props.changed(), versions.read()]);
  const form = createForm({
    key: `templates/${brand}/${template.name}`, operation: 'PUT /brands/{id}/templates/{name}', path, read, saved: changed,
    fields: [{ name: 'contents', label: 'template_text', help: 'template_text_help', wide: true, shown: () => say('template_text'), control: (control: Control) => <Editor {...control} variables={template.variables} checked={preview.wrong()} /> }],
  });
  const text = () => String(form.state.values['contents'] ?? ''), preview = createPreview(path, text);

  /** Restores a version, or the original. The text before becomes a version, so nothing is lost. */
  const restore = async (id?: number) => {
    const former = String(form.state.first['contents'] ?? '');
    const put = async (at: string, body: object) => {
      await call('PUT', at, { body });
      await form.read();
      changed();
    };
    try {
      await put(`${path}/restore`, id === undefined ? {} : { version_id: id });
      tell(say('template_restored'), () => put(path, { contents: former }));
    } catch (error) { tellWrong((error as Error).message); }
  };

  onMount(() => { document.title = `${titleOf(template.name)} · ${say('templates')} · deskd`; heading.focus(); });
  return (
    <section class="settings-one template-one region" aria-labelledby={title} tabindex="-1" data-region>
      <a class="button narrow" href={href(props.back)}>{say('back')}</a>
      <h1 ref={heading} id={title} tabindex="-1">{titleOf(template.name)}<Show when={(form.row() as Row | undefined)?.['is_custom']}> <span class="soft">{say('template_changed')}</span></Show></h1>
      <div class="template-sides">
        <Form form={form} actions={<Show when={(form.row() as Row | undefined)?.['is_custom']}><button type="button" title={say('template_original_why')} disabled={form.isChanged()} onClick={() => void restore()}>{say('template_original')}</button></Show>} />
        <Preview path={path} title={template.app === 'MAIL' ? 'template_subject' : 'template_title'} of={preview} />
      </div>
      <Versions path={path} of={versions} text={text()} mayRestore={!form.isChanged()} restore={(id) => void restore(id)} />
    </section>
  );
};

/** The templates of a brand, with the values that they may use. */
export const readTemplates = async (brand: number) => rowsOf(await get(`/brands/${brand}/templates`, { limit: 100, fields: 'name,app,is_custom,variables' })) as unknown as Template[];
