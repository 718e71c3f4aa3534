// Macros: chosen by name, shown in the editor before anything happens. The text is in the editor; the properties are set when it is sent.
import { get, rowsOf } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { useFinder } from '../../kit/finders';
import { say } from '../../kit/words';
import type { Chosen } from './macro';

interface Macro { id: number; title: string; reply_contents: string | null }

const findMacros = async (text: string): Promise<Option[]> => {
  const wanted = text.toLowerCase();
  const rows = rowsOf(await get('/cases/macros', { limit: 100, fields: 'title,reply_contents' })) as unknown as Macro[];
  return rows.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, 12).map(({ id, title, reply_contents }) => ({ id, label: title, more: reply_contents?.slice(0, 60) ?? '' }));
};

interface Props { caseId: number; /** Its text is still on its way. */ onChoose: (macro: Promise<Chosen>) => void; ref: (input: HTMLInputElement) => void }

export const MacroField = (props: Props) => {
  let input!: HTMLInputElement;
  const choose = ({ id, label }: Option) => {
    input.value = '';
    props.onChoose(import('./macro').then(({ readMacro }) => readMacro(Number(id), label, props.caseId)));
  };
  useFinder({ word: 'macro', searches: true, find: async (text) => (await findMacros(text)).map((option) => ({ label: option.label, run: () => choose(option) })) });
  return <Combobox label={say('macro')} placeholder={say('macro')} find={findMacros} onChoose={choose} ref={(element) => { input = element; props.ref(element); }} />;
};
