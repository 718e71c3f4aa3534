// English words of the merge. See ../en.ts.
const words = {
  merge_title: 'Merge with another conversation',
  merge_find: 'Other conversation',
  merge_find_hint: 'Number or words',
  merge_near: 'Conversations of {name}',
  merge_stays: 'Which one stays?',
  merge_posts: 'All posts of “{subject}” move to it.',
  merge_closes: 'The other one is closed, and customers do not see it any more. Its tags and people are added.',
  merge_differs: 'They have different requesters. {name} will see all messages of the conversation that stays.',
  merge_for_ever: 'This can not be taken back.',
  merge_do: 'Merge',
  merged: 'Merged',
  posts_number: '[n: one {n} post|other {n} posts]',
  was_merged: 'This conversation was merged into another one.',
  merged_led: '{from} was merged into this conversation.',
};
export const en: Record<keyof typeof words, string> = words;
