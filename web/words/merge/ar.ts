import type { en } from './en';
export const ar: typeof en = {
  merge_title: 'الدمج مع محادثة أخرى',
  merge_find: 'المحادثة الأخرى',
  merge_find_hint: 'رقم أو كلمات',
  merge_near: 'محادثات {name}',
  merge_stays: 'أيهما تبقى؟',
  merge_posts: 'تنتقل إليها كل مشاركات «{subject}».',
  merge_closes: 'تُغلق الأخرى ولا يراها العملاء بعد ذلك. تُضاف وسومها وأشخاصها.',
  merge_differs: 'لهما طالبان مختلفان. سيرى {name} كل رسائل المحادثة الباقية.',
  merge_for_ever: 'لا يمكن التراجع عن هذا.',
  merge_do: 'دمج',
  merged: 'دُمجت',
  posts_number: '[n: zero لا مشاركات|one مشاركة واحدة|two مشاركتان|few {n} مشاركات|many {n} مشاركة|other {n} مشاركة]',
  was_merged: 'دُمجت هذه المحادثة في محادثة أخرى.',
  merged_led: 'دمجت {from} في هذه المحادثة.',
};
