// Arabic words of the widget of a brand.
import type { WidgetWord } from './en';

export const ar: Record<WidgetWord, string> = {
  widget: 'الأداة',
  widget_why: 'جزء من مكتب المساعدة هذا داخل صفحات موقعك: يبحث الزوار فيه عن المقالات ويكتبون إليك ويقرؤون ردودك.',
  widget_origins: 'أصول موقعك',
  widget_origins_why: 'يجوز لصفحات هذه الأصول أن تعرض الأداة. كل برنامج نصي في صفحة كهذه يستطيع قراءة ما يراه الزائر في الأداة، فلا تضف إلا مواقع تثق بها.',
  widget_origins_none: 'لا يوجد أصل. لا تظهر الأداة في أي مكان.',
  widget_origin: 'أصل آخر',
  widget_origin_help: 'البروتوكول والمضيف من دون مسار: https://shop.example',
  widget_origin_add: 'إضافة الأصل',
  widget_origin_remove: 'إزالة {origin}',
  widget_greeting: 'الكلمات الأولى',
  widget_greeting_help: 'إن كانت فارغة فللأداة كلماتها الخاصة بلغة الزائر.',
  widget_anonymous: 'يجوز لكل زائر أن يكتب',
  widget_anonymous_help: 'عند الإيقاف: فقط الزوار الذين يسجل موقعك دخولهم.',
  widget_snippet: 'سطر لصفحاتك',
  widget_secret: 'الزوار المسجلون',
  widget_secret_why: 'بهذا السر يخبر خادم موقعك الأداة من هو الزائر. من يملكه يستطيع قراءة محادثات الزوار المسجلين: احتفظ به على الخادم.',
  widget_secret_none: 'لا يوجد سر. كل الزوار مجهولون.',
  widget_secret_since: 'يوجد سر أُنشئ {time}.',
  widget_secret_text: 'سر الأداة',
  widget_secret_new: 'إنشاء سر',
  widget_secret_question: 'هل تريد إنشاء سر جديد؟',
  widget_secret_question_why: 'ينتهي السر السابق فورًا، ويصبح الزوار الذين سُجل دخولهم به مجهولين من جديد.',
  widget_secret_drop: 'حذف السر',
  widget_secret_drop_question: 'هل تريد حذف سر الأداة؟',
};
