// Mailboxes that wait for the consent of their provider.
export const en = {
  consent_lost: '{address} must be connected again',
  consents_lost: '[n: one {n} mailbox|other {n} mailboxes] must be connected again',
};
