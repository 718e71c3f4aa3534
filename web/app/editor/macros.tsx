// Macros: chosen by name, shown in the editor before anything happens. The text is in the editor; the properties are set when it is sent.
import { get, rowsOf, type Schemas } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { useFinder } from '../../kit/finders';
import { say } from '../../kit/words';

export interface Chosen { id: number; title: string; contents: string; isNote: boolean }

const findMacros = async (text: string): Promise<Option[]> => {
  const wanted = text.toLowerCase();
  const rows = rowsOf(await get('/cases/macros', { limit: 100, fields: 'title' })) as unknown as { id: number; title: string }[];
  return rows.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, 12).map(({ id, title }) => ({ id, label: title }));
};

export const MacroField = (props: { caseId: number; onChoose: (macro: Chosen) => void; onWrong: (error: Error) => void; ref: (input: HTMLInputElement) => void }) => {
  let input!: HTMLInputElement;
  const choose = async ({ id, label }: Option) => {
    input.value = '';
    try {
      const preview = rowsOf(await get(`/cases/macros/${id}/preview`, { case_id: props.caseId }))[0] as unknown as Schemas['macro_preview'];
      props.onChoose({ id: Number(id), title: label, contents: preview.contents ?? '', isNote: preview.reply_type === 'NOTE' });
    } catch (error) {
      props.onWrong(error as Error);
    }
  };
  useFinder({ word: 'macro', searches: true, find: async (text) => (await findMacros(text)).map((option) => ({ label: option.label, run: () => void choose(option) })) });
  return <Combobox label={say('macro')} placeholder={say('macro')} find={findMacros} onChoose={(option) => void choose(option)} ref={(element) => { input = element; props.ref(element); }} />;
};
