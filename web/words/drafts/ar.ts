// Arabic.
import type { SharedWord } from '../../app/editor/shared_words';

export const ar: Record<SharedWord, string> = {
  shares_reply: '{name} يشارك مسودة رد',
  shares_note: '{name} يشارك مسودة ملاحظة',
  take: 'متابعة الكتابة',
  in_the_way: 'للمتابعة أرسل نصك أو احذفه أولًا.',
  own: 'يقرأ زملاؤك هذه المسودة ويمكنهم متابعتها.',
  stop: 'إيقاف المشاركة',
};
