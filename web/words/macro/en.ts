// English.
const words = {
  chosen: 'When you send, “{title}” sets',
  only_text: 'The text of “{title}” is below. It sets nothing else.',
  lost_team: 'The team of this macro does not exist any more. The team stays as it is.',
  lost_agent: 'The agent of this macro can’t be assigned any more. The agent stays as it is.',
  lost_status: 'The status of this macro does not exist any more. The status stays as it is.',
  lost_type: 'The type of this macro does not exist any more. The type stays as it is.',
  lost_priority: 'The priority of this macro does not exist any more. The priority stays as it is.',
  without: 'Without them',
};
export const en: Record<keyof typeof words, string> = words;
