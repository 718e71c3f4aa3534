// Arabic.
import type { MacroWord } from '../../app/editor/macro_words';

export const ar: Record<MacroWord, string> = {
  chosen: 'عند الإرسال يعيّن «{title}»',
  only_text: 'نص «{title}» في الحقل، ولا يغيّر شيئًا آخر.',
  lost_team: 'لم يعد فريق هذا الماكرو موجودًا. يبقى الفريق كما هو.',
  lost_agent: 'لم يعد ممكنًا إسناد موظف هذا الماكرو. يبقى الموظف كما هو.',
  lost_status: 'لم تعد حالة هذا الماكرو موجودة. تبقى الحالة كما هي.',
  lost_type: 'لم يعد نوع هذا الماكرو موجودًا. يبقى النوع كما هو.',
  lost_priority: 'لم تعد أولوية هذا الماكرو موجودة. تبقى الأولوية كما هي.',
  without: 'من دونها',
};
